/* SPDX-License-Identifier: MIT */
/* Loops, timers, async, idle, prepare and check, signals, poll, tty, fork. */
#define _GNU_SOURCE
#include "scenarios.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int ticks;

static void on_timer(uv_timer_t* timer) {
  (void) timer;
  ticks++;
}

/* A second loop, from init to close. */
void scenario_loop(void) {
  enum { TIMERS = 20 };
  static uv_timer_t timers[TIMERS];
  uv_loop_t loop;
  int started = 0;

  ticks = 0;
  if (sc_try(uv_loop_init(&loop)) != 0)
    return;
  for (int i = 0; i < TIMERS; i++) {
    SC_CHECK(uv_timer_init(&loop, &timers[i]) == 0);
    int err = uv_timer_start(&timers[i], on_timer, 1, 0);
    if (err == 0)
      started++;
    else
      sc.err = err;
  }
  for (int i = 0; i < 20 && uv_run(&loop, UV_RUN_DEFAULT) != 0; i++)
    continue;
  SC_CHECK(ticks == started);
  for (int i = 0; i < TIMERS; i++)
    uv_close((uv_handle_t*) &timers[i], NULL);
  for (int i = 0; i < 20 && uv_run(&loop, UV_RUN_DEFAULT) != 0; i++)
    continue;
  SC_CHECK(uv_loop_close(&loop) == 0);
  sc.goal = 1;

  uv_loop_t* made = uv_loop_new();
  if (made == NULL)
    sc.err = UV_ENOMEM;
  else
    uv_loop_delete(made);
}

static void on_change(uv_fs_event_t* h, const char* name, int events, int err) {
  (void) h;
  (void) name;
  (void) events;
  if (err != 0)
    sc_fail(err);
}

static int start_and_close(uv_loop_t* loop) {
  static uv_fs_event_t watch;

  int err = uv_loop_init(loop);
  if (err != 0)
    return err;
  SC_CHECK(uv_fs_event_init(loop, &watch) == 0);
  err = uv_fs_event_start(&watch, on_change, ".", 0);
  uv_close((uv_handle_t*) &watch, NULL);
  for (int i = 0; i < 20 && uv_run(loop, UV_RUN_DEFAULT) != 0; i++)
    continue;
  SC_CHECK(uv_loop_close(loop) == 0);
  return err;
}

/* Without standard streams, the library moves what it opens. */
void scenario_closed_stdio(void) {
  enum { STREAMS = 3 };
  static uv_loop_t loop;
  int saved[STREAMS];

  for (int i = 0; i < STREAMS; i++) {
    saved[i] = fcntl(i, F_DUPFD_CLOEXEC, STREAMS);
    SC_CHECK(saved[i] >= STREAMS);
    close(i);
  }
  sc_try(start_and_close(&loop));
  for (int i = 0; i < STREAMS; i++) {
    SC_CHECK(fcntl(i, F_GETFD) == -1);
    SC_CHECK(dup2(saved[i], i) == i);
    close(saved[i]);
  }
  sc.goal = 1;
}

static int posts_called;

static void on_post(uvx_post_t* post) {
  if (posts_called++ == 0)
    sc_try(uvx_post(post->loop, post, on_post));
}

/* A post whose wake fails is called all the same. */
void scenario_post(void) {
  static uvx_post_t posts[2];

  posts_called = 0;
  for (int i = 0; i < 2; i++)
    sc_try(uvx_post(&sc.loop, &posts[i], on_post));
  sc_run();
  SC_CHECK(posts_called == 3);
  sc.goal = 1;
}

/* Without memory a request goes on without its deadline. */
static int deadline_calls;

static void on_deadline_work(uv_work_t* req, int status) {
  (void) req;
  SC_CHECK(status == 0 || status == UV_ETIMEDOUT || status == UV_ECANCELED);
  deadline_calls++;
  sc_arrived();
}

static void no_work(uv_work_t* req) {
  (void) req;
}

void scenario_deadline(void) {
  enum { REQS = 40 }; /* the table grows twice */
  static uv_work_t reqs[REQS];
  int started = 0;

  deadline_calls = 0;
  for (int i = 0; i < REQS; i++) {
    int err =
        sc_expect(uv_queue_work(&sc.loop, &reqs[i], no_work, on_deadline_work));
    if (err != 0)
      break;
    started++;
    err = uvx_deadline((uv_req_t*) &reqs[i], 1 + (uint64_t) i % 3);
    SC_CHECK(err == 0 || err == UV_ENOMEM);
    if (err != 0)
      sc.err = err;
  }
  sc_run();
  SC_CHECK(deadline_calls == started);
  sc.goal = deadline_calls == REQS;
}

