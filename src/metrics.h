/* SPDX-License-Identifier: MIT */
#ifndef UV_METRICS_H_
#define UV_METRICS_H_

#include "base.h"

/* Around each wait that may sleep. Reads the clock only when
 * UV_METRICS_IDLE_TIME is configured. */
void uv__metrics_wait_begin(uv_loop_t* loop);
void uv__metrics_wait_end(uv_loop_t* loop);

#endif /* UV_METRICS_H_ */
