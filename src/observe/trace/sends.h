/* SPDX-License-Identifier: MIT */
/* Calls of uv_async_send(), which come from any thread and from signal
 * handlers: one ring for all of them, filled without locks, allocation or
 * thread-local state.
 */
#ifndef UV_OBSERVE_TRACE_SENDS_H_
#define UV_OBSERVE_TRACE_SENDS_H_

#include "observe/record.h"

/* Set-up: 0 or UV_ENOMEM. */
int uv__trace_sends_init(void);

/* Records that `handle` was sent, by the calling thread. Context: any |
 * signal. */
void uv__trace_send_add(const uv_async_t* handle);

/* Takes the oldest, as a record and the thread it is from; 0 if there is none.
 * Context: the writer. */
int uv__trace_send_take(struct uv__record* record, uint64_t* tid);

/* How many were lost so far. */
uint64_t uv__trace_sends_dropped(void);

#endif /* UV_OBSERVE_TRACE_SENDS_H_ */
