/* SPDX-License-Identifier: MIT */
/* Finished work on its way to the loop; pool/done.c. */
#ifndef UV_POOL_DONE_H_
#define UV_POOL_DONE_H_

#include "loop/loop.h"
#include "util/atomic.h"

/* Marks a cancelled item: its `work` from uv__pool_cancel() until done(). Never
 * called. */
void uv__work_cancelled(struct uv__work* w);

/* Passes a finished item to its loop, which owns it afterwards. Returns 1 if
 * the loop was spinning for it. Context: any. */
int uv__work_push_done(uv_loop_t* loop, struct uv__work* w);

/* Completes an item that was never queued: done() runs later on the loop
 * thread, with `status` 0 or UV_ECANCELED. */
void uv__work_hand_over(uv_loop_t* loop,
                        struct uv__work* w,
                        int status,
                        const struct uv__work_kind* kind);

/* Is there anything for uv__work_run_done()? */
static inline int uv__work_has_done(const uv_loop_t* loop) {
  return uv__load_relaxed(&uv__loop_state(loop)->shared.work_done) != NULL;
}

/* Runs done() of everything finished so far, oldest first; returns how many. */
int uv__work_run_done(uv_loop_t* loop);

#endif /* UV_POOL_DONE_H_ */
