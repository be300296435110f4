/* SPDX-License-Identifier: MIT */
/* Renaming, hard and symbolic links, junctions, and resolving them. */
#include "win/fs.h"
#include "util/alloc.h"
#include "win/reparse.h"
#include "win/wide.h"

#include <string.h>
#include <winioctl.h>

/* Since Windows 10 1703, unprivileged programs may create links in developer
 * mode; older versions reject the flag. */
#define LINK_UNPRIVILEGED 0x2

ssize_t uv__fs_rename(uv_fs_t* req) {
  DWORD flags = MOVEFILE_REPLACE_EXISTING;
  return MoveFileExW(req->file.pathw, req->new_pathw, flags)
             ? 0
             : uv__fs_fail_last(req);
}

ssize_t uv__fs_hard_link(uv_fs_t* req) {
  return CreateHardLinkW(req->new_pathw, req->file.pathw, NULL)
             ? 0
             : uv__fs_fail_last(req);
}

static ssize_t make_symlink(uv_fs_t* req) {
  DWORD flags =
      req->flags & UV_FS_SYMLINK_DIR ? SYMBOLIC_LINK_FLAG_DIRECTORY : 0;

  if (CreateSymbolicLinkW(req->new_pathw, req->file.pathw,
                          flags | LINK_UNPRIVILEGED))
    return 0;
  if (GetLastError() == ERROR_INVALID_PARAMETER &&
      CreateSymbolicLinkW(req->new_pathw, req->file.pathw, flags))
    return 0;
  return uv__fs_fail_last(req);
}

/* The data of a junction. */
union junction {
  uint32_t alignment;
  char bytes[UV__REPARSE_SIZE_MAX];
};

static DWORD write_junction(const WCHAR* at,
                            union junction* junction,
                            DWORD size) {
  HANDLE dir =
      uv__fs_open_path(at, GENERIC_WRITE, FILE_FLAG_OPEN_REPARSE_POINT);
  if (dir == INVALID_HANDLE_VALUE)
    return GetLastError();

  DWORD sys_error = 0;
  DWORD unused;
  if (!DeviceIoControl(dir, FSCTL_SET_REPARSE_POINT, junction, size, NULL, 0,
                       &unused, NULL))
    sys_error = GetLastError();
  CloseHandle(dir);
  return sys_error;
}

/* A directory that redirects to another on this machine. */
static ssize_t make_junction(uv_fs_t* req) {
  const WCHAR* path = req->file.pathw;
  union junction junction;

  if (wcsncmp(path, UV__FS_VERBATIM, UV__FS_VERBATIM_LEN) == 0)
    path += UV__FS_VERBATIM_LEN;
  size_t len = wcslen(path);
  if (!uv__fs_has_drive_root(path, len))
    return uv__fs_fail_as(req, ERROR_NOT_SUPPORTED, UV_EINVAL);

  DWORD size =
      (DWORD) uv__reparse_junction(&junction, (const uint16_t*) path, len);
  if (size == 0)
    return uv__fs_fail(req, ERROR_FILENAME_EXCED_RANGE);
  if (!CreateDirectoryW(req->new_pathw, NULL))
    return uv__fs_fail_last(req);

  DWORD sys_error = write_junction(req->new_pathw, &junction, size);
  if (sys_error == 0)
    return 0;
  RemoveDirectoryW(req->new_pathw);
  return uv__fs_fail(req, sys_error);
}

ssize_t uv__fs_symlink(uv_fs_t* req) {
  return req->flags & UV_FS_SYMLINK_JUNCTION ? make_junction(req)
                                             : make_symlink(req);
}

ssize_t uv__fs_readlink(uv_fs_t* req) {
  HANDLE file = uv__fs_open_path(req->file.pathw, FILE_READ_ATTRIBUTES,
                                 FILE_FLAG_OPEN_REPARSE_POINT);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail_last(req);

  struct uv__fs_link link = { 0 };
  DWORD sys_error = uv__fs_read_link(file, &link);
  CloseHandle(file);

  if (sys_error == ERROR_NOT_A_REPARSE_POINT ||
      sys_error == ERROR_SYMLINK_NOT_SUPPORTED)
    return uv__fs_fail_as(req, sys_error, UV_EINVAL);
  if (sys_error != 0)
    return uv__fs_fail(req, sys_error);

  req->ptr = link.target;
  return 0;
}

/* Stores the final path without "\\?\"; that of a share starts with two
 * backslashes. */
static ssize_t keep_final_name(uv_fs_t* req, WCHAR* name) {
  static const WCHAR unc[] = UV__FS_VERBATIM L"UNC\\";
  size_t unc_len = ARRAY_SIZE(unc) - 1;

  if (wcsncmp(name, unc, unc_len) == 0) {
    name += unc_len - 2;
    name[0] = L'\\'; /* was the C */
  } else if (wcsncmp(name, UV__FS_VERBATIM, UV__FS_VERBATIM_LEN) == 0) {
    name += UV__FS_VERBATIM_LEN;
  }

  char* text;
  int err = uv__wide_to_utf8(name, -1, &text);
  if (err != 0)
    return uv__fs_fail_as(req, ERROR_NOT_ENOUGH_MEMORY, err);
  req->ptr = text;
  return 0;
}

static ssize_t find_final_name(uv_fs_t* req, HANDLE file) {
  DWORD size = GetFinalPathNameByHandleW(file, NULL, 0, VOLUME_NAME_DOS);
  if (size == 0)
    return uv__fs_fail_last(req);

  WCHAR* name = uv__malloc_array((size_t) size + 1, sizeof(*name));
  if (name == NULL)
    return uv__fs_fail(req, ERROR_NOT_ENOUGH_MEMORY);

  ssize_t result;
  DWORD len = GetFinalPathNameByHandleW(file, name, size, VOLUME_NAME_DOS);
  if (len == 0)
    result = uv__fs_fail_last(req);
  else if (len >= size) /* renamed in between, to a longer path */
    result = uv__fs_fail(req, ERROR_FILENAME_EXCED_RANGE);
  else
    result = keep_final_name(req, name);
  uv__free(name);
  return result;
}

ssize_t uv__fs_realpath(uv_fs_t* req) {
  HANDLE file = uv__fs_open_path(req->file.pathw, 0, 0);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail_last(req);

  ssize_t result = find_final_name(req, file);
  CloseHandle(file);
  return result;
}
