/* SPDX-License-Identifier: MIT */
/* From an event to the module that handles it: filtering (P8) and one table. */
#include "async.h"
#include "metrics.h"
#include "os/loop.h"
#include "unix/fs-event.h"
#include "unix/io.h"
#include "unix/loop.h"
#include "unix/poll-handle.h"
#include "unix/process.h"
#include "unix/signal.h"
#include "unix/stream.h"
#include "unix/udp.h"
#include "unix/uring/fs-uring.h"

static uv__io_fn* const io_handlers[] = {
  [UV__IO_NONE] = NULL,
  [UV__IO_STREAM] = uv__stream_io,
  [UV__IO_SERVER] = uv__server_io,
  [UV__IO_UDP] = uv__udp_io,
  [UV__IO_POLL] = uv__poll_handle_io,
  [UV__IO_FS_EVENT] = uv__fs_event_io,
};

static_assert(ARRAY_SIZE(io_handlers) == UV__IO_KIND_MAX,
              "a handler for every kind");

void uv__io_run(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  io_handlers[w->bits & 0xff](loop, w, events);
}

/* Nobody's any more, but the backend still reports it. */
UV__NOINLINE static int forget_orphan(uv_loop_t* loop, int fd) {
  uv__loop_state(loop)->poller->watch->forget(loop, fd);
  return 0;
}

/* Stopped, and not started again before there was something to report. */
UV__NOINLINE static int drop_stopped(uv_loop_t* loop, uv__io_t* w) {
  uv__io_forget_stopped(loop, w);
  return 0;
}

static int dispatch_io(uv_loop_t* loop, const struct uv__event* event) {
  int fd = (int) event->key;
  uv__io_t* w = (unsigned) fd < loop->nwatchers ? loop->watchers[fd] : NULL;

  if (w == NULL)
    return forget_orphan(loop, fd);
  /* Not committed: the event is of an earlier owner of this fd, or of the time
   * before a restart. */
  if (w->events == 0 || (w->bits & UV__IO_RESTARTED))
    return 0;
  if (w->pevents == 0)
    return drop_stopped(loop, w);

  unsigned events = event->bits & (w->pevents | POLLERR | POLLHUP);
  if (events == 0)
    return 0;
  uv__io_run(loop, w, events);
  return 1;
}

static int dispatch_wake(uv_loop_t* loop) {
  int work;
  int ran = uv__fs_uring_is_there(loop) ? uv__fs_uring_run_done(loop) : 0;
  ran += uv__async_run(loop, &work);
  ran += work;
  if (!uv__queue_empty(&uv__loop_os(loop)->children_ended))
    ran += uv__process_run_ended(loop);
  return uv__metrics_wake_events(work, ran);
}

UV__NOINLINE static int dispatch_other(uv_loop_t* loop,
                                       const struct uv__event* event) {
  switch ((enum uv__event_kind) event->kind) {
  case UV__EVENT_WAKE:
    return dispatch_wake(loop);
  case UV__EVENT_CHILD:
    return uv__process_child_ended(loop, (int) event->key);
  case UV__EVENT_IO:
  case UV__EVENT_REQ:
    break; /* seen to already; no unix backend reports these */
  }
  return 0;
}

int uv__loop_os_dispatch(uv_loop_t* loop, const struct uv__event* event) {
  if (event->kind == UV__EVENT_IO)
    return dispatch_io(loop, event);
  return dispatch_other(loop, event);
}

int uv__loop_os_dispatch_signals(uv_loop_t* loop) {
  return uv__signal_run(loop);
}
