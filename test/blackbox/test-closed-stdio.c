/* SPDX-License-Identifier: MIT */
/* A program that closed its standard streams opens files of its own at 0, 1 and
 * 2. Method: close them, use what makes the library open descriptors, and look
 * whether the three numbers are still free. */
#include "ignore.h"
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#define STREAMS 3

static uv_loop_t loop;
static uv_async_t async;
static uv_fs_event_t watch;
static uv_pipe_t server;
static uv_fs_t stat_req;
static int saved[STREAMS];
static int async_calls;
static int stat_calls;

static void on_async(uv_async_t* handle) {
  (void) handle;
  async_calls++;
}

static void on_stat(uv_fs_t* req) {
  stat_calls += req->result == 0;
}

static void close_streams(void) {
  for (int i = 0; i < STREAMS; i++) {
    saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 100);
    ASSERT_GE(saved[i], 100);
  }
  for (int i = 0; i < STREAMS; i++)
    close(i);
}

/* One bit for each of the three numbers. */
static int streams_in_use(void) {
  int used = 0;

  for (int i = 0; i < STREAMS; i++)
    if (fcntl(i, F_GETFD) != -1)
      used |= 1 << i;
  return used;
}

static void restore_streams(void) {
  for (int i = 0; i < STREAMS; i++) {
    dup2(saved[i], i);
    close(saved[i]);
  }
}

/* Assertions would not be seen meanwhile: the first error is returned. */
static int start_all(int listener) {
  int err = uv_loop_init(&loop);

  if (err == 0)
    err = uv_async_init(&loop, &async, on_async);
  if (err == 0)
    err = uv_fs_event_init(&loop, &watch);
  if (err == 0)
    err = uv_fs_event_start(&watch, ignore_fs_event, ".", 0);
  if (err == 0)
    err = uv_pipe_init(&loop, &server, 0);
  if (err == 0)
    err = uv_pipe_open(&server, listener);
  if (err == 0)
    err = uv_listen((uv_stream_t*) &server, 1, ignore_connection);
  if (err == 0)
    err = uv_fs_stat(&loop, &stat_req, ".", on_stat);
  if (err == 0)
    err = uv_async_send(&async);
  while (err == 0 && (async_calls == 0 || stat_calls == 0))
    uv_run(&loop, UV_RUN_ONCE);
  return err;
}

TEST_IMPL(closed_stdio_stays_free) {
  uv_loop_t binding;
  uv_pipe_t bound;
  uv_os_fd_t fd;

  ASSERT_OK(uv_loop_init(&binding));
  ASSERT_OK(uv_pipe_init(&binding, &bound, 0));
  ASSERT_OK(uv_pipe_bind(&bound, test_pipe_name("closed-stdio")));
  ASSERT_OK(uv_fileno((uv_handle_t*) &bound, &fd));
  int listener = dup(fd);
  ASSERT_GE(listener, STREAMS);

  close_streams();
  int err = start_all(listener);
  int used = streams_in_use();
  restore_streams();
  ASSERT_OK(err);
  ASSERT_EQ(0, used);

  uv_fs_req_cleanup(&stat_req);
  test_close_loop(&loop);
  test_close_loop(&binding);
  return 0;
}
