/* SPDX-License-Identifier: MIT */
/* What a loop holds beyond the public structure: loop->internal_fields. The
 * platform's loop-os.h has a structure that begins with this one.
 *
 * Each part has one owning module; the others go through its functions.
 */
#ifndef UV_LOOP_STATE_H_
#define UV_LOOP_STATE_H_

#include "base.h"
#include "poller.h"

/* Events fetched by one wait. A full batch means: there may be more. */
#define UV__BATCH_MAX 1024

/* poll.c. Between a wait and its dispatch the events live here. */
struct uv__batch {
  int count;
  int next; /* first event that is not dispatched yet */
  int was_waiting; /* the events were there before the wait */
  struct uv__event events[UV__BATCH_MAX];
};

/* timer.c. One element of the heap: the key is kept beside the pointer so that
 * sifting touches no timer. */
struct uv__timer_slot {
  uint64_t due_ns; /* never later than the timer's own; see timer.c */
  uint64_t start_id;
  uv_timer_t* timer;
};

struct uv__timers {
  struct uv__timer_slot* heap;
  size_t count;
  size_t capacity;
};

/* async.c. `sent` is pushed to by any thread, the rest is the loop's. */
struct uv__asyncs {
  uv_async_t* sent;        /* lock-free stack, linked by u.reserved[0] */
  struct uv__queue ready;  /* taken off the stack, waiting for their turn */
  unsigned int busy;       /* senders inside the loop; atomic */
};

/* metrics.c. Atomic where uv_metrics_idle_time() reads from other threads. */
struct uv__metrics {
  uv_metrics_t info;
  unsigned sequence;       /* odd while the two below change together */
  uint64_t idle_ns;        /* finished waits */
  uint64_t waiting_since;  /* 0, or when the wait under way began */
};

enum {
  UV__LOOP_METRICS_IDLE = 1u << 0,   /* UV_METRICS_IDLE_TIME configured */
  UV__LOOP_BLOCK_SIGPROF = 1u << 1,  /* UV_LOOP_BLOCK_SIGNAL configured */
  UV__LOOP_WANT_SQPOLL = 1u << 2     /* UV_LOOP_USE_IO_URING_SQPOLL */
};

struct uv__loop_state {
  unsigned flags;
  /* Loop time in ns; loop->time is the same moment in ms, rounded down. */
  uint64_t now_ns;
  const struct uv__poller* poller;
  void* poller_data; /* the backend's own */
  struct uv__timers timers;
  struct uv__asyncs asyncs;
  struct uv__metrics metrics;
  /* threadpool.c: finished work, newest first, linked by uv__work.wq.next.
   * Pushed by workers, taken by the loop. */
  struct uv__queue* work_done;
  struct uv__batch batch;
};

/* What to allocate: the size of the platform's structure. */
extern const size_t uv__loop_os_state_size;

static inline struct uv__loop_state* uv__loop_state(const uv_loop_t* loop) {
  return (struct uv__loop_state*) loop->internal_fields;
}

/* Makes the loop's wait end, now or the next one (P6). Context: any | signal.
 */
static inline int uv__loop_wake(uv_loop_t* loop) {
  return uv__loop_state(loop)->poller->wake(loop);
}

#endif /* UV_LOOP_STATE_H_ */
