/* SPDX-License-Identifier: MIT */
/* Messages on standard error. */
#include "os/system.h"

#include <stdio.h>

void uv__os_print(const char* text, size_t size) {
  HANDLE err = GetStdHandle(STD_ERROR_HANDLE);
  DWORD written;

  (void) WriteFile(err, text, (DWORD) size, &written, NULL);
}

void uv__os_print_line(const char* line) {
  char text[512];
  int n = snprintf(text, sizeof(text), "libuv: %s\r\n", line);

  if (n > 0)
    uv__os_print(text, uv__min_size((size_t) n, sizeof(text) - 1));
}