static int loops_started; /* atomic */
static int loops_ended;

static void on_loop_start(uv_loop_t* loop, void* arg) {
  (void) loop;
  SC_CHECK(uvx_loops_pause(arg, -1) == 0);
  uvx_loops_resume(arg);
  __atomic_add_fetch(&loops_started, 1, __ATOMIC_RELAXED);
  uvx_loops_shutdown(arg);
}

static void on_loop_end(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  __atomic_add_fetch(&loops_ended, 1, __ATOMIC_RELAXED);
}

/* Whatever is refused, the loops all run and end, or none of them begins. */
void scenario_loops(void) {
  enum { LOOPS = 3 };
  uvx_loops_options_t options = { .size = sizeof(options), .count = LOOPS };
  uvx_loops_t* loops;

  loops_started = 0;
  loops_ended = 0;
  if (sc_try(uvx_loops_new(&loops, &options)) != 0)
    return;
  sc_try(uvx_loops_on_start(loops, NULL, on_loop_start, loops));
  sc_try(uvx_loops_on_end(loops, NULL, on_loop_end, NULL));
  if (sc.err == 0) {
    sc_try(uvx_loops_run(loops));
    SC_CHECK(loops_started == loops_ended);
    SC_CHECK(loops_started == LOOPS || (sc.err != 0 && loops_started == 0));
  }
  SC_CHECK(uvx_loops_free(loops) == 0);
  sc.goal = 1;
}

static uv_idle_t idle;
static uv_prepare_t prepare;
static uv_check_t check;
static uv_async_t async;
static int phases;

static void on_idle(uv_idle_t* handle) {
  phases |= 1;
  (void) uv_idle_stop(handle);
}

static void on_prepare(uv_prepare_t* handle) {
  (void) handle;
  phases |= 2;
}

static void on_check(uv_check_t* handle) {
  (void) handle;
  phases |= 4;
}

static void on_async(uv_async_t* handle) {
  (void) handle;
  phases |= 8;
  sc.goal = 1;
  sc_close_all();
}

void scenario_watchers(void) {
  phases = 0;
  if (sc_try(uv_idle_init(&sc.loop, &idle)) == 0 &&
      sc_try(uv_prepare_init(&sc.loop, &prepare)) == 0 &&
      sc_try(uv_check_init(&sc.loop, &check)) == 0 &&
      sc_try(uv_async_init(&sc.loop, &async, on_async)) == 0 &&
      sc_try(uv_idle_start(&idle, on_idle)) == 0 &&
      sc_try(uv_prepare_start(&prepare, on_prepare)) == 0 &&
      sc_try(uv_check_start(&check, on_check)) == 0)
    sc_try(uv_async_send(&async));
  sc_run();
  if (sc.err == 0)
    SC_CHECK((phases & 11) == 11);
}

static int caught;

static void on_signal(uv_signal_t* handle, int signum) {
  (void) handle;
  SC_CHECK(signum == SIGUSR1 || signum == SIGUSR2);
  if (++caught == 2) {
    sc.goal = 1;
    sc_close_all();
  }
}

void scenario_signal(void) {
  static uv_signal_t handles[8];

  caught = 0;
  for (int i = 0; i < 8; i++) {
    if (sc_try(uv_signal_init(&sc.loop, &handles[i])) != 0)
      return sc_run();
    if (i >= 2 && sc_try(uv_signal_start(&handles[i], on_signal, SIGURG)) != 0)
      return sc_run();
  }
  if (sc_try(uv_signal_start_oneshot(&handles[0], on_signal, SIGUSR1)) != 0 ||
      sc_try(uv_signal_start(&handles[1], on_signal, SIGCONT)) != 0 ||
      sc_try(uv_signal_start(&handles[1], on_signal, SIGUSR2)) != 0)
    return sc_run();
  kill(getpid(), SIGUSR1);
  kill(getpid(), SIGUSR2);
  sc_run();
}

/* ------------------------------------------------------------------------- */

static void on_poll(uv_poll_t* handle, int status, int events) {
  char bytes[8];
  uv_os_fd_t fd;

  if (status != 0) {
    sc_fail(status);
    return;
  }
  SC_CHECK(uv_fileno((uv_handle_t*) handle, &fd) == 0);
  if ((events & UV_READABLE) && read(fd, bytes, sizeof(bytes)) == 3) {
    sc.goal = 1;
    sc_close_all();
  }
}

