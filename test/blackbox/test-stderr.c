/* SPDX-License-Identifier: MIT */
/* Messages of the library on standard error never block the program, never end
 * it, and never get into another file. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void run_timer(unsigned ms) {
  uv_loop_t loop;
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, ignore_timer, ms, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
}

/* The library has something to say: a variable is malformed. */
HELPER_IMPL(cause_a_message) {
  (void) argc;
  (void) argv;
  run_timer(1);
  return 0;
}

/* A daemon: its standard error is a data file now. */
HELPER_IMPL(cause_a_message_later) {
  (void) argc;
  (void) argv;
  ASSERT_EQ(0, close(2));
  ASSERT_EQ(2, open("data", O_RDWR));
  run_timer(1);
  return 0;
}

/* Starts the helper with this standard error and SIGPIPE at its default. */
static int start_and_wait(const char* helper, int fd) {
  char* args[7];

  helper_args(args, helper, NULL, NULL, NULL);
  ASSERT_OK(uv_os_setenv("UV_WATCHDOG", "soon"));
  pid_t pid = test_fork();
  if (pid == 0) {
    signal(SIGPIPE, SIG_DFL);
    if (dup2(fd, 2) == 2)
      execv(args[0], args);
    _exit(127);
  }
  int status = test_wait_child(pid);
  return status;
}

static void fill(int fd) {
  static const char zeros[4096];
  int flags = fcntl(fd, F_GETFL);

  ASSERT_EQ(0, fcntl(fd, F_SETFL, flags | O_NONBLOCK));
  while (write(fd, zeros, sizeof(zeros)) > 0)
    continue;
  while (write(fd, zeros, 1) > 0)
    continue;
  ASSERT_EQ(EAGAIN, errno);
  ASSERT_EQ(0, fcntl(fd, F_SETFL, flags));
}

TEST_IMPL(stderr_full_pipe_does_not_block) {
  int fds[2];

  ASSERT_EQ(0, pipe(fds));
  fill(fds[1]);
  ASSERT_EQ(0, start_and_wait("cause_a_message", fds[1]));
  return 0;
}

TEST_IMPL(stderr_full_socket_does_not_block) {
  int fds[2];

  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  fill(fds[1]);
  ASSERT_EQ(0, start_and_wait("cause_a_message", fds[1]));
  return 0;
}

TEST_IMPL(stderr_without_a_reader_does_not_end_the_process) {
  int fds[2];

  ASSERT_EQ(0, pipe(fds));
  close(fds[0]);
  ASSERT_EQ(0, start_and_wait("cause_a_message", fds[1]));
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  close(fds[0]);
  ASSERT_EQ(0, start_and_wait("cause_a_message", fds[1]));
  return 0;
}

/* The message is there, and nothing else. */
TEST_IMPL(stderr_pipe_gets_the_message) {
  char text[256];
  int fds[2];

  ASSERT_EQ(0, pipe(fds));
  ASSERT_EQ(0, start_and_wait("cause_a_message", fds[1]));
  close(fds[1]);
  ssize_t n = read(fds[0], text, sizeof(text) - 1);
  ASSERT_GT(n, 0);
  text[n] = '\0';
  ASSERT_STR_EQ("libuv: UV_WATCHDOG=soon: not a number of milliseconds\n",
                text);
  return 0;
}

/* Descriptor 2 is another file than when the library was loaded. */
TEST_IMPL(stderr_of_a_daemon_is_left_alone) {
  struct stat st;

  test_write_file("data", "precious");
  ASSERT_EQ(0, start_and_wait("cause_a_message_later", 2));
  ASSERT_EQ(0, stat("data", &st));
  ASSERT_EQ(8, st.st_size);
  return 0;
}
