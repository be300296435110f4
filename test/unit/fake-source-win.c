/* SPDX-License-Identifier: MIT */
/* The source of poller-fake.h: the request of a signal handle. */
#include "poller-fake.h"

#include <signal.h>

static uv_signal_t handle;
static void (*source_cb)(void);

void fake_os_open(uv_loop_t* loop) {
  loop->iocp = INVALID_HANDLE_VALUE;
}

static void on_signal(uv_signal_t* h, int signum) {
  (void) h;
  CHECK_EQ(SIGINT, signum);
  source_cb();
}

void fake_source_init(void) {
  CHECK_EQ(0, uv_signal_init(&fake.loop, &handle));
}

void fake_source_start(void (*cb)(void)) {
  source_cb = cb;
  CHECK_EQ(0, uv_signal_start(&handle, on_signal, SIGINT));
}

void fake_source_stop(void) {
  CHECK_EQ(0, uv_signal_stop(&handle));
}

/* As if somebody had typed Ctrl+C: the request is in the port. */
void fake_ready(void) {
  struct fake_step* step = fake_add_step();

  step->result = 1;
  step->events[0].kind = UV__EVENT_REQ;
  step->events[0].key = (uintptr_t) &handle.signal_req;
  handle.pending_signum = SIGINT;
}
