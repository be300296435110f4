/* SPDX-License-Identifier: MIT */
/* Signals: console control events and SIGWINCH made to look like them. */
#ifndef UV_WIN_SIGNAL_H_
#define UV_WIN_SIGNAL_H_

#include "os/signal.h"
#include "win/overlapped.h"

/* dispatch.c. */
uv__req_fn uv__signal_done; /* UV_SIGNAL_REQ, posted by uv__signal_deliver() */

/* handle-class.c. */
enum uv__close_answer uv__signal_close(uv_handle_t* handle);

/* Tells all started handles of this number; returns whether there was one.
 * Context: any. */
int uv__signal_deliver(int signum);

/* loop.c: process-wide state is made, and given back. */
void uv__signal_init_process(void);
void uv__signal_cleanup(void);

#endif /* UV_WIN_SIGNAL_H_ */
