/* SPDX-License-Identifier: MIT */
/* Conversion between C runtime descriptors and handles. */
#include "win/fd.h"
#include "win/error.h"

#include <crtdbg.h>
#include <io.h>

/* The debug runtime's reports of failed assertions are dropped while a thread
 * is in one of the calls below; those of other threads, and of the program, are
 * not. Without the debug runtime (mingw has none) the hooks are never called:
 * https://learn.microsoft.com/cpp/c-runtime-library/reference/
 * crtsetreporthook2-crtsetreporthookw2 */
static DWORD checks_slot = TLS_OUT_OF_INDEXES;
static int this_thread_checks; /* its address is the slot's value */

/* TRUE: the report was dealt with, and the runtime goes on. */
static int drop_report(int* result) {
  if (checks_slot == TLS_OUT_OF_INDEXES || TlsGetValue(checks_slot) == NULL)
    return FALSE;
  *result = 0;
  return TRUE;
}

static int __cdecl drop_narrow_report(int type, char* text, int* result) {
  (void) type;
  (void) text;
  return drop_report(result);
}

static int __cdecl drop_wide_report(int type, wchar_t* text, int* result) {
  (void) type;
  (void) text;
  return drop_report(result);
}

void uv__fd_init_process(void) {
  checks_slot = TlsAlloc();
  /* Without the debug runtime the macros do not use the functions. */
  (void) drop_narrow_report;
  (void) drop_wide_report;
  (void) _CrtSetReportHook2(_CRT_RPTHOOK_INSTALL, drop_narrow_report);
  (void) _CrtSetReportHookW2(_CRT_RPTHOOK_INSTALL, drop_wide_report);
}

void uv__fd_cleanup(void) {
  (void) _CrtSetReportHook2(_CRT_RPTHOOK_REMOVE, drop_narrow_report);
  (void) _CrtSetReportHookW2(_CRT_RPTHOOK_REMOVE, drop_wide_report);
  if (checks_slot != TLS_OUT_OF_INDEXES)
    TlsFree(checks_slot);
  checks_slot = TLS_OUT_OF_INDEXES;
}

static void reports_off(void) {
  if (checks_slot != TLS_OUT_OF_INDEXES)
    TlsSetValue(checks_slot, &this_thread_checks);
}

static void reports_on(void) {
  if (checks_slot != TLS_OUT_OF_INDEXES)
    TlsSetValue(checks_slot, NULL);
}

HANDLE uv__fd_handle(int fd) {
  reports_off();
  intptr_t handle = _get_osfhandle(fd);

  reports_on();
  /* -2: a standard fd without a stream. */
  return handle == -2 ? INVALID_HANDLE_VALUE : (HANDLE) handle;
}

int uv__fd_open(HANDLE handle, int flags) {
  reports_off();
  int fd = _open_osfhandle((intptr_t) handle, flags);

  reports_on();
  return fd;
}

int uv__fd_close(int fd) {
  reports_off();
  int result = _close(fd);

  reports_on();
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
