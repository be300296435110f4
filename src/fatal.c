/* SPDX-License-Identifier: MIT */
/* The only place that ends the process. */
#include "fatal.h"

#include <stdio.h>
#include <stdlib.h>

void uv__fatal(const char* op, int err) {
  fprintf(stderr, "libuv (Blacklight): broken invariant in %s (%d)\n", op, err);
  fflush(stderr);
  abort();
}