void scenario_poll(void) {
  static uv_poll_t handle;
  int fds[2];

  fault_pause();
  SC_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
  SC_CHECK(write(fds[1], "abc", 3) == 3);
  fault_resume();
  if (sc_try(uv_poll_init(&sc.loop, &handle, fds[0])) == 0)
    sc_try(uv_poll_start(&handle, UV_READABLE | UV_WRITABLE, on_poll));
  sc_run();
  close(fds[0]);
  close(fds[1]);
}

static int tty_parts;

static void tty_part_done(void) {
  if (++tty_parts < 2)
    return;
  sc.goal = 1;
  sc_close_all();
}

static void on_tty_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  (void) s;
  if (n < 0) {
    sc_fail((int) n);
  } else if (n > 0) {
    SC_CHECK(buf->base[0] == 'a');
    tty_part_done();
  }
}

static void on_tty_write(uv_write_t* req, int status) {
  (void) req;
  sc_arrived();
  if (status != 0)
    sc_fail(status);
  else
    tty_part_done();
}

void scenario_tty(void) {
  static uv_tty_t tty;
  static uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "b", 1);
  int width;
  int height;

  tty_parts = 0;
  fault_pause();
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  SC_CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  char name[64];
  SC_CHECK(ptsname_r(master, name, sizeof(name)) == 0);
  int fd = open(name, O_RDWR | O_NOCTTY);
  SC_CHECK(fd >= 0);
  fault_resume();

  int err = uv_tty_init(&sc.loop, &tty, fd, 0);
  if (sc_try(err) == 0 && sc_try(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW)) == 0 &&
      sc_try(uv_tty_get_winsize(&tty, &width, &height)) == 0 &&
      sc_try(uv_read_start((uv_stream_t*) &tty, sc_alloc, on_tty_read)) == 0) {
    sc_expect(uv_write(&req, (uv_stream_t*) &tty, &buf, 1, on_tty_write));
    SC_CHECK(write(master, "a", 1) == 1);
  }
  sc_run();
  /* If it could not be reopened, the handle has taken it over. */
  if (fcntl(fd, F_GETFD) != -1)
    close(fd);
  close(master);
  (void) uv_tty_reset_mode();
}

/* ------------------------------------------------------------------------- */

static void on_fork_async(uv_async_t* handle) {
  (void) handle;
  sc.goal = 1;
}

/* In the child of a fork; a failure there shows in its exit status. */
static void in_child(void) {
  int err = uv_loop_fork(&sc.loop);

  if (err == 0)
    (void) uv_async_send(&async);
  if (err == 0)
    uv_run(&sc.loop, UV_RUN_NOWAIT);
  fault_disarm();
  sc_close_all();
  for (int i = 0; i < 20 && uv_run(&sc.loop, UV_RUN_NOWAIT) != 0; i++)
    continue;
  _exit(8 | (fault_happened() ? 16 : 0) | (err == 0 ? 0 : 32) |
        (sc.goal ? 64 : 0));
}

void scenario_fork(void) {
  static uv_fs_event_t watch;
  static uv_signal_t sig;
  static uv_poll_t poll_handle;
  int status;
  int fds[2];

  fault_pause();
  SC_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
  SC_CHECK(uv_async_init(&sc.loop, &async, on_fork_async) == 0);
  SC_CHECK(uv_fs_event_init(&sc.loop, &watch) == 0);
  SC_CHECK(uv_fs_event_start(&watch, on_change, ".", 0) == 0);
  SC_CHECK(uv_signal_init(&sc.loop, &sig) == 0);
  SC_CHECK(uv_signal_start(&sig, on_signal, SIGUSR1) == 0);
  SC_CHECK(uv_poll_init(&sc.loop, &poll_handle, fds[0]) == 0);
  SC_CHECK(uv_poll_start(&poll_handle, UV_READABLE, on_poll) == 0);
  uv_run(&sc.loop, UV_RUN_NOWAIT);
  fault_resume();

  pid_t pid = fork();
  SC_CHECK(pid >= 0);
  if (pid == 0) {
    /* The guard belongs to the parent; the child is limited as well. */
    alarm(5);
    in_child();
  }
  SC_CHECK(waitpid(pid, &status, 0) == pid);
  if (!WIFEXITED(status))
    sc_bug("the child of a fork died");
  if (!(WEXITSTATUS(status) & 8))
    sc_bug("in the child of a fork");
  if (WEXITSTATUS(status) & 16)
    fault_note_elsewhere();
  sc.err = WEXITSTATUS(status) & 32 ? UV_EIO : 0;
  sc.goal = WEXITSTATUS(status) & 64;
  fault_disarm();
  sc_close_all();
  sc_run();
  close(fds[0]);
  close(fds[1]);
}
