/* SPDX-License-Identifier: MIT */
/* A descriptor closed behind the library's back is an error for that handle: no
 * abort, no busy loop, and other handles continue. Method: close(2) the fd of a
 * handle in use, run, then close the handle properly. */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

static uv_loop_t loop;
static uv_timer_t timer;

static void on_timer(uv_timer_t* handle) {
  (void) handle;
  uv_stop(&loop);
}

/* Runs briefly; the loop must not spin meanwhile. */
static void run_a_while(void) {
  uv_metrics_t before;
  uv_metrics_t after;

  ASSERT_OK(uv_metrics_info(&loop, &before));
  uv_update_time(&loop);
  ASSERT_OK(uv_timer_start(&timer, on_timer, test_is_slow() ? 200 : 20, 0));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_OK(uv_metrics_info(&loop, &after));
  ASSERT_LT(after.loop_count - before.loop_count, 50);
}

static void setup(void) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
}

static int take_fd(void* handle) {
  uv_os_fd_t fd;
  ASSERT_OK(uv_fileno(handle, &fd));
  return fd;
}

/* The library will close this number again: make it a harmless file's. */
static void close_behind_its_back(void* handle) {
  ASSERT_EQ(0, close(take_fd(handle)));
}

static void give_number_back(int fd) {
  int null = open("/dev/null", O_RDWR);
  ASSERT_GE(null, 0);
  if (null != fd) {
    ASSERT_EQ(fd, dup2(null, fd));
    close(null);
  }
}

static int read_status = 1;

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread >= 0)
    return;
  read_status = (int) nread;
  uv_read_stop(stream);
}

TEST_IMPL(dead_fd_stream_before_first_poll) {
  uv_pipe_t a;
  uv_pipe_t b;

  setup();
  test_stream_pair(&loop, &a, &b);
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, test_alloc, on_read));
  int fd = take_fd(&a);
  close_behind_its_back(&a); /* the poller will refuse it */
  run_a_while();
  ASSERT_LT(read_status, 0);
  give_number_back(fd);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(dead_fd_stream_while_reading) {
  uv_pipe_t a;
  uv_pipe_t b;

  setup();
  test_stream_pair(&loop, &a, &b);
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, test_alloc, on_read));
  ASSERT_OK(uv_read_start((uv_stream_t*) &b, test_alloc, on_read));
  run_a_while();
  int fd = take_fd(&a);
  close_behind_its_back(&a);
  run_a_while();
  /* The peer sees end of file. */
  ASSERT_LT(read_status, 0);
  /* Changing the interest in the dead fd is harmless. */
  uv_read_stop((uv_stream_t*) &a);
  run_a_while();
  int err = uv_read_start((uv_stream_t*) &a, test_alloc, on_read);
  ASSERT(err == 0 || err == UV_ENOTCONN); /* if the reader was told before */
  run_a_while();
  give_number_back(fd);
  test_close_loop(&loop);
  return 0;
}

static int write_status = 1;

static void on_write(uv_write_t* req, int status) {
  (void) req;
  write_status = status;
}

TEST_IMPL(dead_fd_stream_write) {
  uv_pipe_t a;
  uv_pipe_t b;
  uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup();
  test_stream_pair(&loop, &a, &b);
  int fd = take_fd(&a);
  close_behind_its_back(&a);
  int err = uv_write(&req, (uv_stream_t*) &a, &buf, 1, on_write);
  if (err == 0) {
    run_a_while();
    ASSERT_ERR(UV_EBADF, write_status);
  } else {
    ASSERT_ERR(UV_EBADF, err);
  }
  ASSERT_ERR(UV_EBADF, uv_try_write((uv_stream_t*) &a, &buf, 1));
  give_number_back(fd);
  test_close_loop(&loop);
  return 0;
}

static int udp_status = 1;

static void on_recv(uv_udp_t* handle,
                    ssize_t nread,
                    const uv_buf_t* buf,
                    const struct sockaddr* addr,
                    unsigned flags) {
  (void) buf;
  (void) addr;
  (void) flags;
  if (nread >= 0)
    return;
  udp_status = (int) nread;
  uv_udp_recv_stop(handle);
}

