/* SPDX-License-Identifier: MIT */
/* Permissions, owners and times, as far as Windows supports them.
 *
 * Only the owner's write bit of a mode matters: it is the absence of the
 * read-only attribute. Owners are not changed. Times have a resolution of 100
 * ns, as in the file system.
 */
#include "win/fs.h"

#include <math.h>
#include <sys/stat.h>

/* Seconds from 1601, the epoch of file times, to 1970. */
#define SEC_TO_UNIX_EPOCH 11644473600.0
#define TICKS_PER_SEC 10000000

DWORD uv__fs_attributes(HANDLE file) {
  FILE_BASIC_INFO info;

  if (!GetFileInformationByHandleEx(file, FileBasicInfo, &info, sizeof(info)))
    return INVALID_FILE_ATTRIBUTES;
  return info.FileAttributes;
}

DWORD uv__fs_set_attributes(HANDLE file, DWORD attributes) {
  FILE_BASIC_INFO info = { 0 }; /* a time of 0 is left unchanged */

  /* Attributes of 0 are left unchanged too. */
  info.FileAttributes = attributes == 0 ? FILE_ATTRIBUTE_NORMAL : attributes;
  if (SetFileInformationByHandle(file, FileBasicInfo, &info, sizeof(info)))
    return 0;
  return GetLastError();
}

/* The read-only attribute does not prevent writing to a directory. */
ssize_t uv__fs_access(uv_fs_t* req) {
  DWORD attributes = GetFileAttributesW(req->file.pathw);
  if (attributes == INVALID_FILE_ATTRIBUTES)
    return uv__fs_fail_last(req);

  if ((req->flags & W_OK) && (attributes & FILE_ATTRIBUTE_READONLY) &&
      !(attributes & FILE_ATTRIBUTE_DIRECTORY))
    return uv__fs_fail_as(req, ERROR_ACCESS_DENIED, UV_EPERM);
  return 0;
}

static ssize_t set_mode(uv_fs_t* req, HANDLE file) {
  /* A device (NUL, CON) has no attributes: nothing to change, as in libuv. */
  if (GetFileType(file) == FILE_TYPE_CHAR)
    return 0;
  DWORD attributes = uv__fs_attributes(file);
  if (attributes == INVALID_FILE_ATTRIBUTES)
    return uv__fs_fail_last(req);

  DWORD wanted = attributes & ~(DWORD) FILE_ATTRIBUTE_READONLY;
  if (!(req->mode & _S_IWRITE))
    wanted |= FILE_ATTRIBUTE_READONLY;
  if (wanted == attributes)
    return 0;

  DWORD sys_error = uv__fs_set_attributes(file, wanted);
  return sys_error == 0 ? 0 : uv__fs_fail(req, sys_error);
}

ssize_t uv__fs_chmod(uv_fs_t* req) {
  DWORD access = FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES;
  HANDLE file = uv__fs_open_path(req->file.pathw, access, 0);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail_last(req);

  ssize_t result = set_mode(req, file);
  CloseHandle(file);
  return result;
}

/* The fd may have been opened for reading only. */
ssize_t uv__fs_fchmod(uv_fs_t* req) {
  DWORD access = FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES;
  HANDLE own = uv__fs_handle(req->file.fd);
  if (own == INVALID_HANDLE_VALUE)
    return uv__fs_fail(req, ERROR_INVALID_HANDLE);

  HANDLE file = uv__fs_reopen(own, access);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail_last(req);

  ssize_t result = set_mode(req, file);
  CloseHandle(file);
  return result;
}

/* For paths and fds alike. */
ssize_t uv__fs_chown(uv_fs_t* req) {
  (void) req;
  return 0;
}

/* A time to set; `use` is NULL to leave it unchanged. */
struct time_arg {
  FILETIME time;
  const FILETIME* use;
};

static int to_filetime(double when, struct time_arg* arg) {
  arg->use = NULL;
  if (isnan(when)) /* UV_FS_UTIME_OMIT */
    return 0;

  arg->use = &arg->time;
  if (isinf(when) && when > 0) { /* UV_FS_UTIME_NOW */
    GetSystemTimePreciseAsFileTime(&arg->time);
    return 0;
  }

  /* The bound is exact as a double and well within the range of file times. */
  if (!(when > -SEC_TO_UNIX_EPOCH && when < 9.0e11))
    return UV_EINVAL;

  double seconds = floor(when);
  int64_t ticks = (int64_t) ((when - seconds) * TICKS_PER_SEC + 0.5);
  ticks += (int64_t) (seconds + SEC_TO_UNIX_EPOCH) * TICKS_PER_SEC;
  arg->time.dwLowDateTime = (DWORD) ticks;
  arg->time.dwHighDateTime = (DWORD) (ticks >> 32);
  return 0;
}

static ssize_t set_times(uv_fs_t* req, HANDLE file) {
  struct time_arg atime;
  struct time_arg mtime;

  int err = to_filetime(req->atime, &atime);
  if (err == 0)
    err = to_filetime(req->mtime, &mtime);
  if (err != 0)
    return uv__fs_fail_as(req, ERROR_INVALID_PARAMETER, err);

  return SetFileTime(file, NULL, atime.use, mtime.use) ? 0
                                                       : uv__fs_fail_last(req);
}

static ssize_t set_path_times(uv_fs_t* req, DWORD flags) {
  HANDLE file = uv__fs_open_path(req->file.pathw, FILE_WRITE_ATTRIBUTES, flags);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail_last(req);

  ssize_t result = set_times(req, file);
  CloseHandle(file);
  return result;
}

ssize_t uv__fs_utime(uv_fs_t* req) {
  return set_path_times(req, 0);
}

ssize_t uv__fs_lutime(uv_fs_t* req) {
  return set_path_times(req, FILE_FLAG_OPEN_REPARSE_POINT);
}

/* The fd's own rights usually suffice. */
ssize_t uv__fs_futime(uv_fs_t* req) {
  HANDLE own = uv__fs_handle(req->file.fd);
  if (own == INVALID_HANDLE_VALUE)
    return uv__fs_fail(req, ERROR_INVALID_HANDLE);

  ssize_t result = set_times(req, own);
  if (result == 0 || req->sys_errno_ != ERROR_ACCESS_DENIED)
    return result;

  HANDLE file = uv__fs_reopen(own, FILE_WRITE_ATTRIBUTES);
  if (file == INVALID_HANDLE_VALUE)
    return result;
  req->sys_errno_ = 0;
  result = set_times(req, file);
  CloseHandle(file);
  return result;
}
