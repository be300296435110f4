/* SPDX-License-Identifier: MIT */
/* Opening and closing files, and the mapping between C runtime fds and handles.
 *
 * Handles are opened so that others may read, write, rename and delete the file
 * at the same time, as on Unix, and so that directories can be opened too.
 */
#include "win/fs.h"
#include "win/fd.h"
#include "win/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#define ACCESS_MODE (UV_FS_O_RDONLY | UV_FS_O_WRONLY | UV_FS_O_RDWR)
#define WRITES_THROUGH (UV_FS_O_DSYNC | UV_FS_O_SYNC)

/* The arguments of CreateFileW(). */
struct how {
  DWORD access;
  DWORD share;
  DWORD disposition;
  DWORD flags; /* flags and attributes */
};

HANDLE uv__fs_open_path(const WCHAR* path, DWORD access, DWORD flags) {
  return CreateFileW(path, access, UV__FS_SHARE_ALL, NULL, OPEN_EXISTING,
                     flags | FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

/* An invalid fd must not terminate the process (see loop.c). */
HANDLE uv__fs_handle(uv_file fd) {
  uv__library_init();
  return uv__fd_handle(fd);
}

HANDLE uv__fs_reopen(HANDLE file, DWORD access) {
  return ReOpenFile(file, access, UV__FS_SHARE_ALL, FILE_FLAG_BACKUP_SEMANTICS);
}

uv_os_fd_t uv_get_osfhandle(int fd) {
  return uv__fs_handle(fd);
}

int uv_open_osfhandle(uv_os_fd_t os_fd) {
  int fd = uv__fd_open(os_fd, 0);

  if (fd >= 0)
    uv__fs_map_remove(fd); /* of a file not closed through us */
  return fd;
}

static DWORD disposition_of(int flags) {
  if ((flags & UV_FS_O_CREAT) && (flags & UV_FS_O_EXCL))
    return CREATE_NEW;
  if (flags & UV_FS_O_CREAT)
    return flags & UV_FS_O_TRUNC ? CREATE_ALWAYS : OPEN_ALWAYS;
  return flags & UV_FS_O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING;
}

/* Uses generic rights where possible: truncation requires them, and unbuffered
 * files refuse FILE_APPEND_DATA. With FILE_APPEND_DATA alone, every write goes
 * to the end. */
static DWORD access_of(int flags) {
  static const DWORD access[] = {
    [UV_FS_O_RDONLY] = GENERIC_READ,
    [UV_FS_O_WRONLY] = GENERIC_WRITE,
    [UV_FS_O_RDWR] = GENERIC_READ | GENERIC_WRITE,
  };
  DWORD wanted = access[flags & ACCESS_MODE];

  /* A writable mapping must be readable too; fs-map.c checks the access mode
   * and implements appending. */
  if (flags & UV_FS_O_FILEMAP)
    wanted |= GENERIC_READ;
  else if (flags & UV_FS_O_APPEND)
    wanted = (wanted & ~(DWORD) GENERIC_WRITE) |
             (FILE_GENERIC_WRITE & ~(DWORD) FILE_WRITE_DATA);

  if (flags & UV_FS_O_TEMPORARY)
    wanted |= DELETE;
  return wanted;
}

struct flag_pair {
  int uv;
  DWORD win;
};

static const struct flag_pair flag_pairs[] = {
  { UV_FS_O_TEMPORARY, FILE_FLAG_DELETE_ON_CLOSE | FILE_ATTRIBUTE_TEMPORARY },
  { UV_FS_O_SHORT_LIVED, FILE_ATTRIBUTE_TEMPORARY },
  { UV_FS_O_SEQUENTIAL, FILE_FLAG_SEQUENTIAL_SCAN },
  { UV_FS_O_RANDOM, FILE_FLAG_RANDOM_ACCESS },
  { UV_FS_O_DIRECT, FILE_FLAG_NO_BUFFERING },
  { WRITES_THROUGH, FILE_FLAG_WRITE_THROUGH },
};

/* The C runtime returns its mask only when setting a new one. Without the lock,
 * two threads could leave the process with the 0 that one of them set. */
static int creation_mask(void) {
  static SRWLOCK lock = SRWLOCK_INIT;

  AcquireSRWLockExclusive(&lock);
  int mask = _umask(0);
  (void) _umask(mask); /* restore */
  ReleaseSRWLockExclusive(&lock);
  return mask;
}

static DWORD flags_of(int flags, int mode) {
  DWORD wanted = FILE_FLAG_BACKUP_SEMANTICS;

  for (size_t i = 0; i < ARRAY_SIZE(flag_pairs); i++)
    if (flags & flag_pairs[i].uv)
      wanted |= flag_pairs[i].win;

  if ((flags & UV_FS_O_CREAT) && !(mode & ~creation_mask() & _S_IWRITE))
    wanted |= FILE_ATTRIBUTE_READONLY;
  return wanted;
}

static int is_valid(int flags) {
  static const int exclusive[] = {
    UV_FS_O_WRONLY | UV_FS_O_RDWR,
    UV_FS_O_APPEND | UV_FS_O_DIRECT,
    UV_FS_O_SEQUENTIAL | UV_FS_O_RANDOM,
    UV_FS_O_DSYNC | UV_FS_O_SYNC,
  };

  for (size_t i = 0; i < ARRAY_SIZE(exclusive); i++)
    if ((flags & exclusive[i]) == exclusive[i])
      return 0;
  return 1;
}

static HANDLE create_file(const WCHAR* path, const struct how* how) {
  return CreateFileW(path, how->access, how->share, NULL, how->disposition,
                     how->flags, NULL);
}

/* Truncating needs rights that append mode must not have: two steps. */
static DWORD truncate_first(const WCHAR* path, struct how* how) {
  struct how first = *how;
  first.access = GENERIC_WRITE;
  first.flags &= ~(DWORD) FILE_FLAG_DELETE_ON_CLOSE;

  HANDLE file = create_file(path, &first);
  if (file == INVALID_HANDLE_VALUE)
    return GetLastError();

  CloseHandle(file);
  how->disposition = OPEN_EXISTING;
  return 0;
}

/* A directory cannot be created by opening; the system reports this in several
 * ways. Truncating one keeps the system's error, as in libuv. */
static int open_fail(uv_fs_t* req, DWORD sys_error) {
  const int create = UV_FS_O_CREAT | UV_FS_O_TRUNC;
  int may_be_dir = sys_error == ERROR_ACCESS_DENIED ||
                   sys_error == ERROR_FILE_EXISTS ||
                   sys_error == ERROR_ALREADY_EXISTS;

  if (may_be_dir && !(req->flags & UV_FS_O_EXCL) &&
      (req->flags & create) == create) {
    DWORD attributes = GetFileAttributesW(req->file.pathw);
    if (attributes != INVALID_FILE_ATTRIBUTES &&
        (attributes & FILE_ATTRIBUTE_DIRECTORY))
      return uv__fs_fail_as(req, sys_error, UV_EISDIR);
  }
  return uv__fs_fail(req, sys_error);
}

/* The fd takes ownership of the handle. */
static ssize_t to_fd(uv_fs_t* req, HANDLE file) {
  int fd = uv__fd_open(file, req->flags & UV_FS_O_APPEND);
  if (fd < 0) { /* too many, or the C runtime does not know its type */
    DWORD sys_error =
        errno == EMFILE ? ERROR_TOO_MANY_OPEN_FILES : GetLastError();
    CloseHandle(file);
    return uv__fs_fail(req, sys_error);
  }

  if (!(req->flags & UV_FS_O_FILEMAP)) {
    uv__fs_map_remove(fd); /* of a file not closed through us */
    return fd;
  }

  int err = uv__fs_map_add(fd, req->flags);
  if (err != 0) {
    (void) uv__fd_close(fd); /* nothing has been written yet */
    return uv__fs_fail_as(req, ERROR_NOT_ENOUGH_MEMORY, err);
  }
  return fd;
}

ssize_t uv__fs_open(uv_fs_t* req) {
  const WCHAR* path = req->file.pathw;

  if (!is_valid(req->flags))
    return uv__fs_fail(req, ERROR_INVALID_PARAMETER);

  struct how how = {
    .access = access_of(req->flags),
    .share = req->flags & UV_FS_O_EXLOCK ? 0 : UV__FS_SHARE_ALL,
    .disposition = disposition_of(req->flags),
    .flags = flags_of(req->flags, req->mode),
  };

  if (how.disposition == TRUNCATE_EXISTING && (req->flags & UV_FS_O_APPEND)) {
    DWORD sys_error = truncate_first(path, &how);
    if (sys_error != 0)
      return open_fail(req, sys_error);
  }

  HANDLE file = create_file(path, &how);
  if (file == INVALID_HANDLE_VALUE)
    return open_fail(req, GetLastError());
  return to_fd(req, file);
}

/* The standard streams stay open: later output must not end up in a file that
 * was given the same fd. */
ssize_t uv__fs_close(uv_fs_t* req) {
  uv_file fd = req->file.fd;

  if (fd >= 0 && fd <= 2)
    return 0;
  if (uv__fs_handle(fd) == INVALID_HANDLE_VALUE)
    return uv__fs_fail(req, ERROR_INVALID_HANDLE);

  uv__fs_map_remove(fd);
  if (uv__fd_close(fd) == 0)
    return 0;
  return errno == EBADF ? uv__fs_fail(req, ERROR_INVALID_HANDLE)
                        : uv__fs_fail_last(req);
}
