/* SPDX-License-Identifier: MIT */
/* Terminals: behaviour 65 of docs/internals/behaviour.md, on a pseudo-terminal
 * made here (libuv's own tests need a real one). */
#include "test.h"

#if TEST_POSIX
# include <fcntl.h>
# include <stdlib.h>
# include <sys/ioctl.h>
# include <sys/wait.h>
# include <termios.h>
# include <unistd.h>
#endif

static uv_loop_t loop;

#if TEST_POSIX
static int master;
static int slave;

static void setup(void) {
  struct winsize size = { 24, 80, 0, 0 };

  ASSERT_OK(uv_loop_init(&loop));
  master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master == -1 || grantpt(master) != 0 || unlockpt(master) != 0)
    SKIP("no pseudo-terminals here");
  slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  ASSERT_GE(slave, 0);
  ASSERT_EQ(0, ioctl(master, TIOCSWINSZ, &size));
}

static struct termios attributes(void) {
  struct termios now;
  ASSERT_EQ(0, tcgetattr(slave, &now));
  return now;
}

TEST_IMPL(tty_modes_and_reset) {
  uv_tty_t tty;

  setup();
  tcflag_t original = attributes().c_lflag;
  ASSERT_NE(0, original & ICANON);
  ASSERT_OK(uv_tty_init(&loop, &tty, slave, 1));
  ASSERT_EQ(UV_TTY, uv_guess_handle(slave));
  ASSERT_OK(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW));
  ASSERT_EQ(0, attributes().c_lflag & (ICANON | ECHO));
  ASSERT_OK(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW)); /* again */
  ASSERT_OK(uv_tty_set_mode(&tty, UV_TTY_MODE_NORMAL));
  ASSERT_EQ(original, attributes().c_lflag);
  ASSERT_OK(uv_tty_set_mode(&tty, UV_TTY_MODE_IO));
  ASSERT_EQ(0, attributes().c_lflag & ICANON);
  ASSERT_OK(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW_VT));
  ASSERT_EQ(0, attributes().c_lflag & ICANON);
  ASSERT_ERR(UV_EINVAL, uv_tty_set_mode(&tty, (uv_tty_mode_t) 77));

  ASSERT_OK(uv_tty_reset_mode());
  ASSERT_EQ(original, attributes().c_lflag);
  test_close_loop(&loop);
  return 0;
}

/* On Unix UV_TTY_MODE_RAW_VT is UV_TTY_MODE_RAW: between the two there is
 * nothing to change, as between a mode and itself. */
TEST_IMPL(tty_raw_vt_is_raw) {
  uv_tty_t tty;

  setup();
  tcflag_t original = attributes().c_lflag;
  ASSERT_OK(uv_tty_init(&loop, &tty, slave, 1));
  ASSERT_OK(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW));
  ASSERT_OK(uv_tty_reset_mode());
  ASSERT_OK(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW_VT));
  ASSERT_EQ(original, attributes().c_lflag);
  ASSERT_OK(uv_tty_set_mode(&tty, UV_TTY_MODE_NORMAL));
  ASSERT_OK(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW_VT));
  ASSERT_EQ(0, attributes().c_lflag & ICANON);
  test_close_loop(&loop);
  return 0;
}

/* Closing restores the terminal's mode. */
TEST_IMPL(tty_close_restores_the_mode) {
  uv_tty_t tty;

  setup();
  tcflag_t original = attributes().c_lflag;
  int copy = dup(slave);
  ASSERT_OK(uv_tty_init(&loop, &tty, copy, 1));
  ASSERT_OK(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW));
  uv_close((uv_handle_t*) &tty, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(original, attributes().c_lflag);
  test_close_loop(&loop);
  return 0;
}

/* The second handle found the mode that the first had set: closing it must not
 * set that mode again. */
