/* SPDX-License-Identifier: MIT */
/* Files that the library itself writes.
 *
 * Opening without sharing for writing serves as the lock. Access control lists
 * say who may use a file, so the mode is not looked at.
 */
#include "os/private-file.h"
#include "util/alloc.h"
#include "win/error.h"
#include "win/wide.h"

#include <fcntl.h>
#include <io.h>
#include <string.h>

/* Longer than the beginning of any file of the library. */
#define FIRST_MAX 128

#define ACCESS (GENERIC_READ | GENERIC_WRITE)
#define SHARE (FILE_SHARE_READ | FILE_SHARE_DELETE)
/* A link is opened itself, and refused. */
#define FLAGS (FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT)

int uv__private_file_os_absolute(const char* path, char* out, size_t size) {
  WCHAR full[MAX_PATH];
  WCHAR* wide;
  size_t len = size;
  int err = uv__wide_from_utf8(path, &wide);

  if (err != 0)
    return err;
  DWORD n = GetFullPathNameW(wide, MAX_PATH, full, NULL);
  DWORD sys_error = GetLastError();
  uv__free(wide);
  if (n == 0)
    return uv_translate_sys_error((int) sys_error);
  if (n >= MAX_PATH || uv__wide_put(full, -1, out, &len) != 0)
    return UV_ENAMETOOLONG;
  return 0;
}

static HANDLE handle_of(uv_file fd) {
  return (HANDLE) _get_osfhandle(fd);
}

static void set_identity(struct uv__private_file* file,
                         const BY_HANDLE_FILE_INFORMATION* info) {
  file->device = info->dwVolumeSerialNumber;
  file->inode = (uint64_t) info->nFileIndexHigh << 32 | info->nFileIndexLow;
}

static int is_same(const struct uv__private_file* a,
                   const struct uv__private_file* b) {
  return a->device == b->device && a->inode == b->inode;
}

static int begins_with(HANDLE handle, const char* first) {
  char text[FIRST_MAX];
  DWORD size = (DWORD) strlen(first);
  DWORD n;

  assert(size <= sizeof(text));
  if (!ReadFile(handle, text, size, &n, NULL))
    return 0;
  (void) SetFilePointer(handle, 0, NULL, FILE_BEGIN);
  return n == 0 || (n == size && memcmp(text, first, size) == 0);
}

