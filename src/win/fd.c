/* SPDX-License-Identifier: MIT */
/* Conversion between C runtime descriptors and handles. */
#include "win/fd.h"
#include "win/error.h"

#include <crtdbg.h>
#include <io.h>

/* Turn reports of failed assertions off and back on, for the whole process, so
 * only around a single call. Without the debug runtime these do nothing:
 * https://learn.microsoft.com/cpp/c-runtime-library/reference/crtsetreportmode
 * (mingw has no debug runtime.) */
static int reports_off(void) {
  return _CrtSetReportMode(_CRT_ASSERT, 0);
}

static void reports_on(int before) {
  (void) before; /* if the macro does not use it */
  (void) _CrtSetReportMode(_CRT_ASSERT, before);
}

HANDLE uv__fd_handle(int fd) {
  int reports = reports_off();
  intptr_t handle = _get_osfhandle(fd);

  reports_on(reports);
  /* -2: a standard fd without a stream. */
  return handle == -2 ? INVALID_HANDLE_VALUE : (HANDLE) handle;
}

int uv__fd_open(HANDLE handle, int flags) {
  int reports = reports_off();
  int fd = _open_osfhandle((intptr_t) handle, flags);

  reports_on(reports);
  return fd;
}

int uv__fd_close(int fd) {
  int reports = reports_off();
  int result = _close(fd);

  reports_on(reports);
  return result;
}

static int is_standard(uv_file fd) {
  return fd <= 2; /* _fileno(stderr) */
}

int uv__fd_take(uv_file fd, HANDLE* handle, int* owner) {
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

void uv__fd_take_undo(HANDLE handle, int owner) {
  if (owner == UV__NO_FD)
    CloseHandle(handle);
}

void uv__fd_give_back(HANDLE* handle, int* owner) {
  if (*owner != UV__NO_FD)
    (void) uv__fd_close(*owner); /* nothing can be done on failure */
  else
    CloseHandle(*handle);
  *owner = UV__NO_FD;
  *handle = INVALID_HANDLE_VALUE;
}

/* Sockets and pipes have the same file type, and both count as pipes, as in
 * libuv. Querying further is not safe: a call on a synchronous pipe blocks
 * until a pending read completes:
 * https://learn.microsoft.com/windows/win32/fileio/
 * synchronous-and-asynchronous-i-o */
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
