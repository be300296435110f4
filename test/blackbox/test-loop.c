/* SPDX-License-Identifier: MIT */
/* The loop and its handles on real pollers: behaviour 1-20 of
 * docs/internals/behaviour.md. Method: each callback appends a letter. */
#include "ignore.h"
#include "test.h"

#include <signal.h>

#if TEST_POSIX
# include <sys/wait.h>
# include <unistd.h>
#endif

static uv_loop_t loop;
static char trace[256];

static void note(char c) {
  size_t n = strlen(trace);
  ASSERT_LT(n, sizeof(trace) - 1);
  trace[n] = c;
  trace[n + 1] = '\0';
}

static void on_timer(uv_timer_t* h) {
  (void) h;
  note('t');
}

static void on_close(uv_handle_t* h) {
  note(*(char*) h->data);
}

TEST_IMPL(loop_init_keeps_data_and_refuses_null) {
  int mine;

  ASSERT_ERR(UV_EINVAL, uv_loop_init(NULL));
  loop.data = &mine;
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_PTR_EQ(&mine, loop.data);
  ASSERT_PTR_EQ(&mine, uv_loop_get_data(&loop));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(loop_close_busy_until_closed) {
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_ERR(UV_EBUSY, uv_loop_close(&loop)); /* also while inactive */
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_ERR(UV_EBUSY, uv_loop_close(&loop));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* Programs close or run a loop again that they have already closed, at exit. */
static void on_walk(uv_handle_t* handle, void* arg) {
  (void) handle;
  ++*(int*) arg;
}

TEST_IMPL(loop_closed_twice) {
  int walked = 0;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_ERR(UV_EBUSY, uv_loop_close(&loop));
  ASSERT_EQ(1, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_EQ(1, uv_loop_alive(&loop));
  ASSERT_EQ(0, uv_backend_timeout(&loop));
  uv_walk(&loop, on_walk, &walked);
  ASSERT_EQ(0, walked);
  uv_stop(&loop);
  ASSERT_OK(uv_loop_init(&loop)); /* and initialised again */
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* A closed loop still tells the time (uvloop asks for it). */
TEST_IMPL(loop_now_after_close) {
  uv_loop_t loop;

  ASSERT_OK(uv_loop_init(&loop));
  uint64_t before = uv_now(&loop);
  ASSERT_OK(uv_loop_close(&loop));
  uv_sleep(2);
  uv_update_time(&loop);
  ASSERT_GT(uv_now(&loop), before);
  return 0;
}

TEST_IMPL(loop_default_can_be_initialised_again) {
  uv_loop_t* first = uv_default_loop();

  ASSERT_NOT_NULL(first);
  ASSERT_PTR_EQ(first, uv_default_loop());
  ASSERT_OK(uv_loop_close(first));
  ASSERT_NOT_NULL(uv_default_loop());
  ASSERT_EQ(0, uv_run(uv_default_loop(), UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(uv_default_loop()));
  return 0;
}

TEST_IMPL(loop_configure_unknown_option) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_ERR(UV_ENOSYS, uv_loop_configure(&loop, (uv_loop_option) 9999));
#if TEST_POSIX
  ASSERT_ERR(UV_EINVAL,
             uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, SIGUSR1));
  ASSERT_OK(uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, SIGPROF));
#else
  ASSERT_ERR(UV_ENOSYS, uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, SIGINT));
#endif
  ASSERT_OK(uv_loop_configure(&loop, UV_METRICS_IDLE_TIME));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(loop_close_order_is_last_in_first_out) {
  static char names[] = "ABC";
  uv_timer_t timers[3];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uv_timer_init(&loop, &timers[i]));
    timers[i].data = &names[i];
  }
  for (int i = 0; i < 3; i++)
    uv_close((uv_handle_t*) &timers[i], on_close);
  ASSERT_STR_EQ("", trace);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_STR_EQ("CBA", trace);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static void on_close_count_refs(uv_handle_t* handle) {
  ASSERT_EQ(0, uv_has_ref(handle));
  on_close(handle);
}

TEST_IMPL(loop_closed_handle_has_no_reference) {
  uv_timer_t timer;
  char name = 'A';

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  timer.data = &name;
  uv_close((uv_handle_t*) &timer, on_close_count_refs);
  ASSERT_EQ(1, uv_has_ref((uv_handle_t*) &timer));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_STR_EQ("A", trace);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* An unreferenced handle does not keep the loop alive; a referenced one does.
 */
TEST_IMPL(loop_alive_and_references) {
  uv_timer_t timer;
  uv_async_t async;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_EQ(0, uv_loop_alive(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_EQ(1, uv_has_ref((uv_handle_t*) &timer));
  ASSERT_EQ(0, uv_loop_alive(&loop));
  ASSERT_OK(uv_timer_start(&timer, on_timer, 1, 1));
  ASSERT_NE(0, uv_loop_alive(&loop));
  uv_unref((uv_handle_t*) &timer);
  uv_unref((uv_handle_t*) &timer);
  ASSERT_EQ(0, uv_loop_alive(&loop));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_STR_EQ("", trace);
  uv_ref((uv_handle_t*) &timer);
  ASSERT_NE(0, uv_run(&loop, UV_RUN_ONCE));
  ASSERT_STR_EQ("t", trace);

  ASSERT_OK(uv_async_init(&loop, &async, NULL));
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) &async)); /* from the start */
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(loop_start_without_callback) {
  uv_idle_t idle;
  uv_prepare_t prepare;
  uv_check_t check;
  uv_timer_t timer;
  uv_signal_t sig;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_idle_init(&loop, &idle));
  ASSERT_OK(uv_prepare_init(&loop, &prepare));
  ASSERT_OK(uv_check_init(&loop, &check));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_signal_init(&loop, &sig));
  ASSERT_ERR(UV_EINVAL, uv_idle_start(&idle, NULL));
  ASSERT_ERR(UV_EINVAL, uv_prepare_start(&prepare, NULL));
  ASSERT_ERR(UV_EINVAL, uv_check_start(&check, NULL));
  ASSERT_ERR(UV_EINVAL, uv_timer_start(&timer, NULL, 1, 1));
  ASSERT_ERR(UV_EINVAL, uv_signal_start(&sig, NULL, SIGINT));
  ASSERT_EQ(0, uv_loop_alive(&loop));
  test_close_loop(&loop);
  return 0;
}

