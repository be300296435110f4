/* SPDX-License-Identifier: MIT */
/* Wake-ups of a loop that cost a system call only if it sleeps; wakeup.c. */
#ifndef UV_WAKEUP_H_
#define UV_WAKEUP_H_

#include "base.h"

/* Leaves a note for the loop and, if it sleeps or is not running, wakes the
 * poller: its next dispatch follows, sleeping or not. 0 or UV_E*. Context: any
 * | signal. */
int uv__wakeup_send(uv_loop_t* loop);
/* The same; *was_looking is set if the loop was on the look-out for it. */
int uv__wakeup_answer(uv_loop_t* loop, int* was_looking);

/* Around uv_run(), if the mode allows it to sleep. In between, senders rely on
 * the loop to find notes by itself; outside, on the poller (whose fd may be
 * watched by an embedder). */
void uv__wakeup_run_begin(uv_loop_t* loop, uv_run_mode mode);
void uv__wakeup_run_end(uv_loop_t* loop);

/* Before a wait that may block: 1 if it may, 0 if there is a note. May look
 * out for a note for a few microseconds first. */
int uv__wakeup_sleep(uv_loop_t* loop);

/* After a wait: awake again. Returns 1 if there was a note, now taken. */
int uv__wakeup_take(uv_loop_t* loop);

/* Before a wait that does not block: can it find anything that notes do not
 * tell? */
int uv__wakeup_is_all(const uv_loop_t* loop);

/* Child side of fork: no notes. */
void uv__wakeup_fork(uv_loop_t* loop);

#endif /* UV_WAKEUP_H_ */
