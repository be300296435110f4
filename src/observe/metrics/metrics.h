/* SPDX-License-Identifier: MIT */
/* What metrics count: of each loop while somebody wants to know, and of the
 * pool for the whole process.
 *
 * One thread writes a loop's numbers, its own; any may read them, each number
 * by itself. They are kept from the first iteration that is observed until the
 * loop is closed; its counters and durations are then added to those of all
 * closed loops.
 */
#ifndef UV_OBSERVE_METRICS_METRICS_H_
#define UV_OBSERVE_METRICS_METRICS_H_

#include "loop/state.h"
#include "observe/metrics/histogram.h"
#include "observe/record.h"

/* Callbacks that are counted separately, by symbol, type and call. */
#define UV__METRICS_CALLBACKS 256

struct uv__metrics_callback {
  const void* symbol; /* atomic: NULL: free */
  unsigned type;      /* these two: atomic */
  unsigned call;
  uint64_t count; /* atomic, as the next */
  uint64_t ns;
};

/* System calls and bytes of streams and UDP. */
enum uv__io { UV__IO_READ, UV__IO_WRITE, UV__IO_RECV, UV__IO_SEND, UV__IO_MAX };

struct uv__metrics {
  struct uv__metrics* next; /* of all loops; the list's lock */
  const uv_loop_t* loop;    /* NULL: of all loops that are closed */
  unsigned number;          /* of the loop, from 1 on */
  /* The loop thread's. */
  uint64_t poll_end_ns; /* when the last poll ended, 0 if none did */
  uint64_t counted_ns;  /* when the handles were counted last */
  /* Atomic. */
  uint64_t poll_begin_ns; /* of the last poll; 0: there was none */
  uint64_t poll_sum_ns;   /* the sum of phases[UV__PHASE_POLL] at that time: as
                           * long as it is the same, the loop is in that poll */
  uint64_t iterations;
  uint64_t events;
  uint64_t callbacks;
  uint64_t handles; /* active and referenced */
  uint64_t requests;
  uint64_t handles_of[UV_HANDLE_TYPE_MAX]; /* when they were last counted */
  uint64_t calls[UV__IO_MAX];
  uint64_t bytes[UV__IO_MAX];
  uvx_histogram_t lag;
  uvx_histogram_t iteration;
  uvx_histogram_t lateness;
  uvx_histogram_t phases[UV__PHASE_MAX];
  struct uv__metrics_callback table[UV__METRICS_CALLBACKS];
  struct uv__metrics_callback others; /* what did not fit into the table */
};

/* Of work on the pool; index: enum uvx_class. */
struct uv__pool_metrics {
  uvx_histogram_t queue[UVX_CLASSES];
  uvx_histogram_t service[UVX_CLASSES];
};

extern struct uv__pool_metrics uv__pool_metrics;

/* What the observed functions report, on the loop's thread. */
void uv__metrics_phase_begin(uv_loop_t* loop,
                             enum uv__phase phase,
                             uint64_t now_ns);
void uv__metrics_phase_end(uv_loop_t* loop, const struct uv__record* record);
void uv__metrics_iteration(uv_loop_t* loop, const struct uv__record* record);
void uv__metrics_callback(uv_loop_t* loop, const struct uv__record* record);
void uv__metrics_io(uv_loop_t* loop, enum uv__io io, ssize_t result);
/* Context: worker. */
void uv__metrics_work(const struct uv__record* record);

/* The time in a phase so far. A poll that has not ended counts if it began
 * after `since_ns`. Context: any. */
uint64_t uv__metrics_phase_ns(const struct uv__metrics* metrics,
                              enum uv__phase phase,
                              uint64_t since_ns);

/* uv_loop_close(). */
void uv__metrics_close_loop(uv_loop_t* loop);

/* Calls `each` for all loops, which are not closed meanwhile, and for the sum
 * of those that were, if any. Context: any. */
void uv__metrics_each(void (*each)(const struct uv__metrics* metrics,
                                   void* arg),
                      void* arg);

#endif /* UV_OBSERVE_METRICS_METRICS_H_ */
