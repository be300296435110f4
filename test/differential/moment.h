/* SPDX-License-Identifier: MIT */
/* Time as programs under test see it. There are two implementations, one of
 * which is linked:
 *
 * virtual-time.c defines clock_gettime() and epoll_pwait() for the libraries.
 * The clock stands still except in moment_pass() and waits: when nothing is
 * ready, it jumps to the end of the wait.
 *
 * real-time.c leaves the system's calls alone, for the run with sanitizers. */
#ifndef DIFFERENTIAL_MOMENT_H_
#define DIFFERENTIAL_MOMENT_H_

/* Starts the clock. on_idle() is called when the loop would sleep for ever; it
 * has to wake it. Context of on_idle: any thread in real time. */
void moment_start(void (*on_idle)(void));

/* No more calls of on_idle(). */
void moment_stop(void);

/* Something happened: the loop is not asleep. */
void moment_progress(void);

/* Lets so many milliseconds pass. */
void moment_pass(unsigned ms);

/* Milliseconds since moment_start(), for a time of the library's clock. */
long long moment_since(unsigned long long now_ms);

/* Returns when every other thread of this process sleeps: what was handed to
 * the pool is done, or blocked. */
void moment_settle(void);

/* Waits also for the kernel to deliver what was sent, before time jumps. */
void moment_patience(int ms);

int moment_is_virtual(void);

#endif
