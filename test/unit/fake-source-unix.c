/* SPDX-License-Identifier: MIT */
/* The source of poller-fake.h: one end of a pipe, watched. */
#include "poller-fake.h"

#include <poll.h>
#include <unistd.h>

static uv_poll_t handle;
static int fds[2];
static void (*source_cb)(void);

void fake_os_open(uv_loop_t* loop) {
  loop->backend_fd = -1;
}

static void on_poll(uv_poll_t* h, int status, int events) {
  (void) h;
  CHECK_EQ(0, status);
  CHECK_EQ(UV_READABLE, events);
  source_cb();
}

void fake_source_init(void) {
  CHECK_EQ(0, pipe(fds));
  CHECK_EQ(0, uv_poll_init(&fake.loop, &handle, fds[0]));
}

void fake_source_start(void (*cb)(void)) {
  source_cb = cb;
  CHECK_EQ(0, uv_poll_start(&handle, UV_READABLE, on_poll));
}

void fake_source_stop(void) {
  CHECK_EQ(0, uv_poll_stop(&handle));
}

void fake_ready(void) {
  fake_io(fds[0], POLLIN);
}
