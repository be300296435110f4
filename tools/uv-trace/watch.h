/* SPDX-License-Identifier: MIT */
#ifndef UV_TRACE_WATCH_H_
#define UV_TRACE_WATCH_H_

#include "options.h"

/* uv-trace top: the metrics of a process (words[0]) or of a file, again and
 * again until it ends or a signal comes; once if the options say so. Returns
 * the exit status. */
int watch(const struct options* options);

#endif /* UV_TRACE_WATCH_H_ */
