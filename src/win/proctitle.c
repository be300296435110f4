/* SPDX-License-Identifier: MIT */
/* The process title is the title of the console window. We keep a copy, because
 * the console may be shared with other processes. Context: any, under
 * `title_lock`.
 */
#include "os/system.h"
#include "util/alloc.h"
#include "win/error.h"
#include "win/wide.h"

#include <string.h>

/* Maximum length for the console, in units with the NUL. */
#define TITLE_UNITS_MAX 8192

static SRWLOCK title_lock = SRWLOCK_INIT;
static char* title; /* last title set; NULL before */

/* Windows has no argument area to write into. */
char** uv_setup_args(int argc, char** argv) {
  (void) argc;
  return argv;
}

int uv__os_set_process_title(const char* name) {
  WCHAR* wide;
  int err = uv__wide_from_utf8(name, &wide);
  if (err != 0)
    return err;

  if (wcslen(wide) >= TITLE_UNITS_MAX)
    wide[TITLE_UNITS_MAX - 1] = L'\0';
  char* copy = NULL;
  err = uv__wide_to_utf8(wide, -1, &copy);
  if (err == 0 && !SetConsoleTitleW(wide))
    err = uv__last_error();
  uv__free(wide);

  AcquireSRWLockExclusive(&title_lock);
  if (err == 0) {
    uv__free(title);
    title = copy;
    copy = NULL;
  }
  ReleaseSRWLockExclusive(&title_lock);
  uv__free(copy);
  return err;
}

/* The title of the window; UV_E* without a console, so that programs use their
 * own default. */
static int console_title(char** out) {
  WCHAR* wide = uv__malloc_array(TITLE_UNITS_MAX, sizeof(*wide));
  if (wide == NULL)
    return UV_ENOMEM;

  SetLastError(ERROR_SUCCESS); /* not changed by an empty title */
  DWORD len = GetConsoleTitleW(wide, TITLE_UNITS_MAX);
  DWORD sys_error = len == 0 ? GetLastError() : ERROR_SUCCESS;
  if (len >= TITLE_UNITS_MAX)
    len = 0;
  int err = uv_translate_sys_error((int) sys_error);
  if (err == 0)
    err = uv__wide_to_utf8(wide, len, out);
  uv__free(wide);
  return err;
}

int uv__os_get_process_title(char* buffer, size_t size) {
  int err = 0;
  AcquireSRWLockExclusive(&title_lock);
  if (title == NULL)
    err = console_title(&title);
  if (err == 0) {
    size_t needed = strlen(title) + 1;
    if (needed > size)
      err = UV_ENOBUFS;
    else
      memcpy(buffer, title, needed);
  }
  ReleaseSRWLockExclusive(&title_lock);
  return err;
}
