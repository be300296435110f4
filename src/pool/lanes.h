/* SPDX-License-Identifier: MIT */
/* The pools of the process, and which of them runs what. */
#ifndef UV_POOL_LANES_H_
#define UV_POOL_LANES_H_

#include "pool/pool.h"

/* Queues `w` in its lane; the caller keeps it alive until done() ran. Fails
 * (UV_EAGAIN, UV_ENOMEM) only if the process has not a single worker, or with
 * UV_ECANCELED after the shutdown. Does not touch the loop's request count.
 * done() gets 0 or UV_ECANCELED. */
int uv__work_submit(uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind);

/* The same for an item whose work() owns it, frees it and tells the loop
 * itself: there is no done(), and what is observed is the caller's to report.
 */
int uv__work_submit_own(uv_loop_t* loop,
                        struct uv__work* w,
                        const struct uv__work_kind* kind);

/* uv__pool_flush() for all lanes, by a loop that has submitted work and is
 * about to sleep. */
void uv__lanes_flush(void);

/* uv__pool_cancel() for its lane. `w` need not be submitted; `loop` is NULL for
 * one that was submitted with uv__work_submit_own(). */
int uv__work_cancel(uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind);

/* Called by every new worker: the first of the process starts the minimum of
 * all lanes before it takes its item. So a program that enters a sandbox after
 * its first callback finds all threads. */
void uv__lanes_start(void);

/* How many workers of all lanes use a processor? Context: any. */
unsigned uv__lanes_awake(void);

/* uv__pool_look() for lane `i`; returns 0 if there is none. Context: any. */
int uv__lanes_look(unsigned i,
                   struct uv__pool_view* view,
                   void (*each)(const struct uv__work* w, void* arg),
                   void* arg);

/* How many threads UV_THREADPOOL_SIZE asks for. It is read as atoi() reads it:
 * what follows the digits is ignored, and no number is 0. */
unsigned uv__lanes_size(void);

/* For uv_library_shutdown(): ends and joins the workers, except those that are
 * in a lookup. */
void uv__lanes_shutdown(void);

#endif /* UV_POOL_LANES_H_ */
