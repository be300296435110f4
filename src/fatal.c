/* SPDX-License-Identifier: MIT */
/* Ends the process if an invariant of the library is broken. Besides this, only
 * a failed assert() does. */
#include "fatal.h"

#include <stdio.h>
#include <stdlib.h>

void uv__fatal(const char* op, int err) {
  fprintf(stderr, "libuv (Blacklight): broken invariant in %s (%d)\n", op, err);
  fflush(stderr);
  abort();
}
