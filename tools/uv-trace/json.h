/* SPDX-License-Identifier: MIT */
/* JSON as a page can hold it between <script> and </script>. */
#ifndef UV_TRACE_JSON_H_
#define UV_TRACE_JSON_H_

#include "histogram.h"
#include "names.h"

#include <stdio.h>

/* A string with its quotes; `text` is UTF-8. */
void json_string(FILE* out, const char* text);

/* All names, an array. */
void json_names(FILE* out, const struct names* names);

/* {"count":..,"sum":..,"max":..,"p50":..,"p90":..,"p99":..,"p999":..} */
void json_histogram(FILE* out, const struct histogram* h);

/* [[low, count], ...], four buckets for each power of two. */
void json_buckets(FILE* out, const struct histogram* h);

#endif /* UV_TRACE_JSON_H_ */
