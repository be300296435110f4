/* SPDX-License-Identifier: MIT */
/* Extensions to libuv. Nothing else includes this header and libuv does not
 * have these functions: a program that uses them needs this library.
 *
 * The pull-based loop: uv_run() taken apart into waiting and running, for
 * programs whose main loop is somebody else's (a GUI, a game, another runtime).
 *
 *   for (;;) {
 *     int err = uv_backend_process(loop, uv_backend_timeout(loop));
 *     if (err < 0)
 *       break;
 *     if (!uv_backend_dispatch(loop))
 *       break;
 *   }
 *
 * Threads: the two functions may be called from different threads, so that one
 * thread blocks for I/O and the other runs callbacks, but in turns, never both
 * at once for the same loop. The program hands the loop over between them with
 * something that orders memory: a mutex, a semaphore, its own queue. Until
 * uv_backend_process() has returned the loop is its caller's; of the rest of
 * the interface only uv_async_send() is allowed then, and that also ends the
 * wait. Callbacks run on the thread that dispatches, and count as the loop's
 * thread while they do.
 */
#ifndef UV_EXT_H
#define UV_EXT_H

#include "uv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tells the kernel what the loop is interested in, waits for events for at most
 * timeout milliseconds (-1: for ever, 0: not at all) but not past the next
 * timer or other work of the loop's own, and collects them in the loop. Runs no
 * callback of the program. Returns the number of events collected, 0 or more;
 * UV_E* if waiting failed, with the loop as before. Events collected and not
 * yet dispatched stay collected.
 */
UV_EXTERN int uv_backend_process(uv_loop_t* loop, int timeout);

/* Runs what is ready: the callbacks of collected events, due timers, loop
 * hooks, finished work, closed handles. What becomes ready or is queued
 * meanwhile waits for the next round, so that one call is bounded. Never
 * blocks; not from inside a callback of the same loop. Returns non-zero while
 * the loop is alive, as uv_loop_alive() says; 0 once after uv_stop().
 */
UV_EXTERN int uv_backend_dispatch(uv_loop_t* loop);

#ifdef __cplusplus
}
#endif
#endif /* UV_EXT_H */
