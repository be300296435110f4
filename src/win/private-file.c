/* SPDX-License-Identifier: MIT */
/* Files that the library itself writes. */
#include "os/private-file.h"
#include "util/alloc.h"
#include "win/error.h"
#include "win/wide.h"

#include <fcntl.h>
#include <io.h>

int uv__private_file_os_open(const char* path, int is_new) {
  WCHAR* wide;
  int err = uv__wide_from_utf8(path, &wide);
  if (err != 0)
    return err;

  /* Sharing for reading only serves as the lock. A link is opened itself, and
   * refused because it is not a regular file. */
  HANDLE file =
      CreateFileW(wide, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                  NULL, is_new ? CREATE_NEW : OPEN_ALWAYS,
                  FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
  DWORD sys_error = GetLastError();
  uv__free(wide);
  if (file == INVALID_HANDLE_VALUE)
    return uv_translate_sys_error((int) sys_error);

  BY_HANDLE_FILE_INFORMATION info;
  if (GetFileType(file) != FILE_TYPE_DISK ||
      !GetFileInformationByHandle(file, &info) ||
      (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) ||
      info.nNumberOfLinks != 1 || !SetEndOfFile(file)) {
    CloseHandle(file);
    return UV_EPERM;
  }
  int fd = _open_osfhandle((intptr_t) file, _O_BINARY | _O_NOINHERIT);
  if (fd == -1) {
    CloseHandle(file);
    return UV_EMFILE;
  }
  return fd;
}

int uv__private_file_os_write(uv_file fd, const char* data, size_t size) {
  HANDLE file = (HANDLE) _get_osfhandle(fd);

  while (size != 0) {
    DWORD n;
    if (!WriteFile(file, data, (DWORD) size, &n, NULL))
      return uv__last_error();
    data += n;
    size -= n;
  }
  return 0;
}

void uv__private_file_os_close(uv_file fd) {
  _close(fd);
}
