/* SPDX-License-Identifier: MIT */
/* From descriptors of the C runtime to handles, and back. */
#include "win/os-handle.h"
#include "win/error.h"

#include <io.h>

static int is_standard(uv_file fd) {
  return fd <= 2; /* _fileno(stderr) */
}

int uv__os_handle_take(uv_file fd, HANDLE* handle, int* owner) {
  HANDLE self = GetCurrentProcess();
  HANDLE of_fd = uv_get_osfhandle(fd);

  if (of_fd == INVALID_HANDLE_VALUE)
    return UV_EBADF;
  if (!is_standard(fd)) {
    *handle = of_fd;
    *owner = fd;
    return 0;
  }
  if (!DuplicateHandle(self, of_fd, self, handle, 0, FALSE,
                       DUPLICATE_SAME_ACCESS))
    return uv__last_error();
  *owner = UV__NO_FD;
  return 0;
}

void uv__os_handle_refuse(HANDLE handle, int owner) {
  if (owner == UV__NO_FD)
    CloseHandle(handle);
}

void uv__os_handle_give_back(HANDLE* handle, int* owner) {
  if (*owner != UV__NO_FD)
    _close(*owner);
  else
    CloseHandle(*handle);
  *owner = UV__NO_FD;
  *handle = INVALID_HANDLE_VALUE;
}
