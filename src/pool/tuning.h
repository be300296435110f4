/* SPDX-License-Identifier: MIT */
/* Every number of the pool and of waking loops that was chosen by measuring,
 * with the workload that is worse without it. Machine: 2 processors (AMD EPYC,
 * virtual), Linux 6.18, glibc 2.36, gcc 12, November 2026. What each costs when
 * it is off is in docs/internals/costs.md.
 *
 * Thread counts and waiting times of lanes are policy: pool/lanes.c.
 */
#ifndef UV_POOL_TUNING_H_
#define UV_POOL_TUNING_H_

/* How long a loop or a worker spins before it sleeps. Workload: items of 0 and
 * 2 us, one at a time. */
#define UV__SPIN_NS 8000

/* The same for a loop with a single request in flight, and for a worker while
 * all others sleep. Scripting languages take 10 to 25 us between two requests.
 * Workload: Node's readFile() and fs.cp(), one file after another. */
#define UV__SPIN_SINGLE_NS 25000

/* After so many unsuccessful spins in a row most are skipped. Workload: the
 * processor time of a loop that is woken every millisecond. */
#define UV__SPIN_MISSES_MAX 4

/* Spins skipped then: 16, doubled up to this many. Workload: the same. */
#define UV__SPIN_PAUSE_MAX 1024

/* Attempts to take a pool's lock before sleeping on it. It is held for about
 * ten instructions. Workload: items of 0 us, 256 in flight. */
#define UV__POOL_LOCK_TRIES 200

/* How long a loop waits before it takes a wake that was pending when it looked,
 * twice in a row, if it came from another thread of the program. Workload: one
 * sends 2 million messages through a list, a mutex and uv_async_send(). */
#define UV__GATHER_NS 2000

/* After so many items a worker lets another one run the next. Otherwise one
 * thread would run all of a thin stream of work; 256 cost items of 0 us, one at
 * a time, a third of their speed. Workload: libuv's own test
 * thread_name_threadpool, which waits until each thread has run an item. */
#define UV__POOL_TURN 1024

#endif /* UV_POOL_TUNING_H_ */
