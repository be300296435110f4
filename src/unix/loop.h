/* SPDX-License-Identifier: MIT */
/* The private state of a loop on unix. */
#ifndef UV_UNIX_LOOP_H_
#define UV_UNIX_LOOP_H_

#include "loop/state.h"

struct uv__loop_os {
  struct uv__loop_state base; /* must be first */
  /* wake-fd.c: [0] is watched by the poller, [1] is written to; the same fd
   * where the system has eventfd. */
  int wake_fd[2];
  /* io.c: counters.loop_count when the poller was opened, or reopened in a
   * child. */
  uint64_t opened_count;
  /* signal.c: the started handles of the loop, and the log of deliveries, NULL
   * until the first start. shared.signals_due is set when there is something to
   * run. */
  struct uv__queue signals;
  struct uv__signal_log* signal_log;
  /* process-end.c: children whose end the poller reports; children that have
   * ended and whose exit_cb has not run. */
  struct uv__queue children_polled;
  struct uv__queue children_ended;
  /* fs-event/kqueue.c: NULL until a path is watched. */
  struct uv__vnodes* vnodes;
  /* fs-uring.c: NULL if the loop has no ring. */
  struct uv__fs_uring* fs_uring;
};

static inline struct uv__loop_os* uv__loop_os(const uv_loop_t* loop) {
  return (struct uv__loop_os*) loop->internal_fields;
}

#endif /* UV_UNIX_LOOP_H_ */
