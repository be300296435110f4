/* SPDX-License-Identifier: MIT */
/* Counters and idle time of a loop.
 *
 * The counters of uv_metrics_info() are the loop thread's. Idle time may be
 * read from any thread while the loop sleeps: its two words are atomic, and the
 * wait in progress is added to the finished ones.
 */
#include "loop/counters.h"
#include "loop/state.h"
#include "util/atomic.h"

#include <string.h>

void uv__counters_wait_begin(uv_loop_t* loop) {
  uv__store_release(&uv__loop_state(loop)->counters.waiting_since, uv_hrtime());
}

void uv__counters_wait_end(uv_loop_t* loop) {
  struct uv__counters* counters = &uv__loop_state(loop)->counters;
  uint64_t since = uv__load_relaxed(&counters->waiting_since);
  uint64_t idle_ns = uv__load_relaxed(&counters->idle_ns);
  unsigned sequence = uv__load_relaxed(&counters->sequence);

  assert(since != 0);
  /* The wait moves from one word to the other; a reader that sees the sequence
   * change retries. Release: a reader that sees one of the two words also sees
   * the odd sequence. Pairs with uv_metrics_idle_time(). */
  uv__store_relaxed(&counters->sequence, sequence + 1);
  uv__store_release(&counters->idle_ns, idle_ns + (uv_hrtime() - since));
  uv__store_release(&counters->waiting_since, 0);
  uv__store_release(&counters->sequence, sequence + 2);
}

uint64_t uv_metrics_idle_time(uv_loop_t* loop) {
  struct uv__counters* counters = &uv__loop_state(loop)->counters;
  uint64_t since;
  uint64_t idle_ns;
  unsigned sequence;

  do {
    sequence = uv__load_acquire(&counters->sequence) & ~1u;
    since = uv__load_acquire(&counters->waiting_since);
    idle_ns = uv__load_acquire(&counters->idle_ns);
  } while (uv__load_acquire(&counters->sequence) != sequence);

  return since == 0 ? idle_ns : idle_ns + (uv_hrtime() - since);
}

int uv_metrics_info(uv_loop_t* loop, uv_metrics_t* metrics) {
  const struct uv__counters* own = &uv__loop_state(loop)->counters;

  memset(metrics, 0, sizeof(*metrics));
  metrics->loop_count = own->loop_count;
  metrics->events = own->events;
  metrics->events_waiting = own->events_waiting;
  return 0;
}
