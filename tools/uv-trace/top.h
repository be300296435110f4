/* SPDX-License-Identifier: MIT */
#ifndef UV_TRACE_TOP_H_
#define UV_TRACE_TOP_H_

#include "metrics.h"
#include "symbols.h"

#include <stdio.h>

/* Prints what happened between two versions of the metrics, `seconds` apart;
 * `before` may be empty and `seconds` 0: then what happened since the start.
 * At most `rows` callbacks, lines of `columns` characters. */
void top_print(FILE* out,
               const struct metrics* now,
               const struct metrics* before,
               double seconds,
               struct symbols* symbols,
               size_t rows,
               int columns);

#endif /* UV_TRACE_TOP_H_ */
