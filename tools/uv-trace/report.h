/* SPDX-License-Identifier: MIT */
#ifndef UV_TRACE_REPORT_H_
#define UV_TRACE_REPORT_H_

#include "analysis.h"
#include "reader.h"

#include <stdio.h>

/* Prints the analysis of the file called `name`, `top` rows of each table. */
void report_print(FILE* out,
                  const struct analysis* a,
                  const struct reader* reader,
                  const char* name,
                  size_t top);

#endif /* UV_TRACE_REPORT_H_ */
