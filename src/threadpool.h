/* SPDX-License-Identifier: MIT */
/* The process-wide pool of worker threads.
 *
 *   uv__work_submit -> a worker runs work() -> loop->done list, one wake per
 *   batch -> uv__work_run_done() on the loop thread -> done()
 *
 * Lock order: the pool's lock is the innermost; nothing is called under it.
 */
#ifndef UV_THREADPOOL_IMPL_H_
#define UV_THREADPOOL_IMPL_H_

#include "base.h"
#include "trace-record.h"

/* Name resolution is slow: at most half of the workers do it. */
static inline int uv__work_is_slow(enum uv__work_class work_class) {
  return work_class >= UV__CLASS_GETADDRINFO;
}

/* Queues `w`, which the caller keeps alive until done() ran. Starts workers on
 * first use; fails (UV_EAGAIN, UV_ENOMEM) only if there is not a single one.
 * Does not touch the loop's request count. done() gets 0 or UV_ECANCELED. */
int uv__work_submit(uv_loop_t* loop,
                    struct uv__work* w,
                    enum uv__work_class work_class,
                    void (*work)(struct uv__work* w),
                    void (*done)(struct uv__work* w, int status));

/* 0: work() will not run, done() comes later with UV_ECANCELED, once however
 * often this is asked for; UV_EBUSY: too late. */
int uv__work_cancel(uv_loop_t* loop, struct uv__work* w);

/* For an item that was not queued: done() comes later all the same, with
 * `status` 0 or UV_ECANCELED. */
void uv__work_hand_over(uv_loop_t* loop,
                        struct uv__work* w,
                        int status,
                        void (*done)(struct uv__work* w, int status));

/* Runs done() of everything finished so far, oldest first; returns how many. */
int uv__work_run_done(uv_loop_t* loop);

/* uv_library_shutdown(): ends and joins the workers. */
void uv__threadpool_shutdown(void);

/* Have the workers so much to do that who spins takes a processor from one of
 * them? Context: any. */
int uv__threadpool_is_heavy(unsigned processors);

#endif /* UV_THREADPOOL_IMPL_H_ */
