/* SPDX-License-Identifier: MIT */
/* Ends the process if an invariant of the library is broken or a program makes
 * a mistake that it cannot survive (misuse.c). Besides these, only a failed
 * assert() does. */
#include "util/fatal.h"
#include "uv.h"

#include <stdio.h>
#include <stdlib.h>

void uv__fatal(const char* op, int err) {
  char name[32] = "";

  if (err != 0)
    uv_err_name_r(err, name, sizeof(name));
  fprintf(stderr, "libuv (Blacklight): broken invariant in %s%s%s%s\n", op,
          err != 0 ? " (" : "", name, err != 0 ? ")" : "");
  fflush(stderr);
  uv__end_process();
}

void uv__end_process(void) {
  abort();
}
