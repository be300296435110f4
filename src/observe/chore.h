/* SPDX-License-Identifier: MIT */
/* What an observer has to do periodically: write the records of a trace, write
 * the file of metrics.
 *
 * While the process has one thread, that thread does it: after an iteration, or
 * in a wait for events that ends early for it. A thread of the library would
 * cost such a process more than the work itself, because system calls take
 * longer from the second thread on. Once there are other threads, or the work
 * keeps the loop for long, a thread takes over and stays.
 *
 * The loop's wait goes on afterwards, so programs see neither another iteration
 * nor another timeout.
 */
#ifndef UV_OBSERVE_CHORE_H_
#define UV_OBSERVE_CHORE_H_

#include "observe/background.h"
#include "util/atomic.h"

struct uv__chore {
  /* Set before the start, constant until the end. */
  int (*run)(void);   /* the work: returns 1 if there is more to do after the
                       * period even if the loop sleeps */
  uv_thread_cb entry; /* of the thread: calls uv__chore_thread() */
  unsigned period_ms;
  int is_urgent; /* atomic: due before its time */
  /* The chores' lock. */
  int has_thread;
  int slow_runs;     /* that kept a loop for long */
  int is_due_asleep; /* what run() returned */
  uint64_t due_ns;
  uint64_t check_ns;      /* when to check again for other threads */
  struct uv__chore* next; /* of those that are on */
  struct uv__background background;
};

/* Starts it: 0 or UV_E*. The first run is after a period. Context: any. */
int uv__chore_start(struct uv__chore* chore);

/* Runs it a last time, on its thread if it has one, and stops it. Context:
 * any. */
void uv__chore_stop(struct uv__chore* chore);

/* In a forked child, which has no such thread: forgets those of the parent. */
void uv__chores_fork(void);

/* Runs it until it is stopped. Context: its thread. */
void uv__chore_thread(struct uv__chore* chore);

/* Atomic: when the next is due that a loop has to run, in ns of uv_hrtime();
 * UINT64_MAX if none is, or somebody is at it. The second: likewise while the
 * loop sleeps. */
UV__HIDDEN extern uint64_t uv__chores_due_ns;
UV__HIDDEN extern uint64_t uv__chores_asleep_ns;

static inline int uv__chores_are_due(uint64_t now_ns) {
  return now_ns >= uv__load_relaxed(&uv__chores_due_ns);
}

/* Runs those that are due, unless another thread does. Context: any thread that
 * is observed, outside callbacks. */
void uv__chores_run(uint64_t now_ns);

/* Makes this one due at once, if a loop runs it. Context: any thread. */
void uv__chore_hurry(struct uv__chore* chore);

#endif /* UV_OBSERVE_CHORE_H_ */
