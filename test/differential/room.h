/* SPDX-License-Identifier: MIT */
/* Where a program runs: a process and a directory of its own. */
#ifndef DIFFERENTIAL_ROOM_H_
#define DIFFERENTIAL_ROOM_H_

#include <stddef.h>
#include <stdio.h>

/* Zeroed memory that survives the end of the program. Does not fail. */
void* room_memory(size_t size);

/* Where traces are printed to. */
FILE* room_output(void);

/* Runs body(seed), prints the trace and how the process ended. */
void room_run(void (*body)(unsigned long seed), unsigned long seed);

/* The trace has one more line. */
void room_line_ended(void);

#endif
