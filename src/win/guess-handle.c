/* SPDX-License-Identifier: MIT */
/* Which type of handle suits a descriptor. Context: any. */
#include "base.h"
#include "win/winsock.h"

/* Sockets and pipes are of one file type. */
static uv_handle_type guess_pipe(HANDLE handle) {
  int type = 0;
  int len = sizeof(type);

  if (GetNamedPipeInfo(handle, NULL, NULL, NULL, NULL))
    return UV_NAMED_PIPE;
  if (uv__winsock_startup() != 0)
    return UV_UNKNOWN_HANDLE;
  if (getsockopt((SOCKET) handle, SOL_SOCKET, SO_TYPE, (char*) &type, &len) !=
      0)
    return UV_NAMED_PIPE; /* one that may not be looked at */
  if (type == SOCK_STREAM)
    return UV_TCP;
  return type == SOCK_DGRAM ? UV_UDP : UV_UNKNOWN_HANDLE;
}

uv_handle_type uv_guess_handle(uv_file file) {
  DWORD mode;

  if (file < 0)
    return UV_UNKNOWN_HANDLE;
  HANDLE handle = uv_get_osfhandle(file);

  switch (GetFileType(handle)) {
  case FILE_TYPE_CHAR:
    return GetConsoleMode(handle, &mode) ? UV_TTY : UV_FILE;
  case FILE_TYPE_PIPE:
    return guess_pipe(handle);
  case FILE_TYPE_DISK:
    return UV_FILE;
  default:
    return UV_UNKNOWN_HANDLE;
  }
}
