/* SPDX-License-Identifier: MIT */
/* UV_DUMP_SIGNAL: describes all loops when the process gets a signal. */
#ifndef UV_OBSERVE_DUMP_SIGNAL_H_
#define UV_OBSERVE_DUMP_SIGNAL_H_

#include "util/base.h"

/* From now on the signal does nothing: the library ends, and its default action
 * would end the process. Context: any. */
void uv__dump_ignore_signal(void);

/* Describes the loop if that was requested. Context: the loop's thread, between
 * callbacks. */
UV__COLD void uv__dump_respond(uv_loop_t* loop);

#endif /* UV_OBSERVE_DUMP_SIGNAL_H_ */
