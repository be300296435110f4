/* SPDX-License-Identifier: MIT */
/* UV_DEBUG=1: mistakes that no argument check can find. life.c notes what is
 * open in the ledger, walk.c compares the program's memory with it. Each
 * mistake is explained once, in a line (misuse.h); what follows is what follows
 * without UV_DEBUG.
 */
#ifndef UV_OBSERVE_DEBUG_DEBUG_H_
#define UV_OBSERVE_DEBUG_DEBUG_H_

#include "pool/kind.h"

/* uv_loop_close(), or uv_loop_init() that failed. */
void uv__debug_loop_close(const uv_loop_t* loop);

/* A request goes to the pool, perhaps again; it was refused, or its callback is
 * about to run. Context: submit: any. */
void uv__debug_submit(const uv_loop_t* loop, const struct uv__work* w);
void uv__debug_done(const struct uv__work* w);

/* Between two phases of a loop, when none of its callbacks runs: looks for
 * handles and requests that were freed, overwritten, or lie below `frame` on
 * the calling thread's stack. */
void uv__debug_walk(const uv_loop_t* loop, uintptr_t frame);

/* The same before the close phase, whose callbacks may free the handles that it
 * reports: these are no longer open. */
void uv__debug_walk_closing(const uv_loop_t* loop);

/* Looks for other handles among the active timers. */
void uv__debug_walk_timers(const uv_loop_t* loop);

#endif /* UV_OBSERVE_DEBUG_DEBUG_H_ */
