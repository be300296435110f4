/* SPDX-License-Identifier: MIT */
/* loop/poll.c and the fd table on the fake poller: batches, stale events,
 * refused fds, interest that is committed once and only if it changed. */
#include "poller-fake.h"

#include "os/loop.h"
#include "unix/io.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HANDLES 3
#define BATCHES_MAX 48 /* as in loop/poll.c */

static uv_poll_t handles[HANDLES]; /* recorded as 0, 1, 2 */
static int fds[HANDLES];
static uv_timer_t timer;
static uv_check_t check;

static void timer_cb(uv_timer_t* h) {
  (void) h;
  fake_note('t');
}

static void check_cb(uv_check_t* h) {
  (void) h;
  fake_note('c');
}

static void poll_cb(uv_poll_t* h, int status, int events) {
  (void) events;
  CHECK_EQ(0, status);
  fake_note((char) ('0' + (h - handles)));
}

static void setup(void) {
  fake_init();
  for (int i = 0; i < HANDLES; i++) {
    fds[i] = dup(0);
    CHECK(fds[i] >= 0);
    CHECK_EQ(0, uv_poll_init(&fake.loop, &handles[i], fds[i]));
    CHECK_EQ(0, uv_poll_start(&handles[i], UV_READABLE, poll_cb));
  }
  CHECK_EQ(0, uv_timer_init(&fake.loop, &timer));
  CHECK_EQ(0, uv_check_init(&fake.loop, &check));
}

UNIT_TEST(loop_poll_batch_in_order) {
  setup();
  fake_io(fds[2], POLLIN);
  fake_and_io(fds[0], POLLIN);
  fake_and_io(fds[1], POLLIN);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("201");
  FAKE_CHECK_WAITS(-1); /* not full: no second wait */
  fake_close_all();
}

static int full_batches;
static int full_size; /* the room that a wait must offer */

static int full_wait(struct fake* f, struct uv__event* out, int max, int ms) {
  (void) ms;
  (void) f;
  if (full_batches-- <= 0)
    return 0;
  CHECK_EQ(full_size, max);
  full_size = UV__BATCH_MAX; /* once a batch was full */
  for (int i = 0; i < max; i++) {
    out[i].key = (uintptr_t) fds[0];
    out[i].bits = POLLIN;
    out[i].kind = UV__EVENT_IO;
  }
  return max;
}

static unsigned counted;

static void count_cb(uv_poll_t* h, int status, int events) {
  (void) h;
  (void) events;
  CHECK_EQ(0, status);
  counted++;
}

static void check_full(int batches, int waits) {
  counted = 0;
  full_batches = batches;
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  CHECK_EQ(waits, fake.nwaits);
  CHECK_EQ(-1, fake.waits[0]);
  for (int i = 1; i < waits; i++)
    CHECK_EQ(0, fake.waits[i]);
  fake.nwaits = 0;
}

/* A full batch is followed by another wait without sleeping, up to a limit
 * after which timers and the other phases run. A new loop's batches are small
 * and only make room for larger ones. */
UNIT_TEST(loop_poll_full_batch_goes_on) {
  setup();
  uv_poll_start(&handles[0], UV_READABLE, count_cb);
  fake.on_wait = full_wait;
  full_size = UV__BATCH_FIRST;
  check_full(1, 1);
  CHECK_EQ(UV__BATCH_FIRST, counted);
  check_full(1, 2);
  CHECK_EQ(UV__BATCH_MAX, counted);
  check_full(5, 6);
  CHECK_EQ(5 * UV__BATCH_MAX, counted);
  check_full(1000000, BATCHES_MAX);
  CHECK_EQ(BATCHES_MAX * UV__BATCH_MAX, counted);
  fake_close_all();
}

static void stop_loop_cb(uv_poll_t* h, int status, int events) {
  poll_cb(h, status, events);
  uv_stop(&fake.loop);
}

/* uv_stop() in a callback: collected events are still delivered. */
UNIT_TEST(loop_poll_stop_in_callback) {
  setup();
  uv_check_start(&check, check_cb);
  uv_poll_start(&handles[0], UV_READABLE, stop_loop_cb);
  fake_io(fds[0], POLLIN);
  fake_and_io(fds[1], POLLIN);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_check_trace("01c");
  FAKE_CHECK_WAITS(-1);
  fake_close_all();
}

