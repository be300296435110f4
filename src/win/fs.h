/* SPDX-License-Identifier: MIT */
/* File operations: shared by src/win/fs-*.c and needed by the core.
 * uv__fs_ops, uv__fs_os_init() and uv__fs_os_fill() (fs.h) are in fs-ops.c.
 *
 * W1  A request with paths holds them in 16-bit units, ready for system calls:
 *     file.pathw and new_pathw point into the block that it owns (F1).
 * W2  Failures are reported through the uv__fs_fail*() functions, so that
 *     uv_fs_get_system_error() can return the system's own error.
 */
#ifndef UV_WIN_FS_H_
#define UV_WIN_FS_H_

#include "os/fs.h"
#include "os/fs-event.h"
#include "win/overlapped.h"
#include "win/winapi.h"

/* dispatch.c. */
uv__req_fn uv__fs_event_done; /* UV_FS_EVENT_REQ */

/* Like fs-event.c's, but waits for the request (R3). */
enum uv__close_result uv__fs_event_win_close(uv_handle_t* handle);

/* ---- errors; fs-ops.c. Context: any, for this whole header ---- */

/* Stores `sys_error` for uv_fs_get_system_error() and returns the matching
 * UV_E*, never 0. */
int uv__fs_fail(uv_fs_t* req, DWORD sys_error);

/* The same for the thread's last error, or for an NTSTATUS. */
int uv__fs_fail_last(uv_fs_t* req);
int uv__fs_fail_status(uv_fs_t* req, LONG status);

/* The same with `err` where the usual translation would be wrong. */
int uv__fs_fail_as(uv_fs_t* req, DWORD sys_error, int err);

/* ---- paths; fs-path.c ---- */

/* A path to be written by uv__fs_path_put(). */
struct uv__fs_path {
  const char* text; /* as the caller gave it */
  WCHAR* full;      /* long form (owned), or NULL: convert `text` */
  size_t units;     /* length of either, including the NUL */
};

/* Measures the path. If it is too long for the Win32 interface, makes it
 * absolute with the prefix that lifts the limit: 0, UV_EINVAL (not WTF-8),
 * UV_ENAMETOOLONG or UV_ENOMEM. On success `path` needs uv__fs_path_close(). */
int uv__fs_path_init(struct uv__fs_path* path, const char* text);

/* The same without the length check, for the target of a symbolic link. */
int uv__fs_path_init_raw(struct uv__fs_path* path, const char* text);

/* Writes the path's `units` to `to`. */
void uv__fs_path_put(const struct uv__fs_path* path, WCHAR* to);
void uv__fs_path_close(struct uv__fs_path* path);

/* Prefix of a path that the system takes verbatim. */
#define UV__FS_VERBATIM L"\\\\?\\"
#define UV__FS_VERBATIM_LEN 4

static inline int uv__fs_is_slash(WCHAR c) {
  return c == L'\\' || c == L'/';
}

/* Does it start with a letter, a colon and a slash? */
int uv__fs_has_drive_root(const WCHAR* path, size_t len);

/* ---- handles ---- */

/* Share modes and flags for examining files: never block other users, and open
 * directories too. */
