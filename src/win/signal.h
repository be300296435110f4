/* SPDX-License-Identifier: MIT */
/* Signals: console control events, and an emulated SIGWINCH. */
#ifndef UV_WIN_SIGNAL_H_
#define UV_WIN_SIGNAL_H_

#include "os/signal.h"
#include "win/overlapped.h"

/* dispatch.c. */
uv__req_fn uv__signal_done; /* UV_SIGNAL_REQ, posted by uv__signal_deliver() */

/* handle-class.c. */
enum uv__close_result uv__signal_close(uv_handle_t* handle);

/* Notifies all started handles for this number; returns whether there were any.
 * Context: any. */
int uv__signal_deliver(int signum);

/* Called by loop.c: creates and frees process-wide state. */
void uv__signal_init_process(void);
void uv__signal_cleanup(void);

#endif /* UV_WIN_SIGNAL_H_ */
