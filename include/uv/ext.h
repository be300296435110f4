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

/* Seeing the loop: uvx_*. Nothing below fails a program that calls nothing of
 * it, and each part costs one comparison per callback while it is off. What the
 * environment asks for (UV_TRACE=FILE) is read when the first loop is made, and
 * ignored in programs with raised rights (setuid and the like).
 */

/* What uvx_trace_start() is asked for. */
typedef struct uvx_trace_options_s {
  /* sizeof(uvx_trace_options_t): lets the structure grow. */
  size_t size;
  /* The file to write; each %p in it becomes the process's number. It is made
   * for the user alone (mode 0600) and symbolic links are not followed. Without
   * %p a regular file of the user's own is overwritten; with it a number is
   * added to a name that exists. */
  const char* path;
} uvx_trace_options_t;

/* Records what all loops of the process do from now on, in the Trace Event
 * format that Perfetto and chrome://tracing open: iterations and their phases,
 * each callback with its symbol, work on the threads of the pool, arrows from
 * submitting a request over its worker to its callback and from uv_async_send()
 * to the callback, counters. A thread writes the file, several times a second;
 * memory is bounded, and what does not fit is counted there as dropped.
 *
 * Returns 0; UV_EBUSY if a trace is under way; UV_EINVAL; an error of making
 * the file or the thread. A forked child does not record; with %p in the name
 * it goes on in a file of its own as soon as it makes a loop or calls
 * uv_loop_fork(). Context: any thread.
 */
UV_EXTERN int uvx_trace_start(const uvx_trace_options_t* options);

/* Ends the trace and its file. Callbacks that run meanwhile on other threads
 * are not in it. Returns 0, or UV_ESRCH if there is none. Happens by itself
 * when the process exits. Context: any thread.
 */
UV_EXTERN int uvx_trace_stop(void);

#ifdef __cplusplus
}
#endif
#endif /* UV_EXT_H */
