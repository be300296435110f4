/* SPDX-License-Identifier: MIT */
/* Messages on standard error. */
#include "os/system.h"
#include "unix/fd.h"

#include <stdio.h>
#include <unistd.h>

/* Writes to standard error before the rest is given up. */
#define PRINT_TRIES_MAX 1000

void uv__os_print_line(const char* line) {
  char text[512];
  int n = snprintf(text, sizeof(text), "libuv: %s\n", line);

  if (n > 0)
    (void) uv__fd_write(STDERR_FILENO, text,
                        uv__min_size((size_t) n, sizeof(text) - 1));
}

/* Standard error may be a pipe that somebody made non-blocking. */
void uv__os_print(const char* text, size_t size) {
  for (int tries = 0; size != 0 && tries < PRINT_TRIES_MAX; tries++) {
    ssize_t n = uv__fd_write(STDERR_FILENO, text, size);
    if (n == UV_EAGAIN)
      uv_sleep(1);
    else if (n < 0)
      return;
    else
      text += n, size -= (size_t) n;
  }
}