#define UV__FS_SHARE_ALL                                                       \
 (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* Opens an existing file. `flags` are added to backup semantics, such as
 * FILE_FLAG_OPEN_REPARSE_POINT. INVALID_HANDLE_VALUE with a last error.
 * fs-open.c. */
HANDLE uv__fs_open_path(const WCHAR* path, DWORD access, DWORD flags);

/* The handle of an fd, or INVALID_HANDLE_VALUE. fs-open.c. */
HANDLE uv__fs_handle(uv_file fd);

/* Opens the same file with other access rights: a handle that the caller
 * closes, or INVALID_HANDLE_VALUE with a last error. fs-open.c. */
HANDLE uv__fs_reopen(HANDLE file, DWORD access);

/* FILE_ATTRIBUTE_* of an open file; INVALID_FILE_ATTRIBUTES with a last
 * error. fs-attr.c. */
DWORD uv__fs_attributes(HANDLE file);

/* Replaces the attributes: 0 or the last error. fs-attr.c. */
DWORD uv__fs_set_attributes(HANDLE file, DWORD attributes);

/* ---- links; fs-reparse.c ---- */

/* The target of a link. */
struct uv__fs_link {
  char* target; /* WTF-8, owned by the caller: uv__free() */
  size_t len;   /* excluding the NUL */
  ULONG tag;    /* IO_REPARSE_TAG_* */
};

/* Reads the link `file` (opened with FILE_FLAG_OPEN_REPARSE_POINT): 0, or the
 * Win32 error: ERROR_SYMLINK_NOT_SUPPORTED for reparse points other than links,
 * ERROR_NOT_A_REPARSE_POINT for anything else. */
DWORD uv__fs_read_link(HANDLE file, struct uv__fs_link* link);

/* ---- mapped files; fs-map.c ---- */

/* Registers `fd`, opened with `flags`, for access through a mapping: 0 or
 * UV_ENOMEM. */
int uv__fs_map_add(uv_file fd, int flags);

/* The flags it was opened with, or -1 for an ordinary fd. */
int uv__fs_map_flags(uv_file fd);

/* Unregisters the fd, if it was registered. */
void uv__fs_map_remove(uv_file fd);

/* Perform the request's read or write; `flags` from uv__fs_map_flags(). */
ssize_t uv__fs_map_read(uv_fs_t* req, HANDLE file, int flags);
ssize_t uv__fs_map_write(uv_fs_t* req, HANDLE file, int flags);

/* ---- buffers; fs-rw.c ---- */

/* Small buffers are copied through one of ours: a system call for each would
 * cost more than the copy. Unbuffered files require whole sectors at aligned
 * addresses; smaller buffers are invalid there in any case. */
#define UV__FS_SMALL 512
#define UV__FS_GATHER_SIZE 8192

/* Position within the buffers of a request. */
struct uv__fs_cursor {
  const uv_buf_t* buf; /* first buffer with bytes left */
  size_t nbufs;        /* number of buffers left, including `buf` */
  size_t skip;         /* bytes of `buf` already transferred */
  size_t room;         /* bytes until UV__FS_BYTES_MAX */
  int writes;          /* write from the buffers, else read into them */
  char gather[UV__FS_GATHER_SIZE];
};

void uv__fs_cursor_init(struct uv__fs_cursor* cursor,
                        const uv_fs_t* req,
                        int writes);

/* The next contiguous bytes, at most `max`; empty at the end. */
uv_buf_t uv__fs_cursor_next(struct uv__fs_cursor* cursor, size_t max);

/* The first `bytes` of the returned piece have been transferred. */
void uv__fs_cursor_advance(struct uv__fs_cursor* cursor,
                           uv_buf_t moved,
                           size_t bytes);

/* Translates the error of a failed read or write. */
int uv__fs_rw_fail(uv_fs_t* req, HANDLE file, DWORD sys_error);

/* ---- operations: each returns its result or UV_E* ---- */

/* fs-open.c */
ssize_t uv__fs_open(uv_fs_t* req);
ssize_t uv__fs_close(uv_fs_t* req);

/* fs-rw.c */
ssize_t uv__fs_read(uv_fs_t* req);
ssize_t uv__fs_write(uv_fs_t* req);
ssize_t uv__fs_sync(uv_fs_t* req);
ssize_t uv__fs_ftruncate(uv_fs_t* req);

/* fs-stat.c */
ssize_t uv__fs_stat(uv_fs_t* req);
ssize_t uv__fs_lstat(uv_fs_t* req);
ssize_t uv__fs_fstat(uv_fs_t* req);
ssize_t uv__fs_statfs(uv_fs_t* req);

/* fs-attr.c */
ssize_t uv__fs_access(uv_fs_t* req);
ssize_t uv__fs_chmod(uv_fs_t* req);
ssize_t uv__fs_fchmod(uv_fs_t* req);
ssize_t uv__fs_chown(uv_fs_t* req);
ssize_t uv__fs_utime(uv_fs_t* req);
ssize_t uv__fs_lutime(uv_fs_t* req);
ssize_t uv__fs_futime(uv_fs_t* req);

/* fs-remove.c */
ssize_t uv__fs_unlink(uv_fs_t* req);
ssize_t uv__fs_rmdir(uv_fs_t* req);

/* fs-link.c */
ssize_t uv__fs_rename(uv_fs_t* req);
ssize_t uv__fs_hard_link(uv_fs_t* req);
ssize_t uv__fs_symlink(uv_fs_t* req);
ssize_t uv__fs_readlink(uv_fs_t* req);
ssize_t uv__fs_realpath(uv_fs_t* req);

/* fs-dir.c */
ssize_t uv__fs_mkdir(uv_fs_t* req);
ssize_t uv__fs_scandir(uv_fs_t* req);
ssize_t uv__fs_opendir(uv_fs_t* req);
ssize_t uv__fs_readdir(uv_fs_t* req);
ssize_t uv__fs_closedir(uv_fs_t* req);

/* fs-copy.c */
ssize_t uv__fs_copyfile(uv_fs_t* req);
ssize_t uv__fs_sendfile(uv_fs_t* req);

/* fs-temp.c */
ssize_t uv__fs_mkdtemp(uv_fs_t* req);
ssize_t uv__fs_mkstemp(uv_fs_t* req);

#endif /* UV_WIN_FS_H_ */
