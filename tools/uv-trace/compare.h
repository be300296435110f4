/* SPDX-License-Identifier: MIT */
/* Two traces side by side: uv-trace compare. */
#ifndef UV_TRACE_COMPARE_H_
#define UV_TRACE_COMPARE_H_

#include "trace.h"

/* Prints at most `top` rows of each table, the largest differences first. */
void compare_print(FILE* out,
                   const struct trace* before,
                   const struct trace* after,
                   size_t top);

#endif /* UV_TRACE_COMPARE_H_ */