static void on_poll(uv_poll_t* h, int status, int events) {
  ASSERT_OK(status);
  ASSERT_EQ(UV_READABLE, events);
  note('f');
  uv_poll_stop(h);
}

#if TEST_POSIX
/* fork: the child's loop continues with its watchers, in the order in which
 * they became ready. */
static void assert_both_ran(void) {
  ASSERT_EQ(2, strlen(trace));
  ASSERT_NOT_NULL(strchr(trace, 'f'));
  ASSERT_NOT_NULL(strchr(trace, 't'));
}

TEST_IMPL(loop_fork_keeps_watchers) {
  uv_poll_t poll_handle;
  uv_async_t async;
  uv_timer_t timer;
  int fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_EQ(0, pipe(fds));
  ASSERT_OK(uv_poll_init(&loop, &poll_handle, fds[0]));
  ASSERT_OK(uv_poll_start(&poll_handle, UV_READABLE, on_poll));
  ASSERT_OK(uv_async_init(&loop, &async, NULL));
  uv_unref((uv_handle_t*) &async);
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_timer, 10, 0));
  uv_run(&loop, UV_RUN_NOWAIT);

  pid_t pid = test_fork();
  if (pid == 0) {
    ASSERT_OK(uv_loop_fork(&loop));
    ASSERT_EQ(1, write(fds[1], "x", 1));
    ASSERT_OK(uv_async_send(&async));
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    assert_both_ran();
    _exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT)); /* the parent's loop is unchanged
                                                */
  assert_both_ran();
  test_close_loop(&loop);
  return 0;
}

static int prepare_timeout = -2;
static int check_timeout = -2;

static void note_prepare_timeout(uv_prepare_t* handle) {
  prepare_timeout = uv_backend_timeout(handle->loop);
}

static void note_check_timeout(uv_check_t* handle) {
  check_timeout = uv_backend_timeout(handle->loop);
}

/* An embedder must run the child's loop once before it waits: the backend's
 * descriptor is new. As in libuv; issue 29. */
