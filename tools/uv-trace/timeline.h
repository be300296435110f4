/* SPDX-License-Identifier: MIT */
/* The part of a page's data that takes a second look at the trace: slices to
 * draw, the tree of the flame graph, and curves over the whole time. */
#ifndef UV_TRACE_TIMELINE_H_
#define UV_TRACE_TIMELINE_H_

#include "trace.h"

#include <stdio.h>

/* Reads the trace again and writes members of a JSON object, beginning with the
 * first one's name. At most `slices_max` slices, the longest. Returns 0, or -1
 * if the trace cannot be read again. */
int timeline_print(FILE* out, struct trace* trace, uint64_t slices_max);

#endif /* UV_TRACE_TIMELINE_H_ */
