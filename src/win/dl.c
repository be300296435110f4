/* SPDX-License-Identifier: MIT */
/* Dynamic-link libraries. The uv_lib_t holds the message of the last error.
 * Context: any.
 */
#include "util/base.h"
#include "util/alloc.h"
#include "win/wide.h"

#include <stdio.h>
#include <string.h>

/* Size limit for a message that contains the library's name. */
#define MESSAGE_MAX 4096

/* Used if a message could not be allocated; never freed. */
static char no_memory[] = "out of memory";

static void message_drop(uv_lib_t* lib) {
  if (lib->errmsg != no_memory)
    uv__free(lib->errmsg);
  lib->errmsg = NULL;
}

/* The system's text for an error, in English if available; the caller frees it
 * with LocalFree(). */
static WCHAR* system_text(DWORD sys_error) {
  static const DWORD languages[] = {
    MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US),
    MAKELANGID(LANG_NEUTRAL, SUBLANG_DEFAULT)
  };
  DWORD flags = FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM |
                FORMAT_MESSAGE_IGNORE_INSERTS;
  WCHAR* text = NULL;

  for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
    if (FormatMessageW(flags, NULL, sys_error, languages[i], (WCHAR*) &text, 0,
                       NULL) != 0)
      return text;
  return NULL;
}

/* The text as it is, with its line end, because callers append to it (Node adds
 * the path). Only texts that have a placeholder contain the name ("%1 is not a
 * valid Win32 application"). */
static char* message_compose(const char* name, const char* why) {
  char* message = uv__malloc(MESSAGE_MAX);
  const char* place = strstr(why, "%1");

  if (message == NULL)
    return NULL;
  if (place != NULL)
    snprintf(message, MESSAGE_MAX, "%.*s%s%s", (int) (place - why), why, name,
             place + 2);
  else
    snprintf(message, MESSAGE_MAX, "%s", why);
  return message;
}

/* Returns -1 and sets the message in `lib`. */
static int dl_fail(uv_lib_t* lib, const char* name, DWORD sys_error) {
  WCHAR* wide = system_text(sys_error);
  char* why = NULL;
  char number[32];

  snprintf(number, sizeof(number), "error %lu", sys_error);
  if (wide != NULL)
    (void) uv__wide_to_utf8(wide, -1, &why); /* on failure the number is used */
  lib->errmsg = message_compose(name, why != NULL ? why : number);
  if (lib->errmsg == NULL)
    lib->errmsg = no_memory;

  uv__free(why);
  LocalFree(wide);
  return -1;
}

int uv_dlopen(const char* filename, uv_lib_t* lib) {
  lib->handle = NULL; /* `lib` may be uninitialised */
  lib->errmsg = NULL;

  WCHAR* path;
  int err = uv__wide_from_utf8(filename, &path);
  if (err != 0)
    return dl_fail(lib, filename,
                   err == UV_ENOMEM ? ERROR_OUTOFMEMORY
                                    : ERROR_NO_UNICODE_TRANSLATION);

  /* Search for dependencies in the library's own directory. */
  lib->handle = LoadLibraryExW(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
  DWORD sys_error = GetLastError();
  uv__free(path);
  return lib->handle != NULL ? 0 : dl_fail(lib, filename, sys_error);
}

void uv_dlclose(uv_lib_t* lib) {
  message_drop(lib);
  if (lib->handle != NULL)
    FreeLibrary(lib->handle);
  lib->handle = NULL;
}

int uv_dlsym(uv_lib_t* lib, const char* name, void** ptr) {
  message_drop(lib);
  FARPROC address = GetProcAddress(lib->handle, name);
  DWORD sys_error = GetLastError();

  memcpy(ptr, &address, sizeof(address)); /* NULL if there is none */
  return address != NULL ? 0 : dl_fail(lib, name, sys_error);
}

const char* uv_dlerror(const uv_lib_t* lib) {
  return lib->errmsg == NULL ? "no error" : lib->errmsg;
}

/* ---- the object that contains the library ---- */

static const char here = 0;

int uv__library_os_pin(void) {
  HMODULE module;
  const DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN;

  if (!GetModuleHandleExW(flags, (LPCWSTR) (const void*) &here, &module))
    return uv_translate_sys_error((int) GetLastError());
  return 0;
}