TEST_IMPL(loop_fork_makes_an_iteration_due) {
  uv_timer_t timer;
  uv_prepare_t prepare;
  uv_check_t check;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_timer, 1000000, 0));
  ASSERT_OK(uv_prepare_init(&loop, &prepare));
  ASSERT_OK(uv_prepare_start(&prepare, note_prepare_timeout));
  ASSERT_OK(uv_check_init(&loop, &check));
  ASSERT_OK(uv_check_start(&check, note_check_timeout));
  ASSERT_EQ(0, uv_backend_timeout(&loop));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_GT(uv_backend_timeout(&loop), 0);

  pid_t pid = test_fork();
  if (pid == 0) {
    for (int i = 0; i < 2; i++) {
      ASSERT_OK(uv_loop_fork(&loop));
      ASSERT_EQ(0, uv_backend_timeout(&loop));
      uv_run(&loop, UV_RUN_NOWAIT);
      ASSERT_EQ(0, prepare_timeout);
      ASSERT_GT(check_timeout, 0);
      ASSERT_GT(uv_backend_timeout(&loop), 0);
    }
    _exit(0);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  ASSERT_GT(uv_backend_timeout(&loop), 0);
  test_close_loop(&loop);
  return 0;
}

/* The pool works in a child. */
static int work_done;

static void after_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  work_done++;
}

TEST_IMPL(loop_fork_thread_pool) {
  uv_work_t work;

  if (TEST_TSAN)
    SKIP("ThreadSanitizer allows no threads after a fork");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_queue_work(&loop, &work, ignore_work, after_work));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  pid_t pid = test_fork();
  if (pid == 0) {
    ASSERT_OK(uv_loop_fork(&loop));
    ASSERT_OK(uv_queue_work(&loop, &work, ignore_work, after_work));
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    _exit(work_done == 2 ? 0 : 1);
  }
  ASSERT_EQ(0, test_wait_child(pid));
  test_close_loop(&loop);
  return 0;
}

/* Signals: every handle on every loop, counted, last in the poll phase. */
static int signal_calls;

static void on_signal(uv_signal_t* h, int signum) {
  (void) h;
  ASSERT_EQ(SIGUSR1, signum);
  signal_calls++;
}

static int pair[2];
static int data_seen;

static void on_late_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  ASSERT_EQ(1, data_seen);
  uv_close((uv_handle_t*) handle, NULL);
}

static void on_data(uv_poll_t* handle, int status, int events) {
  (void) events;
  ASSERT_OK(status);
  data_seen++;
  uv_close((uv_handle_t*) handle, NULL);
}

static void on_write_then_raise(uv_async_t* handle) {
  ASSERT_EQ(1, write(pair[1], "x", 1));
  ASSERT_OK(raise(SIGUSR1));
  uv_close((uv_handle_t*) handle, NULL);
}

/* What was sent before a signal comes before it, even if both happen while the
 * loop runs callbacks (Node: a worker's last message before its exit). */
TEST_IMPL(signal_after_what_was_sent_before) {
  uv_loop_t loop;
  uv_signal_t signal;
  uv_poll_t poll;
  uv_async_t async;

  ASSERT_OK(pipe(pair));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_signal_init(&loop, &signal));
  ASSERT_OK(uv_signal_start(&signal, on_late_signal, SIGUSR1));
  ASSERT_OK(uv_poll_init(&loop, &poll, pair[0]));
  ASSERT_OK(uv_poll_start(&poll, UV_READABLE, on_data));
  ASSERT_OK(uv_async_init(&loop, &async, on_write_then_raise));
  ASSERT_OK(uv_async_send(&async));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, data_seen);
  close(pair[0]);
  close(pair[1]);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(signal_every_handle_on_every_loop) {
  uv_loop_t other;
  uv_signal_t handles[3];
  struct sigaction action;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_loop_init(&other));
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uv_signal_init(i == 2 ? &other : &loop, &handles[i]));
    if (i == 1)
      ASSERT_OK(uv_signal_start_oneshot(&handles[i], on_signal, SIGUSR1));
    else
      ASSERT_OK(uv_signal_start(&handles[i], on_signal, SIGUSR1));
  }
  ASSERT_ERR(UV_EINVAL, uv_signal_start(&handles[0], on_signal, 0));

  ASSERT_EQ(0, raise(SIGUSR1));
  uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(2, signal_calls);
  uv_run(&other, UV_RUN_ONCE);
  ASSERT_EQ(3, signal_calls);
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) &handles[1]));
  ASSERT_EQ(0, raise(SIGUSR1));
  uv_run(&loop, UV_RUN_ONCE);
  uv_run(&other, UV_RUN_ONCE);
  ASSERT_EQ(5, signal_calls);

  test_close_loop(&loop);
  test_close_loop(&other);
  /* Stopping the last handle restores the default. */
  ASSERT_EQ(0, sigaction(SIGUSR1, NULL, &action));
  ASSERT(action.sa_handler == SIG_DFL);
  return 0;
}

