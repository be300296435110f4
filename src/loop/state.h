/* SPDX-License-Identifier: MIT */
/* What a loop holds beyond the public structure: loop->internal_fields. The
 * platform's loop.h has a structure that begins with this one.
 *
 * Each part has one owning module; the others go through its functions.
 */
#ifndef UV_LOOP_STATE_H_
#define UV_LOOP_STATE_H_

#include "os/poller.h"
#include "util/atomic.h"
#include "util/base.h"
#include "util/spin.h"
#include "uv/ext.h"

/* Capacity of a batch, the events fetched by one wait: the first until a batch
 * was full, then the second. */
#define UV__BATCH_FIRST 8
#define UV__BATCH_MAX 1024

/* In the order of an iteration. */
enum uv__phase {
  UV__PHASE_TIMERS,
  UV__PHASE_PENDING,
  UV__PHASE_IDLE,
  UV__PHASE_PREPARE,
  UV__PHASE_POLL,
  UV__PHASE_EVENTS,
  UV__PHASE_CHECK,
  UV__PHASE_CLOSING,
  UV__PHASE_MAX
};

/* loop/poll.c. Holds the events between a wait and their dispatch. Room for one
 * extra event, the pending wake (wake.c). */
struct uv__batch {
  struct uv__event* events; /* `first`, or allocated */
  int capacity;             /* UV__BATCH_FIRST, or UV__BATCH_MAX */
  int count;
  int next;        /* first event that is not dispatched yet */
  int was_full;    /* there may be more events: grow */
  int was_waiting; /* the events were there before the wait */
  int signals_due; /* signals are dispatched after it */
  struct uv__event first[UV__BATCH_FIRST + 1];
};

/* wake.c. */
struct uv__wake {
  unsigned awake;  /* value of shared.word while awake: AWAKE, or 0 if senders
                   * must always wake the poller */
  int may_skip;    /* waits that cannot find anything may be skipped */
  int was_pending; /* the last sleep, or spin, ended with a pending wake */
  int nfound;      /* 1: another thread's wake was pending at the last look */
  unsigned submitted; /* the lanes that got work and were not flushed since */
  struct uv__spin spin;
};

/* timer-heap.c. One element of the heap: the key is kept beside the pointer so
 * that sifting touches no timer. */
struct uv__timer_slot {
  uint64_t due_ns; /* never later than the timer's own */
  uint64_t start_id;
  uv_timer_t* timer;
};

struct uv__timers {
  struct uv__timer_slot* heap;
  size_t count;
  size_t capacity;
  size_t trim_below; /* with fewer timers, the heap moves to less memory */
  size_t nready;     /* due, disarmed, waiting for their callbacks */
  uint64_t bound_ns; /* atomic: no timer is due before it */
};

/* async.c. */
struct uv__asyncs {
  struct uv__queue list;       /* all handles, in the order of their calls */
  struct uv__queue ready;      /* taken off the stack, for the next pass */
  struct uv__async_pass* pass; /* the innermost one in progress, or NULL */
  size_t count;                /* of `list` */
};

/* post.c. The loop's end of the queue; the producers' is shared.posted. */
struct uv__posts {
  uvx_post_t* first; /* taken and not called yet, up to `last` */
  uvx_post_t* last;
  unsigned gaps_seen; /* looks in a row that found an incomplete chain */
  uvx_post_t* next; /* atomic: of the stub, see uv__post_stub(): the first post
                       * that was not taken */
};

/* interest.c. */
struct uv__interest {
  uvx_interest_cb cb; /* NULL: nobody wants to know */
  void* arg;
};

/* counters.c. Atomic where uv_metrics_idle_time() reads from other threads. */
struct uv__counters {
  uint64_t loop_count; /* the first three are those of uv_metrics_t */
  uint64_t events;
  uint64_t events_waiting;
  unsigned sequence;      /* odd while the two below change together */
  uint64_t idle_ns;       /* finished waits */
  uint64_t waiting_since; /* start of the wait in progress, or 0 */
};