TEST_IMPL(tty_close_of_the_second_handle_keeps_the_mode) {
  uv_tty_t first;
  uv_tty_t second;

  setup();
  tcflag_t original = attributes().c_lflag;
  ASSERT_OK(uv_tty_init(&loop, &first, slave, 1));
  ASSERT_OK(uv_tty_init(&loop, &second, slave, 0));
  ASSERT_OK(uv_tty_set_mode(&first, UV_TTY_MODE_RAW));
  ASSERT_OK(uv_tty_set_mode(&second, UV_TTY_MODE_IO));
  uv_close((uv_handle_t*) &first, NULL);
  ASSERT_EQ(original, attributes().c_lflag);
  uv_close((uv_handle_t*) &second, NULL);
  ASSERT_EQ(original, attributes().c_lflag);
  test_close_loop(&loop);
  return 0;
}

/* The same in the other order: only the first handle restores the mode. */
TEST_IMPL(tty_close_of_the_first_handle_restores_the_mode) {
  uv_tty_t first;
  uv_tty_t second;

  setup();
  tcflag_t original = attributes().c_oflag;
  ASSERT_NE(0, original & OPOST);
  ASSERT_OK(uv_tty_init(&loop, &first, slave, 1));
  ASSERT_OK(uv_tty_init(&loop, &second, slave, 0));
  ASSERT_OK(uv_tty_set_mode(&first, UV_TTY_MODE_RAW));
  ASSERT_OK(uv_tty_set_mode(&second, UV_TTY_MODE_IO));
  uv_close((uv_handle_t*) &second, NULL);
  ASSERT_EQ(0, attributes().c_oflag & OPOST);
  uv_close((uv_handle_t*) &first, NULL);
  ASSERT_EQ(original, attributes().c_oflag);
  test_close_loop(&loop);
  return 0;
}

#endif

TEST_IMPL(tty_reset_without_anything_to_reset) {
  ASSERT_OK(uv_tty_reset_mode());
  ASSERT_OK(uv_tty_reset_mode());
  return 0;
}

#if TEST_POSIX
TEST_IMPL(tty_winsize) {
  uv_tty_t tty;
  struct winsize size = { 50, 132, 0, 0 };
  int width = 0;
  int height = 0;

  setup();
  ASSERT_OK(uv_tty_init(&loop, &tty, slave, 0));
  ASSERT_OK(uv_tty_get_winsize(&tty, &width, &height));
  ASSERT_EQ(80, width);
  ASSERT_EQ(24, height);
  ASSERT_EQ(0, ioctl(master, TIOCSWINSZ, &size));
  ASSERT_OK(uv_tty_get_winsize(&tty, &width, &height));
  ASSERT_EQ(132, width);
  ASSERT_EQ(50, height);
  test_close_loop(&loop);
  return 0;
}

#endif

TEST_IMPL(tty_refuses_other_files) {
  uv_tty_t tty;
  uv_fs_t req;
  int file =
      uv_fs_open(NULL, &req, "file", UV_FS_O_CREAT | UV_FS_O_RDWR, 0600, NULL);

  ASSERT_GE(file, 0);
  ASSERT_OK(uv_loop_init(&loop));
  int refusal = TEST_POSIX ? UV_EINVAL : UV_EBADF;
  ASSERT_ERR(refusal, uv_tty_init(&loop, &tty, file, 0));
  ASSERT_ERR(refusal, uv_tty_init(&loop, &tty, -1, 0));
  ASSERT_EQ(UV_FILE, uv_guess_handle(file));
  ASSERT_EQ(UV_UNKNOWN_HANDLE, uv_guess_handle(-1));
  test_close_loop(&loop);
  return 0;
}

/* A console feature of Windows; there a program can set the state. */
TEST_IMPL(tty_vterm_state) {
  uv_tty_vtermstate_t state;

  uv_tty_set_vterm_state(UV_TTY_SUPPORTED);
#if TEST_POSIX
  ASSERT_ERR(UV_ENOTSUP, uv_tty_get_vterm_state(&state));
  uv_tty_set_vterm_state(UV_TTY_UNSUPPORTED);
  ASSERT_ERR(UV_ENOTSUP, uv_tty_get_vterm_state(&state));
#else
  ASSERT_OK(uv_tty_get_vterm_state(&state));
  ASSERT_EQ(UV_TTY_SUPPORTED, state);
  uv_tty_set_vterm_state(UV_TTY_UNSUPPORTED);
  ASSERT_OK(uv_tty_get_vterm_state(&state));
  ASSERT_EQ(UV_TTY_UNSUPPORTED, state);
#endif
  return 0;
}