#endif

TEST_IMPL(poll_handle_rules) {
  uv_poll_t a;
  uv_poll_t b;
  uv_os_sock_t fds[2];
  uv_fs_t req;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, fds, 0, 0));
  int file =
      uv_fs_open(NULL, &req, "file", UV_FS_O_CREAT | UV_FS_O_RDWR, 0600, NULL);
  ASSERT_GE(file, 0);
  int err = uv_poll_init(&loop, &a, file);
  /* Windows says "not a socket", Wine "not supported". */
  ASSERT(TEST_POSIX ? err == TEST_POLL_FILE
                    : err == UV_ENOTSOCK || err == UV_ENOTSUP);
  ASSERT_ERR(TEST_NO_SOCKET, uv_poll_init(&loop, &a, 999));
  ASSERT_OK(uv_poll_init_socket(&loop, &a, fds[0]));
  ASSERT_OK(uv_poll_start(&a, UV_READABLE, on_poll));
  /* Windows does not track who watches what. */
  if (TEST_POSIX)
    ASSERT_ERR(UV_EEXIST, uv_poll_init_socket(&loop, &b, fds[0]));
  /* The fd may be closed right after the stop. */
  ASSERT_OK(uv_poll_stop(&a));
  test_close_socket(fds[0]);
  test_close_socket(fds[1]);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_OK(uv_fs_close(NULL, &req, file, NULL));
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* Signal callbacks run last in a poll phase. */
static void on_signal_noted(uv_signal_t* h, int signum) {
  (void) h;
  (void) signum;
  note('s');
}

static void on_async_noted(uv_async_t* h) {
  (void) h;
  note('a');
}

TEST_IMPL(signal_callbacks_run_last) {
  uv_signal_t sig;
  uv_async_t async;
  uv_poll_t poll_handle;
  int fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_EQ(0, pipe(fds));
  ASSERT_OK(uv_signal_init(&loop, &sig));
  ASSERT_OK(uv_signal_start(&sig, on_signal_noted, SIGUSR2));
  ASSERT_OK(uv_async_init(&loop, &async, on_async_noted));
  ASSERT_OK(uv_poll_init(&loop, &poll_handle, fds[0]));
  ASSERT_OK(uv_poll_start(&poll_handle, UV_READABLE, on_poll));
  ASSERT_EQ(0, raise(SIGUSR2));
  ASSERT_OK(uv_async_send(&async));
  ASSERT_EQ(1, write(fds[1], "x", 1));
  uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(3, strlen(trace));
  ASSERT_EQ('s', trace[2]);
  test_close_loop(&loop);
  return 0;
}

#endif

/* A poll callback closes its handle when the fd has failed (libuv before 1.52.1
 * crashed). */
static void on_poll_close(uv_poll_t* h, int status, int events) {
  (void) status;
  (void) events;
  note('f');
  if (!uv_is_closing((uv_handle_t*) h))
    uv_close((uv_handle_t*) h, NULL);
}

TEST_IMPL(poll_callback_closes_on_error) {
  uv_poll_t poll_handle;
  uv_os_sock_t fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, fds, 0, 0));
  ASSERT_OK(uv_poll_init_socket(&loop, &poll_handle, fds[1]));
  ASSERT_OK(
      uv_poll_start(&poll_handle, UV_WRITABLE | UV_DISCONNECT, on_poll_close));
  test_close_socket(fds[0]); /* writing would be an error: POLLHUP */
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_STR_EQ("f", trace);
  test_close_socket(fds[1]);
  test_close_loop(&loop);
  return 0;
}
