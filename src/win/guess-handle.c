/* SPDX-License-Identifier: MIT */
/* Which type of handle suits a descriptor. Context: any.
 *
 * Sockets and pipes are of one file type, and both are called pipes, as libuv
 * does. Asking further would not be safe: a call about a synchronous pipe waits
 * until whoever is reading from it is through:
 * https://learn.microsoft.com/windows/win32/fileio/
 * synchronous-and-asynchronous-i-o
 */
#include "base.h"

uv_handle_type uv_guess_handle(uv_file file) {
  DWORD mode;

  if (file < 0)
    return UV_UNKNOWN_HANDLE;
  HANDLE handle = uv_get_osfhandle(file);

  switch (GetFileType(handle)) {
  case FILE_TYPE_CHAR:
    return GetConsoleMode(handle, &mode) ? UV_TTY : UV_FILE;
  case FILE_TYPE_PIPE:
    return UV_NAMED_PIPE;
  case FILE_TYPE_DISK:
    return UV_FILE;
  default:
    return UV_UNKNOWN_HANDLE;
  }
}