static void stop_others_cb(uv_poll_t* h, int status, int events) {
  poll_cb(h, status, events);
  uv_poll_stop(&handles[1]);
  uv_close((uv_handle_t*) &handles[2], NULL);
}

/* P8: a stopped or closed handle gets nothing that was collected before. */
UNIT_TEST(loop_poll_stale_after_stop_and_close) {
  setup();
  uv_poll_start(&handles[0], UV_READABLE, stop_others_cb);
  fake_io(fds[0], POLLIN);
  fake_and_io(fds[1], POLLIN);
  fake_and_io(fds[2], POLLIN);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("0");
  fake_close_all();
}

static uv_poll_t successor;

static void successor_cb(uv_poll_t* h, int status, int events) {
  (void) h;
  (void) status;
  (void) events;
  fake_note('s');
}

static void reuse_fd_cb(uv_poll_t* h, int status, int events) {
  poll_cb(h, status, events);
  uv_close((uv_handle_t*) &handles[1], NULL);
  close(fds[1]);
  CHECK_EQ(fds[1], dup2(0, fds[1]));
  CHECK_EQ(0, uv_poll_init(&fake.loop, &successor, fds[1]));
  CHECK_EQ(0, uv_poll_start(&successor, UV_READABLE, successor_cb));
}

/* P8: the number of a closed fd, reused by another file in the same batch. */
UNIT_TEST(loop_poll_stale_fd_number_reused) {
  setup();
  uv_poll_start(&handles[0], UV_READABLE, reuse_fd_cb);
  fake_io(fds[0], POLLIN);
  fake_and_io(fds[1], POLLIN);
  fake_and_io(fds[2], POLLIN);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("02");
  /* Its own events arrive. */
  uv_poll_start(&handles[0], UV_READABLE, poll_cb);
  fake_io(fds[1], POLLIN);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  fake_check_trace("s");
  fake_close_all();
}

static void restart_cb(uv_poll_t* h, int status, int events) {
  poll_cb(h, status, events);
  uv_poll_stop(&handles[1]);
  uv_poll_start(&handles[1], UV_READABLE, poll_cb);
}

/* Stopped and started again in one batch: old events do not count (and a level
 * is reported again anyway, P2). */
UNIT_TEST(loop_poll_stale_after_restart) {
  setup();
  uv_poll_start(&handles[0], UV_READABLE, restart_cb);
  fake_io(fds[0], POLLIN);
  fake_and_io(fds[1], POLLIN);
  uv_run(&fake.loop, UV_RUN_ONCE);
  fake_check_trace("0");
  uv_poll_start(&handles[0], UV_READABLE, poll_cb);
  fake_io(fds[1], POLLIN);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  fake_check_trace("1");
  fake_close_all();
}

/* Only stale events: the wait continues for the remaining time. */
UNIT_TEST(loop_poll_stale_does_not_end_the_wait) {
  setup();
  uv_timer_start(&timer, timer_cb, 100, 0);
  fake_io(999, POLLIN);
  fake.steps[0].pass_ns = 30 * FAKE_MS;
  fake_io(fds[0], POLLOUT); /* not requested */
  fake.steps[1].pass_ns = 30 * FAKE_MS;
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  FAKE_CHECK_WAITS(100, 70, 40);
  fake_check_trace("t");
  CHECK(fake.now_ns == FAKE_START_NS + 100 * FAKE_MS);
  CHECK(fake.forgets >= 1); /* an fd without an owner is removed from the poller
                             */
  fake_close_all();
}

/* Errors and hangups are delivered whatever was requested. */
static int last_status;
static int last_events;

static void record_cb(uv_poll_t* h, int status, int events) {
  (void) h;
  fake_note('r');
  last_status = status;
  last_events = events;
}

UNIT_TEST(loop_poll_hangup_is_delivered) {
  setup();
  uv_poll_start(&handles[0], UV_READABLE, record_cb);
  fake_io(fds[0], POLLHUP);
  uv_run(&fake.loop, UV_RUN_ONCE);
  fake_check_trace("r");
  CHECK_EQ(0, last_status);
  CHECK_EQ(UV_READABLE, last_events);
  fake_close_all();
}

