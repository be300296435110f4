/* SPDX-License-Identifier: MIT */
#ifndef UV_TRACE_HTML_H_
#define UV_TRACE_HTML_H_

#include "trace.h"

/* Writes the page of a trace to the file `path`, or to standard output if that
 * is "-". Returns 0, or -1 after it has said what is wrong. */
int html_write(const char* path, struct trace* trace, uint64_t slices_max);

#endif /* UV_TRACE_HTML_H_ */
