/* SPDX-License-Identifier: MIT */
/* Waiting until another thread leaves a short section of code: a lock that a
 * fork may find held, a signal handler, the end of a send.
 *
 *   for (unsigned turn = 0; !is_over(); turn++)
 *     uv__wait_turn(turn);
 *
 * The thread that is waited for may have been preempted, and may have a lower
 * priority. Yielding does not let that one run (SCHED_FIFO), nor does a sleep
 * of no time, from which some systems return at once. So after a few turns each
 * is a real sleep, as short as the system has it. Not a point of cancellation:
 * the caller may hold a lock. Context: any. */
#ifndef UV_UTIL_WAIT_H_
#define UV_UTIL_WAIT_H_

#include "os/thread.h"
#include "util/atomic.h"

enum { UV__WAIT_SPINS = 64, UV__WAIT_YIELDS = 8 };

static inline void uv__wait_turn(unsigned turn) {
  if (turn < UV__WAIT_SPINS)
    uv__cpu_relax();
  else if (turn < UV__WAIT_SPINS + UV__WAIT_YIELDS)
    uv__thread_os_yield();
  else
    uv__thread_os_doze();
}

#endif /* UV_UTIL_WAIT_H_ */
