/* SPDX-License-Identifier: MIT */
/* What the loop, the pool and the handles report, while somebody observes them.
 *
 * One word says who observes: a loop that nobody observes pays for one
 * comparison per phase and per callback. What follows it is out of line. In a
 * build without observers (LIBUV_OBSERVE=OFF) every hook is empty, and off.c
 * has the public functions.
 */
#ifndef UV_OBSERVE_HOOKS_H_
#define UV_OBSERVE_HOOKS_H_

#include "loop/state.h"
#include "observe/record.h"
#include "util/atomic.h"
#include "util/base.h"

/* Set by the build: are there observers? */
#ifndef UV__OBSERVE
# define UV__OBSERVE 1
#endif

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
/* Never set. Compilers test a mask in memory, but load a word to compare it
 * with 0: an instruction more for each hook. */
#define UV__OBSERVE_NEVER (UV__OBSERVE_FIRST << 15)
/* A trace that is kept in memory: its file has what runs as it is written. */
#define UV__OBSERVE_RECORDER (UV__OBSERVE_FIRST << 5)
/* A trace that says what requests are about (about.h). */
#define UV__OBSERVE_DETAILS (UV__OBSERVE_FIRST << 6)
/* Those for whom threads publish what they run (thread.h). */
#define UV__OBSERVE_RUNNING (UV__OBSERVE_WATCHDOG | UV__OBSERVE_RECORDER)

#if UV__OBSERVE

/* Atomic. Changed by uv__observe_start() and uv__observe_stop(), and by the
 * kernel. */
UV__HIDDEN extern unsigned uv__observers;

/* Does anybody observe? Requests are then tracked, also for UV_DEBUG. */
static inline int uv__is_observed(void) {
  unsigned observers = uv__load_hint(&uv__observers);

  return uv__unlikely((observers & ~UV__OBSERVE_NEVER) != 0);
}

/* Does anybody want to know of callbacks? UV_DEBUG does not. */
static inline int uv__is_recorded(void) {
  unsigned observers = uv__load_hint(&uv__observers);

  return uv__unlikely((observers & ~UV__OBSERVE_DEBUG) != 0);
}

static inline int uv__is_observed_by(unsigned observer) {
  return (uv__load_relaxed(&uv__observers) & observer) != 0;
}

/* Sets or clears one of UV__OBSERVE_*. Context: any. */
void uv__observe_start(unsigned observer);
void uv__observe_stop(unsigned observer);

/* Initialises what all observers need; may be called repeatedly: 0 or UV_E*.
 * Context: any. */
int uv__observe_init(void);

/* Incremented in a forked child, which is not observed at first: tells
 * observers started by the parent that their threads are gone. */
unsigned uv__observe_generation(void);

/* Sessions (session.h): a loop is initialised, or was copied by a fork. Reads
 * the environment the first time, and goes on in a forked child. */
void uv__hook_loop_begin(void);

/* The library ends: sessions end before what they observe, threads after it. */
void uv__hook_shutdown(void);
void uv__hook_threads_end(void);

/* uv_loop_close(): what was counted of the loop is kept. */
void uv__hook_loop_close(uv_loop_t* loop);

/* UV_DEBUG=1: submissions are tracked from now on. */
void uv__hook_debug_begin(void);

struct uv__observe_thread;

/* Adds a record to the trace, if there is one; `thread` is the caller's, or
 * NULL. */
void uv__observe_record(const struct uv__record* record,
                        struct uv__observe_thread* thread);

/* The life of handles and loops, for UV_DEBUG: debug/life.c. */
UV__NOINLINE void uv__observed_handle_init(const uv_loop_t* loop,
                                           const uv_handle_t* handle,
                                           uv_handle_type type);
UV__NOINLINE void uv__observed_handle_close(const uv_handle_t* handle);
UV__NOINLINE void uv__observed_handle_discard(const uv_handle_t* handle);
UV__NOINLINE void uv__observed_loop_init(const uv_loop_t* loop);
UV__NOINLINE void uv__observed_loop_fork(const uv_loop_t* loop);
/* uv_run(), uv_stop(). Context: any. */
UV__NOINLINE void uv__observed_run(const uv_loop_t* loop);
UV__NOINLINE void uv__observed_stop(const uv_loop_t* loop);

/* uv__handle_init(), before it writes. Context: any. */
static inline void uv__hook_handle_init(const uv_loop_t* loop,
                                        const uv_handle_t* handle,
                                        uv_handle_type type) {
  if (uv__is_observed())
    uv__observed_handle_init(loop, handle, type);
}

/* uv_close(), before it writes. Context: any. */
static inline void uv__hook_handle_close(const uv_handle_t* handle) {
  if (uv__is_observed())
    uv__observed_handle_close(handle);
}

static inline void uv__hook_handle_discard(const uv_handle_t* handle) {
  if (uv__is_observed())
    uv__observed_handle_discard(handle);
}