/* P4: a refused fd is an error of that handle; the others continue. */
UNIT_TEST(loop_poll_refused_apply) {
  setup();
  uv_poll_start(&handles[1], UV_READABLE, record_cb);
  fake.refuse_fd = fds[1];
  fake.refuse_err = UV_EPERM;
  fake_io(fds[0], POLLIN);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("0r");
  FAKE_CHECK_WAITS(0); /* there is something to deliver: no sleep */
  CHECK_EQ(UV_EBADF, last_status);
  CHECK_EQ(0, uv_is_active((uv_handle_t*) &handles[1]));

  /* Not tried again until it is started again, which may succeed. */
  int applies = fake.napplies;
  fake_io(fds[0], POLLIN);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  CHECK_EQ(applies, fake.napplies);
  fake.refuse_fd = -1;
  uv_poll_start(&handles[1], UV_READABLE, poll_cb);
  fake_io(fds[1], POLLIN);
  fake_check_trace("0");
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  fake_check_trace("1");
  fake_close_all();
}

/* Refused and closed before the error was delivered: no callback. */
static void close_refused_cb(uv_poll_t* h, int status, int events) {
  poll_cb(h, status, events);
  uv_close((uv_handle_t*) &handles[1], NULL);
}

UNIT_TEST(loop_poll_refused_then_closed) {
  setup();
  uv_poll_start(&handles[0], UV_READABLE, close_refused_cb);
  uv_poll_start(&handles[1], UV_READABLE, record_cb);
  fake.refuse_fd = fds[1];
  fake.refuse_err = UV_ENOMEM;
  fake_io(fds[0], POLLIN);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_ONCE));
  fake_check_trace("0");
  fake_close_all();
}

/* Refused, and started again with the same interest before the error was
 * delivered: tried again. Streams depend on it. */
UNIT_TEST(loop_poll_refused_then_started) {
  setup();
  uv__io_t* w = &handles[1].io_watcher;
  fake.refuse_fd = fds[1];
  fake.refuse_err = UV_ENOMEM;
  CHECK_EQ(1, uv__loop_os_commit(&fake.loop));
  CHECK_EQ(0, w->events);

  fake.refuse_fd = -1;
  uv__io_start(&fake.loop, w, POLLIN);
  CHECK_EQ(0, uv__loop_os_commit(&fake.loop));
  CHECK_EQ(POLLIN, w->events);
  fake_close_all();
}

static void alloc_nothing(uv_handle_t* h, size_t size, uv_buf_t* buf) {
  (void) h;
  (void) size;
  buf->base = NULL;
  buf->len = 0;
}

static void read_cb(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  (void) nread;
  (void) buf;
}

/* Interest is committed once, and not at all if it did not change. */
UNIT_TEST(loop_poll_commit_only_changes) {
  uv_pipe_t stream;
  int pair[2];

  setup();
  CHECK_EQ(0, uv_pipe(pair, UV_NONBLOCK_PIPE, 0));
  CHECK_EQ(0, uv_pipe_init(&fake.loop, &stream, 0));
  CHECK_EQ(0, uv_pipe_open(&stream, pair[0]));
  fake_pass(0);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  CHECK_EQ(HANDLES, fake.napplies);
  CHECK_EQ(0, fake.applies[0].have);
  CHECK_EQ(POLLIN, fake.applies[0].want);

  for (int i = 0; i < 10; i++) {
    uv_read_stop((uv_stream_t*) &stream);
    uv_read_start((uv_stream_t*) &stream, alloc_nothing, read_cb);
    fake_pass(0);
    uv_run(&fake.loop, UV_RUN_NOWAIT);
  }
  CHECK_EQ(HANDLES + 1, fake.napplies);
  CHECK_EQ(0, fake.applies[HANDLES].have);
  CHECK_EQ(POLLIN, fake.applies[HANDLES].want);
  uv_close((uv_handle_t*) &stream, NULL);
  fake_close_all();
  close(pair[1]);
}

