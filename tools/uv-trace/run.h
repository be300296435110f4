/* SPDX-License-Identifier: MIT */
#ifndef UV_TRACE_RUN_H_
#define UV_TRACE_RUN_H_

#include "options.h"

/* uv-trace run: runs a program (words) with UV_TRACE, then reports and writes
 * pages. Returns the exit status: the program's, or 1 if there is no trace. */
int run_program(const struct options* options);

#endif /* UV_TRACE_RUN_H_ */