static inline void uv__hook_loop_init(const uv_loop_t* loop) {
  if (uv__is_observed())
    uv__observed_loop_init(loop);
}

static inline void uv__hook_loop_fork(const uv_loop_t* loop) {
  if (uv__is_observed())
    uv__observed_loop_fork(loop);
}

static inline void uv__hook_run(const uv_loop_t* loop) {
  if (uv__is_observed())
    uv__observed_run(loop);
}

static inline void uv__hook_stop(const uv_loop_t* loop) {
  if (uv__is_observed())
    uv__observed_stop(loop);
}

/* Phases of an iteration. A phase begins with uv__hook_phase_begin(), and ends
 * with the function after it if that returned a time: 0 is not a time of the
 * clock, so whoever starts or stops observing inside a phase is harmless. */
UV__NOINLINE uint64_t uv__observed_phase_begin(uv_loop_t* loop,
                                               enum uv__phase phase);
UV__NOINLINE void uv__observed_phase_end(uv_loop_t* loop,
                                         enum uv__phase phase,
                                         uint64_t begin_ns);
/* The end of UV__PHASE_POLL: its deadline, and how many events are ready. */
UV__NOINLINE void uv__observed_poll_end(uv_loop_t* loop,
                                        uint64_t begin_ns,
                                        uint64_t deadline_ns,
                                        int ready);

static inline uint64_t uv__hook_phase_begin(uv_loop_t* loop,
                                            enum uv__phase phase) {
  return uv__is_observed() ? uv__observed_phase_begin(loop, phase) : 0;
}

/* An iteration: serves a requested dump (dump/signal.h) before it begins. Its
 * end has the number of events that it dispatched. */
UV__NOINLINE uint64_t uv__observed_iteration_begin(uv_loop_t* loop);
UV__NOINLINE void uv__observed_iteration_end(uv_loop_t* loop,
                                             uint64_t begin_ns,
                                             uint64_t events);

static inline uint64_t uv__hook_iteration_begin(uv_loop_t* loop) {
  return uv__is_observed() ? uv__observed_iteration_begin(loop) : 0;
}

/* A wait ended without an event: serves a requested dump in mid-iteration. */
UV__NOINLINE void uv__observed_empty_wait(uv_loop_t* loop);

static inline void uv__hook_empty_wait(uv_loop_t* loop) {
  if (uv__is_recorded())
    uv__observed_empty_wait(loop);
}

/* Requests, work.c.
 *
 * A request goes to the pool or to another executor. Work that was submitted
 * before somebody observed has no entry in the in-flight table and is not
 * recorded. */
UV__NOINLINE void uv__observed_submit(uv_loop_t* loop,
                                      const struct uv__work* w);
/* It was refused. */
UV__NOINLINE void uv__observed_refused(const struct uv__work* w);
/* Runs the work, or done(), of an item. Context: worker; the loop's. */
UV__NOINLINE void uv__observed_work(struct uv__work* w);
UV__NOINLINE void uv__observed_done(struct uv__work* w,
                                    int status,
                                    const struct uv__work_kind* kind);

/* The item of a request that waits for a lookup: the resolver is at work, was
 * at work since `begun_ns`, or goes on without the request. Others that wait
 * for the same call are counted, but only the first is recorded in the trace,
 * with the host, which may be NULL.
 * Context: any; worker; the loop's. */
UV__NOINLINE void uv__observed_lookup_begin(const struct uv__work* w,
                                            uint64_t now_ns);
UV__NOINLINE void uv__observed_lookup_end(const struct uv__work* w,
                                          uint64_t begun_ns,
                                          int is_first,
                                          const char* host);
UV__NOINLINE void uv__observed_lookup_cancel(const struct uv__work* w);

/* Fills in what a record says of work: class, request, operation, callback. */
void uv__work_describe(struct uv__record* record, const struct uv__work* w);

/* One system call that sent `result` bytes of datagrams, or failed with it. */
UV__NOINLINE void uv__observed_udp_sent(uv_loop_t* loop, ssize_t result);

static inline void uv__hook_udp_sent(uv_loop_t* loop, ssize_t result) {
  if (uv__is_recorded())
    uv__observed_udp_sent(loop, result);
}

/* The same of uv_try_write(). Other bytes of streams, and what is received, are
 * counted with their callbacks. */
UV__NOINLINE void uv__observed_stream_written(uv_loop_t* loop, ssize_t result);

static inline void uv__hook_stream_written(uv_loop_t* loop, ssize_t result) {
  if (uv__is_recorded())
    uv__observed_stream_written(loop, result);
}

/* What the object's callback is going to be about, which nothing else keeps. */
UV__NOINLINE void uv__observed_text(const void* object,
                                    enum uv__about_kind kind,
                                    const char* text);
UV__NOINLINE void uv__observed_addr(const void* object,
                                    const struct sockaddr* addr);

