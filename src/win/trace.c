/* SPDX-License-Identifier: MIT */
/* Files, threads and symbols for tracing. */
#include "os/trace.h"
#include "util/alloc.h"
#include "win/error.h"
#include "win/trace.h"
#include "win/wide.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>

#define STACK_SIZE ((size_t) 512 << 10)

static DWORD key_slot = TLS_OUT_OF_INDEXES;
static void (*key_at_exit)(void* data);

int uv__trace_os_open(const char* path, int is_new) {
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

int uv__trace_os_write(uv_file fd, const char* data, size_t size) {
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

void uv__trace_os_close(uv_file fd) {
  _close(fd);
}

int uv__trace_os_start_thread(uv_thread_t* thread, uv_thread_cb entry) {
  uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, STACK_SIZE };

  return uv_thread_create_ex(thread, &options, entry, NULL);
}

int uv__trace_os_has_threads(void) {
  return 1; /* another one does not make system calls slower */
}

uint64_t uv__trace_os_thread_id(void) {
  return GetCurrentThreadId();
}

void uv__trace_os_lower_priority(void) {
  /* It is a courtesy: a failure changes nothing else. */
  (void) SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
}

int uv__trace_os_clock_is(const char* source) {
  (void) source;
  return 0; /* not documented */
}

int uv__trace_os_key_create(uv_key_t* key, void (*at_exit)(void* data)) {
  int err = uv_key_create(key);

  if (err == 0) {
    key_at_exit = at_exit;
    key_slot = key->tls_index;
  }
  return err;
}

int uv__trace_os_key_set(const uv_key_t* key, void* data) {
  return TlsSetValue(key->tls_index, data) ? 0 : uv__last_error();
}

void uv__observe_thread_ends(void) {
  void* data = NULL;

  if (key_slot != TLS_OUT_OF_INDEXES)
    data = TlsGetValue(key_slot);
  if (data != NULL)
    key_at_exit(data);
}

/* Function names are in separate debug files. */
void uv__trace_os_symbol(const void* address, char* name, size_t size) {
  HMODULE module;
  WCHAR path[MAX_PATH];
  char text[MAX_PATH * 3];
  size_t len = sizeof(text);
  const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                      GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;

  if (!GetModuleHandleExW(flags, (LPCWSTR) address, &module) ||
      GetModuleFileNameW(module, path, MAX_PATH) == 0 ||
      uv__wide_put(path, -1, text, &len) != 0) {
    snprintf(name, size, "%p", (void*) (uintptr_t) address);
    return;
  }
  const char* slash = strrchr(text, '\\');
  snprintf(name, size, "%s+0x%llx", slash == NULL ? text : slash + 1,
           (unsigned long long) ((const char*) address - (const char*) module));
}

void uv__trace_os_thread_state(uint64_t tid, char* text, size_t size) {
  (void) tid;
  (void) size;
  text[0] = '\0';
}

void uv__trace_os_print_line(const char* line) {
  char text[512];
  HANDLE err = GetStdHandle(STD_ERROR_HANDLE);
  int n = snprintf(text, sizeof(text), "libuv: %s\r\n", line);
  DWORD written;

  if (n > 0)
    (void) WriteFile(err, text,
                     (DWORD) uv__min_size((size_t) n, sizeof(text) - 1),
                     &written, NULL);
}

void uv__trace_os_add_threads(struct uv__strbuf* text) {
  (void) text;
}

/* Signals are not sent to threads. */
int uv__trace_os_backtrace_start(int signum) {
  (void) signum;
  return UV_ENOSYS;
}

void uv__trace_os_backtrace_stop(int signum) {
  (void) signum;
}

size_t uv__trace_os_backtrace(uint64_t tid,
                              int signum,
                              const void** frames,
                              size_t max) {
  (void) tid;
  (void) signum;
  (void) frames;
  (void) max;
  return 0;
}

void uv__trace_os_place(const void* address, char* name, size_t size) {
  uv__trace_os_symbol(address, name, size);
}

/* Signals do not come from other processes. */
int uv__trace_os_signal(const char* name) {
  (void) name;
  return UV_ENOSYS;
}

int uv__trace_os_signal_start(int signum, uv_sem_t* sem) {
  (void) signum;
  (void) sem;
  return UV_ENOSYS;
}

void uv__trace_os_signal_stop(int signum) {
  (void) signum;
}

void uv__trace_os_print(const char* text, size_t size) {
  HANDLE err = GetStdHandle(STD_ERROR_HANDLE);
  DWORD written;

  (void) WriteFile(err, text, (DWORD) size, &written, NULL);
}
