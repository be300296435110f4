/* SPDX-License-Identifier: MIT */
/* Removing files and directories.
 *
 * With POSIX semantics (Windows 10, NTFS) a name is gone at once even if
 * the file is open, and read-only files are removed too. Otherwise the file is
 * marked and is removed when its last handle is closed.
 */
#include "win/fs.h"

#define STATUS_CANNOT_DELETE_ ((LONG) 0xC0000121u)

/* Not supported by the file system or the version of Windows. */
static int is_unsupported(LONG status) {
  static const LONG unknown[] = {
    UV__STATUS_NOT_IMPLEMENTED,   UV__STATUS_INVALID_INFO_CLASS,
    UV__STATUS_INVALID_PARAMETER, UV__STATUS_NOT_SUPPORTED,
    (LONG) 0xC0000010u, /* STATUS_INVALID_DEVICE_REQUEST */
  };

  for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
    if (status == unknown[i])
      return 1;
  return 0;
}

static LONG remove_now(HANDLE file) {
  struct uv__io_status io;
  struct uv__file_disposition_info_ex info = {
    UV__FILE_DISPOSITION_DELETE | UV__FILE_DISPOSITION_POSIX_SEMANTICS |
        UV__FILE_DISPOSITION_IGNORE_READONLY,
  };

  return uv__winapi()->NtSetInformationFile(
      file, &io, &info, sizeof(info), UV__FILE_DISPOSITION_INFORMATION_EX);
}

static LONG remove_on_close(HANDLE file, DWORD attributes) {
  DWORD writable = attributes & ~(DWORD) FILE_ATTRIBUTE_READONLY;
  struct uv__io_status io;
  struct uv__file_disposition_info info = { TRUE };

  /* If it cannot be changed, removing the file reports why. */
  if (attributes != writable)
    (void) uv__fs_set_attributes(file, writable);

  LONG status = uv__winapi()->NtSetInformationFile(
      file, &io, &info, sizeof(info), UV__FILE_DISPOSITION_INFORMATION);
  if (status < 0 && attributes != writable)
    (void) uv__fs_set_attributes(file, attributes); /* restore */
  return status;
}

/* Only since Windows 10 1809 can a removal ignore that a file is read-only:
 * https://learn.microsoft.com/windows-hardware/drivers/ddi/ntddk/
 * ns-ntddk-_file_disposition_information_ex */
static int is_refused_as_readonly(LONG status, DWORD attributes) {
  return status == STATUS_CANNOT_DELETE_ &&
         (attributes & FILE_ATTRIBUTE_READONLY);
}

static ssize_t remove_file(uv_fs_t* req, HANDLE file, DWORD attributes) {
  LONG status = remove_now(file);

  if (is_unsupported(status) || is_refused_as_readonly(status, attributes))
    status = remove_on_close(file, attributes);
  return status >= 0 ? 0 : uv__fs_fail_status(req, status);
}

/* Opens the file itself, not a link's target. FILE_WRITE_ATTRIBUTES is needed
 * for read-only files only, so retry without if it is refused. */
static HANDLE open_to_remove(const WCHAR* path) {
  DWORD access = DELETE | FILE_READ_ATTRIBUTES;
  HANDLE file = uv__fs_open_path(path, access | FILE_WRITE_ATTRIBUTES,
                                 FILE_FLAG_OPEN_REPARSE_POINT);

  if (file == INVALID_HANDLE_VALUE && GetLastError() == ERROR_ACCESS_DENIED)
    file = uv__fs_open_path(path, access, FILE_FLAG_OPEN_REPARSE_POINT);
  return file;
}

/* A link to a directory is a directory with a reparse point. */
static int is_dir_link(HANDLE file, DWORD attributes) {
  FILE_ATTRIBUTE_TAG_INFO info;

  if (!(attributes & FILE_ATTRIBUTE_REPARSE_POINT))
    return 0;
  if (!GetFileInformationByHandleEx(file, FileAttributeTagInfo, &info,
                                    sizeof(info)))
    return 0;
  return info.ReparseTag == IO_REPARSE_TAG_SYMLINK ||
         info.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT;
}

/* unlink removes files and links; rmdir removes directories and links to
 * them. */
static ssize_t check_kind(uv_fs_t* req, HANDLE file, DWORD attributes) {
  int is_dir = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;

  if (req->fs_type == UV_FS_RMDIR)
    return is_dir ? 0 : uv__fs_fail(req, ERROR_DIRECTORY); /* UV_ENOENT */
  if (!is_dir || is_dir_link(file, attributes))
    return 0;
  return uv__fs_fail(req, ERROR_ACCESS_DENIED);
}

static ssize_t remove_path(uv_fs_t* req) {
  HANDLE file = open_to_remove(req->file.pathw);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail_last(req);

  ssize_t result;
  DWORD attributes = uv__fs_attributes(file);
  if (attributes == INVALID_FILE_ATTRIBUTES)
    result = uv__fs_fail_last(req);
  else
    result = check_kind(req, file, attributes);
  if (result == 0)
    result = remove_file(req, file, attributes);

  CloseHandle(file);
  return result;
}

ssize_t uv__fs_unlink(uv_fs_t* req) {
  return remove_path(req);
}

ssize_t uv__fs_rmdir(uv_fs_t* req) {
  return remove_path(req);
}