static inline void uv__hook_text(const void* object,
                                 enum uv__about_kind kind,
                                 const char* text) {
  if (uv__is_recorded())
    uv__observed_text(object, kind, text);
}

static inline void uv__hook_addr(const void* object,
                                 const struct sockaddr* addr) {
  if (uv__is_recorded())
    uv__observed_addr(object, addr);
}

/* uv_async_send(). Context: any | signal. */
UV__NOINLINE void uv__observed_async_sent(const uv_async_t* handle);

static inline void uv__hook_async_sent(const uv_async_t* handle) {
  if (uv__is_recorded())
    uv__observed_async_sent(handle);
}

#else

static inline int uv__is_observed(void) {
  return 0;
}

static inline int uv__is_recorded(void) {
  return 0;
}

static inline int uv__is_observed_by(unsigned observer) {
  (void) observer;
  return 0;
}

static inline void uv__hook_loop_begin(void) {
}

static inline void uv__hook_shutdown(void) {
}

static inline void uv__hook_threads_end(void) {
}

static inline void uv__hook_loop_close(uv_loop_t* loop) {
  (void) loop;
}

static inline void uv__hook_debug_begin(void) {
}

static inline void uv__hook_handle_init(const uv_loop_t* loop,
                                        const uv_handle_t* handle,
                                        uv_handle_type type) {
  (void) loop;
  (void) handle;
  (void) type;
}

static inline void uv__hook_handle_close(const uv_handle_t* handle) {
  (void) handle;
}

static inline void uv__hook_handle_discard(const uv_handle_t* handle) {
  (void) handle;
}

static inline void uv__hook_loop_init(const uv_loop_t* loop) {
  (void) loop;
}

static inline void uv__hook_loop_fork(const uv_loop_t* loop) {
  (void) loop;
}

static inline void uv__hook_run(const uv_loop_t* loop) {
  (void) loop;
}

static inline void uv__hook_stop(const uv_loop_t* loop) {
  (void) loop;
}

static inline uint64_t uv__hook_phase_begin(uv_loop_t* loop,
                                            enum uv__phase phase) {
  (void) loop;
  (void) phase;
  return 0;
}

static inline void uv__observed_phase_end(uv_loop_t* loop,
                                          enum uv__phase phase,
                                          uint64_t begin_ns) {
  (void) loop;
  (void) phase;
  (void) begin_ns;
}

static inline void uv__observed_poll_end(uv_loop_t* loop,
                                         uint64_t begin_ns,
                                         uint64_t deadline_ns,
                                         int ready) {
  (void) loop;
  (void) begin_ns;
  (void) deadline_ns;
  (void) ready;
}

static inline uint64_t uv__hook_iteration_begin(uv_loop_t* loop) {
  (void) loop;
  return 0;
}

static inline void uv__observed_iteration_end(uv_loop_t* loop,
                                              uint64_t begin_ns,
                                              uint64_t events) {
  (void) loop;
  (void) begin_ns;
  (void) events;
}

static inline void uv__hook_empty_wait(uv_loop_t* loop) {
  (void) loop;
}

/* Called only while somebody observes, so never. */
static inline void uv__observed_submit(uv_loop_t* loop,
                                       const struct uv__work* w) {
  (void) loop;
  (void) w;
}

static inline void uv__observed_refused(const struct uv__work* w) {
  (void) w;
}

static inline void uv__observed_work(struct uv__work* w) {
  (void) w;
}

static inline void uv__observed_lookup_begin(const struct uv__work* w,
                                             uint64_t now_ns) {
  (void) w;
  (void) now_ns;
}

static inline void uv__observed_lookup_end(const struct uv__work* w,
                                           uint64_t begun_ns,
                                           int is_first,
                                           const char* host) {
  (void) w;
  (void) begun_ns;
  (void) is_first;
  (void) host;
}

static inline void uv__observed_lookup_cancel(const struct uv__work* w) {
  (void) w;
}

static inline void uv__observed_done(struct uv__work* w,
                                     int status,
                                     const struct uv__work_kind* kind) {
  (void) w;
  (void) status;
  (void) kind;
}

static inline void uv__hook_udp_sent(uv_loop_t* loop, ssize_t result) {
  (void) loop;
  (void) result;
}

static inline void uv__hook_stream_written(uv_loop_t* loop, ssize_t result) {
  (void) loop;
  (void) result;
}

static inline void uv__hook_text(const void* object,
                                 enum uv__about_kind kind,
                                 const char* text) {
  (void) object;
  (void) kind;
  (void) text;
}

static inline void uv__hook_addr(const void* object,
                                 const struct sockaddr* addr) {
  (void) object;
  (void) addr;
}

static inline void uv__hook_async_sent(const uv_async_t* handle) {
  (void) handle;
}

#endif
#endif /* UV_OBSERVE_HOOKS_H_ */
