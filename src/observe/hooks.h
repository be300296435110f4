/* SPDX-License-Identifier: MIT */
/* Are loops observed: by a trace, metrics, the watchdog?
 *
 * One word for all of them and for every loop, so that a loop that is not
 * observed pays for one comparison. The observed paths are out of line and
 * declared cold.
 */
#ifndef UV_OBSERVE_HOOKS_H_
#define UV_OBSERVE_HOOKS_H_

#include "loop/state.h"
#include "observe/record.h"
#include "util/atomic.h"
#include "util/base.h"

/* Set by the build if there is <sys/sdt.h>. */
#ifndef UV__HAVE_SDT
# define UV__HAVE_SDT 0
#endif

/* Bits of uv__observers. The first 16 bits in memory belong to the kernel: it
 * counts attached probes there (probes.h). Never write them. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
# define UV__OBSERVE_FIRST 1u
# define UV__OBSERVE_PROBES 0xffff0000u
#else
# define UV__OBSERVE_FIRST 0x10000u
# define UV__OBSERVE_PROBES 0xffffu
#endif
#define UV__OBSERVE_TRACE (UV__OBSERVE_FIRST << 0)
#define UV__OBSERVE_METRICS (UV__OBSERVE_FIRST << 1)
#define UV__OBSERVE_WATCHDOG (UV__OBSERVE_FIRST << 2)
/* A dump of all loops was requested. */
#define UV__OBSERVE_DUMP (UV__OBSERVE_FIRST << 3)
/* UV_DEBUG=1, see misuse.h. */
#define UV__OBSERVE_DEBUG (UV__OBSERVE_FIRST << 4)

/* Atomic. Changed by uv__observe_start() and uv__observe_stop(), and by the
 * kernel. */
UV__HIDDEN extern unsigned uv__observers;

static inline int uv__is_observed(void) {
  return uv__unlikely(uv__load_hint(&uv__observers) != 0);
}

/* What callers pass for `is_observed`, a parameter of functions that are
 * compiled twice (UV__INLINE): unobserved loops then pay for no test. */
enum { UV__UNOBSERVED = 0, UV__OBSERVED = 1 };

static inline int uv__is_observed_by(unsigned observer) {
  return (uv__load_relaxed(&uv__observers) & observer) != 0;
}

/* From now on, or no longer, one of UV__OBSERVE_*. Context: any. */
void uv__observe_start(unsigned observer);
void uv__observe_stop(unsigned observer);

/* Initialises what all observers need; may be called repeatedly: 0 or UV_E*.
 * Context: any. */
int uv__observe_init(void);

/* Incremented in a forked child, which is not observed at first: tells
 * observers started by the parent that their threads are gone. */
unsigned uv__observe_generation(void);

struct uv__observe_thread;

/* Adds a record to the trace, if there is one; `thread` is the caller's, or
 * NULL. */
void uv__observe_record(const struct uv__record* record,
                        struct uv__observe_thread* thread);

/* Around a phase of an iteration. The first returns when it began, for the
 * second. `timeout_ms` and `ready` are of UV__PHASE_POLL. */
UV__NOINLINE uint64_t uv__observed_phase_begin(uv_loop_t* loop,
                                               enum uv__phase phase);
UV__NOINLINE void uv__observed_phase_end(uv_loop_t* loop,
                                         enum uv__phase phase,
                                         uint64_t begin_ns,
                                         int timeout_ms,
                                         int ready);

/* Before an iteration: serves a requested dump (dump/signal.h). Returns the
 * time. */
UV__NOINLINE uint64_t uv__hook_iteration_begin(uv_loop_t* loop);
/* Where a wait ended without an event: the same, in the middle of one. */
UV__NOINLINE void uv__hook_empty_wait(uv_loop_t* loop);

/* After an iteration that began then and dispatched so many events. */
UV__NOINLINE void uv__hook_iteration_end(uv_loop_t* loop,
                                         uint64_t begin_ns,
                                         uint64_t events);

/* Requests, work.c.
 *
 * A request goes to the pool or to another executor. Work that was submitted
 * before somebody observed has no entry in the table of requests in flight and
 * is not seen. */
UV__NOINLINE void uv__observed_submit(uv_loop_t* loop,
                                      const struct uv__work* w);
/* It was refused. */
UV__NOINLINE void uv__observed_refused(const struct uv__work* w);
/* Runs the work, or done(), of an item. Context: worker; the loop's. */
UV__NOINLINE void uv__observed_work(struct uv__work* w);
UV__NOINLINE void uv__observed_done(struct uv__work* w,
                                    int status,
                                    const struct uv__work_kind* kind);

/* Fills in what a record says of work: class, request, operation, callback. */
void uv__work_describe(struct uv__record* record, const struct uv__work* w);

/* A system call that sent datagrams of so many bytes, or failed; likewise one
 * of uv_try_write(). Other bytes of streams and what is received are counted
 * with their callbacks. */
UV__NOINLINE void uv__hook_udp_sent(uv_loop_t* loop, ssize_t result);
UV__NOINLINE void uv__hook_stream_written(uv_loop_t* loop, ssize_t result);

/* uv_async_send(). Context: any | signal. */
UV__NOINLINE void uv__hook_async_sent(const uv_async_t* handle);

#endif /* UV_OBSERVE_HOOKS_H_ */