#if TEST_POSIX
static char got[64];
static size_t ngot;
static int ended;

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  if (nread > 0) {
    memcpy(got + ngot, buf->base, (size_t) nread);
    ngot += (size_t) nread;
  } else if (nread < 0) {
    ended = (int) nread;
    uv_read_stop(stream);
  }
}

/* Sockets and pipes are accepted, as in libuv, and read like a terminal. */
TEST_IMPL(tty_on_a_socket) {
  uv_tty_t tty;
  uv_os_sock_t fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, fds, 0, 0));
  ASSERT_OK(uv_tty_init(&loop, &tty, fds[0], 1));
  ASSERT_NE(0, fcntl(fds[0], F_GETFL) & O_NONBLOCK);
  ASSERT_OK(uv_read_start((uv_stream_t*) &tty, test_alloc, on_read));
  ASSERT_EQ(2, write(fds[1], "hi", 2));
  close(fds[1]);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, ngot);
  ASSERT_ERR(UV_EOF, ended);
  test_close_loop(&loop);
  return 0;
}

/* The terminal is reopened, so our O_NONBLOCK does not affect the shell. */
TEST_IMPL(tty_nonblocking_does_not_leak) {
  uv_tty_t tty;

  setup();
  ASSERT_OK(uv_tty_init(&loop, &tty, slave, 1));
  ASSERT_OK(uv_read_start((uv_stream_t*) &tty, test_alloc, on_read));
  uv_run(&loop, UV_RUN_NOWAIT);
  int again = open(ptsname(master), O_RDWR | O_NOCTTY);
  ASSERT_GE(again, 0);
  ASSERT_EQ(0, fcntl(again, F_GETFL) & O_NONBLOCK);
  test_close_loop(&loop);
  return 0;
}

/* What was typed before the hangup is read, then the end. */
TEST_IMPL(tty_read_all_before_hangup) {
  uv_tty_t tty;

  setup();
  ASSERT_OK(uv_tty_init(&loop, &tty, slave, 1));
  ASSERT_OK(uv_read_start((uv_stream_t*) &tty, test_alloc, on_read));
  ASSERT_EQ(6, write(master, "hello\n", 6));
  while (ngot < 6)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_MEM_EQ("hello\n", got, 6);
  close(master);
  while (ended == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT(ended == UV_EOF || ended == UV_EIO);
  test_close_loop(&loop);
  return 0;
}

static uv_mutex_t over_lock;
static int is_over; /* with the lock */

static int read_over(void) {
  uv_mutex_lock(&over_lock);
  int over = is_over;
  uv_mutex_unlock(&over_lock);
  return over;
}

static void change_modes(void* arg) {
  while (!read_over())
    for (int i = 0; i < 1000; i++)
      (void) uv_tty_set_mode(arg, i % 2 ? UV_TTY_MODE_NORMAL : UV_TTY_MODE_RAW);
}

/* The child inherits the lock as the other thread had it, but not the thread:
 * it waited for ever, in nearly every child. */
TEST_IMPL(tty_fork_while_another_thread_sets_the_mode) {
  uv_tty_t of_thread;
  uv_tty_t of_child;
  uv_thread_t thread;

  setup();
  ASSERT_OK(uv_tty_init(&loop, &of_thread, slave, 1));
  ASSERT_OK(uv_tty_init(&loop, &of_child, slave, 1));
  ASSERT_OK(uv_mutex_init(&over_lock));
  ASSERT_OK(uv_thread_create(&thread, change_modes, &of_thread));
  for (int i = 0; i < 100; i++) {
    pid_t pid = test_fork();
    if (pid == 0) {
      (void) alarm(10); /* ends it if it hangs */
      _exit(uv_tty_set_mode(&of_child, UV_TTY_MODE_RAW) == 0 ? 0 : 1);
    }
    ASSERT_EQ(0, test_wait_child(pid));
  }
  uv_mutex_lock(&over_lock);
  is_over = 1;
  uv_mutex_unlock(&over_lock);
  ASSERT_OK(uv_thread_join(&thread));
  uv_mutex_destroy(&over_lock);
  test_close_loop(&loop);
  return 0;
}
#endif