enum {
  UV__LOOP_IDLE_TIME = 1u << 0,     /* UV_METRICS_IDLE_TIME configured */
  UV__LOOP_BLOCK_SIGPROF = 1u << 1, /* UV_LOOP_BLOCK_SIGNAL configured */
  UV__LOOP_WANT_SQPOLL = 1u << 2,   /* UV_LOOP_USE_IO_URING_SQPOLL */
  UV__LOOP_WALKING = 1u << 3,       /* inside uv_walk() */
  UV__LOOP_RUNNING = 1u << 4,       /* inside uv_run() or a dispatch */
  UV__LOOP_OFFERS_FS = 1u << 5,     /* file requests to the platform first */
  UV__LOOP_HOOKED = 1u << 6         /* interest.c: the next change is told */
};

/* What other threads and signal handlers write to; all of it is atomic. */
struct uv__loop_shared {
  unsigned word;               /* wake.c: PENDING, AWAKE, SPINNING, FOREIGN */
  unsigned busy;               /* threads that use the loop right now */
  uv_async_t* sent;            /* unix/async.c: a stack, linked by
                                * u.reserved[0] */
  struct uv__queue* work_done; /* pool/done.c: finished work, newest first,
                                * linked by uv__work.wq.next */
  uvx_post_t* posted;          /* post.c: the last one queued, or the stub */
  int posts_closed;            /* post.c: uvx_post() refuses */
  uintptr_t runner;            /* run.c: the thread that ran the loop last */
  int signals_due; /* there are some for uv__loop_os_dispatch_signals() */
};

struct uv__loop_state {
  unsigned flags;
  /* Set by the platform with every callback it queues, cleared when it runs
   * them: while it is 0, uv__loop_os_has_pending() need not be asked. */
  int may_have_pending;
#ifdef UV__DEBUG
  unsigned runs;     /* loop/check.c: atomic, calls of uv_run() under way */
  uv_thread_t owner; /* the thread that makes them */
#endif
  unsigned files_pending; /* fs.c: file requests in flight; atomic, because of
                           * uv_backend_timeout() */
  /* Loop time in ns; loop->time is the same moment in ms, rounded down. */
  uint64_t now_ns;
  struct uv__metrics*
      metrics; /* atomic: metrics.c; NULL until metrics are on */
  /* hooks.c, while the loop is observed: its thread's records and clock, NULL
   * between iterations. */
  struct uv__observe_thread* observer;
  struct uv__managed* managed;     /* loops.c: NULL if it is not */
  struct uv__deadlines* deadlines; /* request-deadline.c: NULL before the first
                                    * one */
  /* loop/list.c: the loop of this state, and the next one of all states. */
  uv_loop_t* loop;
  struct uv__loop_state* next_state;
  unsigned dump_served; /* atomic: dump/signal.c: the last dump it is in */
  const struct uv__poller* poller;
  void* poller_data; /* the backend's own */
  struct uv__timers timers;
  struct uv__asyncs asyncs;
  struct uv__wake wake;
  struct uv__counters counters;
  struct uv__interest interest;
  struct uv__udp_message* udp_message; /* udp-options.c: the datagrams whose
                                        * callbacks run, innermost first */
  struct uv__posts posts; /* the batch is between it and what producers write */
  struct uv__batch batch;
  /* Apart from what the loop writes all the time, to avoid false sharing: the
   * end of the batch before it and the platform's part after it are rarely
   * written. */
  struct uv__loop_shared shared;
};

static inline struct uv__loop_state* uv__loop_state(const uv_loop_t* loop) {
  return (struct uv__loop_state*) loop->internal_fields;
}

/* uv_update_time() of a loop that is not closed. */
static inline void uv__loop_update_time(uv_loop_t* loop) {
  uint64_t now_ns = uv_hrtime();

  uv__loop_state(loop)->now_ns = now_ns;
  loop->time = now_ns / 1000000;
}

/* Has a signal been caught whose callbacks did not run yet? */
static inline int uv__loop_signals_due(const uv_loop_t* loop) {
  return uv__load_relaxed(&uv__loop_state(loop)->shared.signals_due);
}

#endif /* UV_LOOP_STATE_H_ */