/* A stopped stream costs nothing until its descriptor is ready. */
UNIT_TEST(loop_poll_stopped_until_ready) {
  uv_pipe_t stream;
  int pair[2];

  setup();
  CHECK_EQ(0, uv_pipe(pair, UV_NONBLOCK_PIPE, 0));
  CHECK_EQ(0, uv_pipe_init(&fake.loop, &stream, 0));
  CHECK_EQ(0, uv_pipe_open(&stream, pair[0]));
  uv_read_start((uv_stream_t*) &stream, alloc_nothing, read_cb);
  fake_pass(0);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  CHECK_EQ(HANDLES + 1, fake.napplies);

  uv_read_stop((uv_stream_t*) &stream);
  CHECK(uv_backend_timeout(&fake.loop) != 0); /* nothing to be told */
  fake_pass(0);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  CHECK_EQ(HANDLES + 1, fake.napplies);
  CHECK_EQ(0, fake.forgets);

  fake_io(pair[0], POLLIN);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  CHECK_EQ(HANDLES + 1, fake.napplies);
  CHECK_EQ(1, fake.forgets);

  /* After a restart it is new to the poller. */
  uv_read_start((uv_stream_t*) &stream, alloc_nothing, read_cb);
  fake_pass(0);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  CHECK_EQ(HANDLES + 2, fake.napplies);
  CHECK_EQ(0, fake.applies[HANDLES + 1].have);
  uv_close((uv_handle_t*) &stream, NULL);
  fake_close_all();
  close(pair[1]);
}

static int alive_in_callback;

static void note_alive(uv_write_t* req, int status) {
  (void) status;
  alive_in_callback = uv_loop_alive(req->handle->loop);
}

static void write_at_end(uv_stream_t* stream,
                         ssize_t nread,
                         const uv_buf_t* buf) {
  static uv_write_t req;
  uv_buf_t text = uv_buf_init((char*) "x", 1);

  (void) nread;
  (void) buf;
  CHECK_EQ(0, uv_read_stop(stream));
  CHECK_EQ(0, uv_write(&req, stream, &text, 1, note_alive));
}

/* A requested iteration keeps the loop alive, although the event being
 * dispatched has already reported the result. */
UNIT_TEST(loop_poll_alive_while_a_round_is_due) {
  uv_pipe_t stream;
  uv_os_sock_t pair[2];

  setup();
  for (int i = 0; i < HANDLES; i++)
    uv_poll_stop(&handles[i]);
  CHECK_EQ(0, uv_socketpair(SOCK_STREAM, 0, pair, UV_NONBLOCK_PIPE, 0));
  CHECK_EQ(0, close(pair[1]));
  CHECK_EQ(0, uv_pipe_init(&fake.loop, &stream, 0));
  CHECK_EQ(0, uv_pipe_open(&stream, pair[0]));
  uv_read_start((uv_stream_t*) &stream, alloc_nothing, write_at_end);
  fake_io(pair[0], POLLIN | POLLHUP);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  CHECK_EQ(1, alive_in_callback);
  CHECK_EQ(0, uv_loop_alive(&fake.loop));
  uv_close((uv_handle_t*) &stream, NULL);
  fake_close_all();
}

/* A restarted poll handle is committed again, once per iteration: the number
 * may belong to another descriptor. */
UNIT_TEST(loop_poll_commit_restarts) {
  setup();
  fake_pass(0);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  CHECK_EQ(HANDLES, fake.napplies);

  for (int i = 1; i <= 3; i++) {
    uv_poll_start(&handles[0], UV_READABLE | UV_WRITABLE, poll_cb);
    uv_poll_start(&handles[0], UV_READABLE, poll_cb);
    fake_io(fds[0], POLLIN);
    uv_run(&fake.loop, UV_RUN_NOWAIT);
    CHECK_EQ(HANDLES + i, fake.napplies);
    CHECK_EQ(POLLIN, fake.applies[HANDLES + i - 1].have);
    CHECK_EQ(POLLIN, fake.applies[HANDLES + i - 1].want);
  }

  /* Started and stopped: nothing to commit. */
  uv_poll_start(&handles[0], UV_READABLE, poll_cb);
  uv_poll_stop(&handles[0]);
  fake_pass(0);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  CHECK_EQ(HANDLES + 3, fake.napplies);
  fake_close_all();
}

/* After a fork everything is committed again. */
UNIT_TEST(loop_poll_fork_applies_all_again) {
  setup();
  fake_pass(0);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  uv_poll_stop(&handles[2]);
  fake.napplies = 0;
  CHECK_EQ(0, uv_loop_fork(&fake.loop));
  fake_io(fds[0], POLLIN);
  fake_and_io(fds[1], POLLIN);
  uv_run(&fake.loop, UV_RUN_NOWAIT);
  CHECK_EQ(2, fake.napplies);
  CHECK_EQ(0, fake.applies[0].have);
  CHECK_EQ(POLLIN, fake.applies[1].want);
  fake_check_trace("01");
  fake_close_all();
}
