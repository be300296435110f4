/* SPDX-License-Identifier: MIT */
/* There is no fork(): wine.py starts a process for each program, in a directory
 * of its own, and says how it ended. What was traced is written at once, so
 * that a crash loses nothing. */
#include "room.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>

void* room_memory(size_t size) {
  void* memory = calloc(1, size);

  if (memory == NULL)
    exit(1);
  return memory;
}

/* Standard output is the console in area tty. */
FILE* room_output(void) {
  return stderr;
}

void room_line_ended(void) {
  trace_print();
}

void room_run(void (*body)(unsigned long seed), unsigned long seed) {
  body(seed);
  trace_print();
}
