/* SPDX-License-Identifier: MIT */
/* The trace: what one program saw, line by line. It is kept in memory shared
 * with the process that started the program, so a crash does not lose it. */
#ifndef DIFFERENTIAL_TRACE_H_
#define DIFFERENTIAL_TRACE_H_

/* Makes the shared memory. Called once, before the first fork. */
void trace_open(void);

/* Forgets everything written so far. */
void trace_clear(void);

/* Adds text to the current line, and ends it. */
void trace_add(const char* format, ...) __attribute__((format(printf, 1, 2)));
void trace_end(void);

/* Callbacks that run inside a call are indented by its depth. */
void trace_indent(int by);

/* Prints the trace, and forgets it. */
void trace_print(void);

/* "0", "7", or the name of an error. */
const char* trace_code(long code);

#endif
