/* SPDX-License-Identifier: MIT */
/* A trace file that was read to its end. */
#ifndef UV_TRACE_TRACE_H_
#define UV_TRACE_TRACE_H_

#include "analysis.h"
#include "options.h"
#include "reader.h"

struct trace {
  const char* path;
  FILE* file;
  struct reader reader;
  struct analysis analysis;
};

/* Opens and reads it; "-" is standard input. Returns 0 (then trace_close()), or
 * -1 after it has said what is wrong. */
int trace_open(struct trace* trace,
               const char* path,
               const struct options* options);
/* The reading alone, of a structure that is set up. */
int trace_read(struct trace* trace);
void trace_close(struct trace* trace);

#endif /* UV_TRACE_TRACE_H_ */