TEST_IMPL(dead_fd_udp) {
  uv_udp_t udp;
  struct sockaddr_in addr = test_loopback();
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup();
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_bind(&udp, (struct sockaddr*) &addr, 0));
  addr = test_udp_address(&udp);
  ASSERT_OK(uv_udp_recv_start(&udp, test_alloc, on_recv));
  int fd = take_fd(&udp);
  close_behind_its_back(&udp); /* refused at the first poll */
  run_a_while();
  ASSERT_LT(udp_status, 0);
  ASSERT_ERR(UV_EBADF,
             uv_udp_try_send(&udp, &buf, 1, (struct sockaddr*) &addr));
  give_number_back(fd);
  test_close_loop(&loop);
  return 0;
}

static int poll_status = 1;

static void on_poll(uv_poll_t* handle, int status, int events) {
  (void) handle;
  (void) events;
  poll_status = status;
}

TEST_IMPL(dead_fd_poll_handle) {
  uv_poll_t handle;
  int fds[2];

  setup();
  ASSERT_EQ(0, pipe(fds));
  ASSERT_OK(uv_poll_init(&loop, &handle, fds[0]));
  ASSERT_OK(uv_poll_start(&handle, UV_READABLE, on_poll));
  close(fds[0]);
  run_a_while();
  ASSERT_ERR(UV_EBADF, poll_status);
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) &handle));
  test_close_loop(&loop);
  close(fds[1]);
  return 0;
}

/* The number is reused by another file while a poll handle still watches it. */
TEST_IMPL(dead_fd_number_reused) {
  uv_poll_t handle;
  int fds[2];
  int next[2];

  setup();
  ASSERT_EQ(0, pipe(fds));
  ASSERT_EQ(0, pipe(next));
  ASSERT_OK(uv_poll_init(&loop, &handle, fds[0]));
  ASSERT_OK(uv_poll_start(&handle, UV_READABLE, on_poll));
  run_a_while();
  ASSERT_EQ(fds[0], dup2(next[0], fds[0]));
  run_a_while();
  /* After a restart the handle watches the new file. */
  ASSERT_OK(uv_poll_stop(&handle));
  ASSERT_OK(uv_poll_start(&handle, UV_READABLE, on_poll));
  ASSERT_EQ(1, write(next[1], "x", 1));
  poll_status = 1;
  while (poll_status == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_OK(poll_status);
  test_close_loop(&loop);
  return 0;
}

static int server_status = 1;

static void on_connection(uv_stream_t* server, int status) {
  (void) server;
  server_status = status;
}

TEST_IMPL(dead_fd_listening_socket) {
  uv_tcp_t server;

  setup();
  (void) test_tcp_listen(&loop, &server, 1, on_connection);
  int fd = take_fd(&server);
  close_behind_its_back(&server);
  run_a_while();
  ASSERT_LE(server_status, 1);
  ASSERT_NE(0, server_status); /* no connection appeared */
  give_number_back(fd);
  test_close_loop(&loop);
  return 0;
}

#if __has_include(<linux/sched.h>)
static int change_status;
static int changes;

static void on_change(uv_fs_event_t* handle,
                      const char* name,
                      int events,
                      int status) {
  (void) handle;
  (void) name;
  (void) events;
  changes++;
  change_status = status;
}

/* All watchers are told once; one that is started again works. */
TEST_IMPL(dead_fd_inotify) {
  uv_fs_event_t first;
  uv_fs_event_t second;

  setup();
  ASSERT_OK(uv_fs_event_init(&loop, &first));
  ASSERT_OK(uv_fs_event_start(&first, on_change, ".", 0));
  ASSERT_OK(uv_fs_event_init(&loop, &second));
  ASSERT_OK(uv_fs_event_start(&second, on_change, ".", 0));
  if (loop.inotify_fd <= 2)
    SKIP("this build does not use inotify");
  ASSERT_EQ(0, close(loop.inotify_fd));
  run_a_while();
  ASSERT_EQ(2, changes);
  ASSERT_LT(change_status, 0);

  ASSERT_OK(uv_fs_event_stop(&first));
  ASSERT_OK(uv_fs_event_start(&first, on_change, ".", 0));
  test_write_file("file", "text");
  run_a_while();
  ASSERT_GT(changes, 2);
  ASSERT_OK(change_status);
  test_close_loop(&loop);
  return 0;
}
#else
TEST_IMPL(dead_fd_inotify) {
  SKIP("no inotify on this system");
}
#endif
