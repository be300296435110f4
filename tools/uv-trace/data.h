/* SPDX-License-Identifier: MIT */
#ifndef UV_TRACE_DATA_H_
#define UV_TRACE_DATA_H_

#include "trace.h"

#include <stdio.h>

/* Writes a trace as the JSON object that a page shows: what the report prints,
 * and at most `slices_max` slices. Returns 0, or -1 if the trace cannot be read
 * a second time. */
int data_print(FILE* out, struct trace* trace, uint64_t slices_max);

#endif /* UV_TRACE_DATA_H_ */
