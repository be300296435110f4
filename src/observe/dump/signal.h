/* SPDX-License-Identifier: MIT */
/* UV_DUMP_SIGNAL: describes all loops when the process gets a signal. */
#ifndef UV_OBSERVE_DUMP_SIGNAL_H_
#define UV_OBSERVE_DUMP_SIGNAL_H_

#include "util/base.h"

/* As uv__trace_init_loop() and uv__trace_shutdown(). */
void uv__dump_init_loop(void);
void uv__dump_shutdown(void);

/* Describes the loop if that was requested. Context: the loop's thread, between
 * callbacks. */
UV__COLD void uv__dump_respond(uv_loop_t* loop);

#endif /* UV_OBSERVE_DUMP_SIGNAL_H_ */