static int content_check(HANDLE handle, const char* first) {
  BY_HANDLE_FILE_INFORMATION info;

  if (GetFileType(handle) != FILE_TYPE_DISK ||
      !GetFileInformationByHandle(handle, &info))
    return UV_EPERM;
  if (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
    return UV_ELOOP;
  if (info.nNumberOfLinks != 1)
    return UV_EPERM;
  return first == NULL || begins_with(handle, first) ? 0 : UV_EEXIST;
}

static int open_failed(const WCHAR* path, DWORD sys_error) {
  DWORD attributes = GetFileAttributesW(path);

  if (sys_error == ERROR_SHARING_VIOLATION)
    return UV_EBUSY;
  if (attributes != INVALID_FILE_ATTRIBUTES &&
      (attributes & FILE_ATTRIBUTE_REPARSE_POINT))
    return UV_ELOOP;
  if (attributes != INVALID_FILE_ATTRIBUTES &&
      (attributes & FILE_ATTRIBUTE_DIRECTORY))
    return UV_EISDIR;
  return uv_translate_sys_error((int) sys_error);
}

static int open_wide(const WCHAR* path,
                     const char* first,
                     HANDLE* handle,
                     int* is_new) {
  *handle = CreateFileW(path, ACCESS, SHARE, NULL,
                        first == NULL ? CREATE_NEW : OPEN_ALWAYS, FLAGS, NULL);
  DWORD sys_error = GetLastError();
  if (*handle == INVALID_HANDLE_VALUE)
    return open_failed(path, sys_error);
  *is_new = first == NULL || sys_error != ERROR_ALREADY_EXISTS;
  int err = content_check(*handle, first);
  if (err != 0)
    CloseHandle(*handle);
  return err;
}

/* Takes the handle. */
static int file_init(struct uv__private_file* file, HANDLE handle) {
  BY_HANDLE_FILE_INFORMATION info;

  if (!GetFileInformationByHandle(handle, &info)) {
    int err = uv__last_error();
    CloseHandle(handle);
    return err;
  }
  int fd = _open_osfhandle((intptr_t) handle, _O_BINARY | _O_NOINHERIT);
  if (fd == -1) {
    CloseHandle(handle);
    return UV_EMFILE;
  }
  file->fd = fd;
  file->size = 0;
  set_identity(file, &info);
  return 0;
}

int uv__private_file_os_open(struct uv__private_file* file,
                             const char* path,
                             const char* first,
                             unsigned mode) {
  WCHAR* wide;
  HANDLE handle;
  int err = uv__wide_from_utf8(path, &wide);

  (void) mode;
  file->fd = -1;
  if (err != 0)
    return err;
  err = open_wide(wide, first, &handle, &file->is_new);
  uv__free(wide);
  return err != 0 ? err : file_init(file, handle);
}

int uv__private_file_os_empty(struct uv__private_file* file) {
  HANDLE handle = handle_of(file->fd);
  LARGE_INTEGER begin = { 0 };

  if (!SetFilePointerEx(handle, begin, NULL, FILE_BEGIN) ||
      !SetEndOfFile(handle))
    return uv__last_error();
  file->size = 0;
  return 0;
}

static int is_ours(const struct uv__private_file* file) {
  BY_HANDLE_FILE_INFORMATION info;
  struct uv__private_file now;

  if (file->fd < 0 || !GetFileInformationByHandle(handle_of(file->fd), &info))
    return 0;
  set_identity(&now, &info);
  return is_same(file, &now);
}

int uv__private_file_os_write(struct uv__private_file* file,
                              const char* data,
                              size_t size) {
  if (!is_ours(file))
    return UV_EBADF;
  while (size != 0) {
    DWORD n;
    if (!WriteFile(handle_of(file->fd), data, (DWORD) size, &n, NULL))
      return uv__last_error();
    data += n;
    size -= n;
    file->size += n;
  }
  return 0;
}

/* What the path leads to: 0 or UV_E*. */
static int path_identity(const char* path, struct uv__private_file* found) {
  BY_HANDLE_FILE_INFORMATION info;
  WCHAR* wide;
  int err = uv__wide_from_utf8(path, &wide);

  if (err != 0)
    return err;
  HANDLE handle =
      CreateFileW(wide, 0, SHARE | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                  FLAGS | FILE_FLAG_BACKUP_SEMANTICS, NULL);
  err = handle == INVALID_HANDLE_VALUE ? uv__last_error() : 0;
  uv__free(wide);
  if (err != 0)
    return err;
  if (!GetFileInformationByHandle(handle, &info))
    err = uv__last_error();
  else
    set_identity(found, &info);
  CloseHandle(handle);
  return err;
}

int uv__private_file_os_replace(struct uv__private_file* file,
                                const char* path,
                                struct uv__private_file* draft,
                                const char* draft_path) {
  struct uv__private_file found;
  uv_fs_t req;
  int err = path_identity(path, &found);

  if (err == 0 && !is_same(file, &found))
    return UV_EEXIST;
  if (err != 0 && err != UV_ENOENT)
    return err;
  /* A file that is open cannot be replaced before Windows 10 1809. */
  uv__private_file_os_close(file);
  err = uv_fs_rename(NULL, &req, draft_path, path, NULL);
  uv_fs_req_cleanup(&req);
  if (err != 0)
    return err;
  *file = *draft;
  draft->fd = -1;
  return 0;
}

void uv__private_file_os_remove(const struct uv__private_file* file,
                                const char* path) {
  struct uv__private_file found;
  uv_fs_t req;

  if (path_identity(path, &found) != 0 || !is_same(file, &found))
    return;
  (void) uv_fs_unlink(NULL, &req, path, NULL); /* what cannot be stays */
  uv_fs_req_cleanup(&req);
}

void uv__private_file_os_close(struct uv__private_file* file) {
  if (is_ours(file))
    _close(file->fd);
  file->fd = -1;
}
