/* SPDX-License-Identifier: MIT */
/* Any sequence of calls on a loop with a scripted poller and clock
 * (test/unit/poller-fake.c). The input selects the next call, what callbacks do
 * and what the poller reports, including stale fds, errors and wakes.
 *
 * Invariants: no callback of a stopped or closed handle, no timer before its
 * time, each close reported once, and a loop whose handles are all closed ends
 * without waiting and can be closed. */
#include "fuzz.h"

#include "../unit/poller-fake.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TIMERS = 5, WATCHERS = 2, ASYNCS = 3, POLLS = 2, PIPES = 2, SLOTS = 20 };
enum { STEPS_MAX = 400, CALLBACK_DEPTH_MAX = 3, PASSES_MAX = 64 };

enum kind { NONE, TIMER, IDLE, PREPARE, CHECKER, ASYNC, POLLER, PIPE };

struct slot {
  enum kind kind;
  int closing;
  int started;
  uint64_t due;
  int fd;    /* of a pipe or poll handle */
  int other; /* the end that is not watched */
  int writes;
  union uv_any_handle h;
};

static struct slot slots[SLOTS];
static const uint8_t* input;
static size_t left;
static int depth;
static int owed_writes;

/* What the unit checks of the fake poller call. */
void unit_check(int ok, const char* file, int line, const char* text) {
  if (!ok)
    fuzz_fail(file, line, text);
}

void unit_check_eq(intmax_t want,
                   intmax_t got,
                   const char* file,
                   int line,
                   const char* want_text,
                   const char* got_text) {
  (void) want_text;
  unit_check(want == got, file, line, got_text);
}

void unit_check_str(const char* want,
                    const char* got,
                    const char* file,
                    int line,
                    const char* text) {
  unit_check(strcmp(want, got) == 0, file, line, text);
}

static unsigned next_byte(void) {
  if (left == 0)
    return 0;
  left--;
  return *input++;
}

static struct slot* slot_of(const void* handle) {
  return ((const uv_handle_t*) handle)->data;
}

static void act(void);

/* In a callback: it may call anything. */
static void callback(struct slot* s) {
  REQUIRE(s->kind != NONE && !s->closing);
  if (depth++ < CALLBACK_DEPTH_MAX && left > 0)
    act();
  depth--;
}

static void on_timer(uv_timer_t* timer) {
  struct slot* s = slot_of(timer);
  REQUIRE(s->started);
  REQUIRE(uv_now(&fake.loop) >= s->due);
  uint64_t repeat = uv_timer_get_repeat(timer);
  if (repeat == 0)
    s->started = 0;
  else
    s->due = uv_now(&fake.loop) + repeat;
  callback(s);
}

static void on_idle(uv_idle_t* h) {
  REQUIRE(slot_of(h)->started);
  callback(slot_of(h));
}

static void on_prepare(uv_prepare_t* h) {
  REQUIRE(slot_of(h)->started);
  callback(slot_of(h));
}

static void on_check(uv_check_t* h) {
  REQUIRE(slot_of(h)->started);
  callback(slot_of(h));
}

static void on_async(uv_async_t* h) {
  callback(slot_of(h));
}

static void on_poll(uv_poll_t* h, int status, int events) {
  struct slot* s = slot_of(h);
  REQUIRE(s->started);
  REQUIRE(status <= 0);
  (void) events;
  if (status < 0)
    s->started = uv_is_active((uv_handle_t*) h);
  callback(s);
}

static void on_alloc(uv_handle_t* h, size_t size, uv_buf_t* buf) {
  static char space[512];
  (void) h;
  (void) size;
  *buf = uv_buf_init(space, left % 7 == 0 ? 0 : sizeof(space));
}

static void on_read(uv_stream_t* h, ssize_t n, const uv_buf_t* buf) {
  struct slot* s = slot_of(h);
  (void) buf;
  REQUIRE(s->started);
  if (n < 0 && n != UV_ENOBUFS)
    s->started = 0;
  callback(s);
}

static void on_write(uv_write_t* req, int status) {
  struct slot* s = req->data;
  REQUIRE(status <= 0);
  REQUIRE(s->writes > 0);
  s->writes--;
  owed_writes--;
  free(req);
}

static void on_close(uv_handle_t* h) {
  struct slot* s = slot_of(h);
  REQUIRE(s->closing);
  REQUIRE(s->writes == 0);
  if (s->other >= 0)
    close(s->other);
  if (s->kind == POLLER)
    close(s->fd);
  s->kind = NONE;
}

static void make_pair(struct slot* s) {
  int fds[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
  s->fd = fds[0];
  s->other = fds[1];
}

static void create(struct slot* s, enum kind kind) {
  uv_loop_t* loop = &fake.loop;

  memset(s, 0, sizeof(*s));
  s->other = -1;
  s->fd = -1;
  switch (kind) {
  case NONE:
    return;
  case TIMER:
    REQUIRE(uv_timer_init(loop, &s->h.timer) == 0);
    break;
  case IDLE:
    REQUIRE(uv_idle_init(loop, &s->h.idle) == 0);
    break;
  case PREPARE:
    REQUIRE(uv_prepare_init(loop, &s->h.prepare) == 0);
    break;
  case CHECKER:
    REQUIRE(uv_check_init(loop, &s->h.check) == 0);
    break;
  case ASYNC:
    REQUIRE(uv_async_init(loop, &s->h.async, on_async) == 0);
    break;
  case POLLER:
    make_pair(s);
    REQUIRE(uv_poll_init(loop, &s->h.poll, s->fd) == 0);
    break;
  case PIPE:
    make_pair(s);
    REQUIRE(uv_pipe_init(loop, &s->h.pipe, 0) == 0);
    REQUIRE(uv_pipe_open(&s->h.pipe, s->fd) == 0);
    break;
  }
  s->kind = kind;
  s->h.handle.data = s;
}

static void start(struct slot* s, unsigned arg) {
  switch (s->kind) {
  case TIMER: {
    uint64_t timeout = arg % 16;
    uint64_t repeat = arg / 16 % 4;
    int err = uv_timer_start(&s->h.timer, on_timer, timeout, repeat);
    REQUIRE(err == (s->closing ? UV_EINVAL : 0));
    if (err == 0) {
      s->started = 1;
      s->due = uv_now(&fake.loop) + timeout;
    }
    break;
  }
  case IDLE:
    if (!s->closing && uv_idle_start(&s->h.idle, on_idle) == 0)
      s->started = 1;
    break;
  case PREPARE:
    if (!s->closing && uv_prepare_start(&s->h.prepare, on_prepare) == 0)
      s->started = 1;
    break;
  case CHECKER:
    if (!s->closing && uv_check_start(&s->h.check, on_check) == 0)
      s->started = 1;
    break;
  case ASYNC:
    REQUIRE(uv_async_send(&s->h.async) == 0);
    break;
  case POLLER:
    if (!s->closing) {
      int err = uv_poll_start(&s->h.poll, 1 + (int) (arg % 15), on_poll);
      REQUIRE(err == 0);
      s->started = 1;
    }
    break;
  case PIPE: {
    int err = uv_read_start(&s->h.stream, on_alloc, on_read);
    if (err == 0)
      s->started = 1;
    else
      REQUIRE(err == UV_EALREADY || err == UV_EINVAL || err == UV_ENOTCONN);
    break;
  }
  case NONE:
    break;
  }
}

static void stop(struct slot* s) {
  switch (s->kind) {
  case TIMER:
    REQUIRE(uv_timer_stop(&s->h.timer) == 0);
    break;
  case IDLE:
    REQUIRE(uv_idle_stop(&s->h.idle) == 0);
    break;
  case PREPARE:
    REQUIRE(uv_prepare_stop(&s->h.prepare) == 0);
    break;
  case CHECKER:
    REQUIRE(uv_check_stop(&s->h.check) == 0);
    break;
  case POLLER:
    if (s->closing)
      return;
    REQUIRE(uv_poll_stop(&s->h.poll) == 0);
    break;
  case PIPE:
    REQUIRE(uv_read_stop(&s->h.stream) == 0);
    break;
  case ASYNC:
  case NONE:
    return;
  }
  s->started = 0;
}

static void use(struct slot* s, unsigned arg) {
  /* Lives until the write is finished, which may be after this call. */
  static char payload[64];
  char bytes[64] = "";

  if (s->kind == TIMER) {
    int err = uv_timer_again(&s->h.timer);
    if (err == 0 && uv_timer_get_repeat(&s->h.timer) != 0) {
      s->started = 1;
      s->due = uv_now(&fake.loop) + uv_timer_get_repeat(&s->h.timer);
    }
  }
  if (s->kind == PIPE && !s->closing) {
    uv_write_t* req = malloc(sizeof(*req));
    uv_buf_t buf = uv_buf_init(payload, arg % sizeof(payload));
    req->data = s;
    if (uv_write(req, &s->h.stream, &buf, 1, on_write) == 0) {
      s->writes++;
      owed_writes++;
    } else {
      free(req);
    }
  }
  /* The other side: sends, reads everything, or hangs up. */
  if ((s->kind == PIPE || s->kind == POLLER) && s->other >= 0) {
    if (arg % 3 == 0)
      (void) !write(s->other, bytes, arg % sizeof(bytes));
    else if (arg % 3 == 1)
      (void) !read(s->other, bytes, sizeof(bytes));
    else if (arg % 16 == 2) {
      close(s->other);
      s->other = -1;
    }
  }
}

static void end(struct slot* s) {
  if (s->kind == NONE || s->closing)
    return;
  s->closing = 1;
  s->started = 0;
  uv_close(&s->h.handle, on_close);
}

static void run(unsigned arg) {
  static const uv_run_mode modes[] = { UV_RUN_NOWAIT, UV_RUN_ONCE };

  fake.nwaits = 0;
  fake.napplies = 0;
  if (depth == 0)
    (void) uv_run(&fake.loop, modes[arg % 2]);
}

/* Due timers are inactive from the start of their round until their own
 * callback. */
static int is_due(const struct slot* s) {
  return s->kind == TIMER && s->started && s->due <= uv_now(&fake.loop);
}

static void act(void) {
  unsigned what = next_byte();
  unsigned arg = next_byte();
  struct slot* s = &slots[what % SLOTS];

  fake.nwaits = 0;
  fake.napplies = 0;
  if (s->kind == NONE) {
    create(s, (enum kind)(1 + arg % 7));
    return;
  }
  switch (what / SLOTS % 9) {
  case 0:
  case 1:
    start(s, arg);
    break;
  case 2:
    stop(s);
    break;
  case 3:
    use(s, arg);
    break;
  case 4:
    end(s);
    break;
  case 5:
    if (arg % 2)
      uv_ref(&s->h.handle);
    else
      uv_unref(&s->h.handle);
    break;
  case 6:
    if (arg % 8 == 0)
      uv_stop(&fake.loop);
    else if (s->kind == TIMER)
      uv_timer_set_repeat(&s->h.timer, arg % 5);
    break;
  default:
    run(arg);
    break;
  }
  if (s->kind != NONE && !s->closing && s->kind != ASYNC && s->kind != PIPE)
    REQUIRE(uv_is_active(&s->h.handle) == s->started || is_due(s));
}

/* What a wait finds: anything. Time passes; when the input ends, it sleeps as
 * long as it may. */
static int on_wait(struct fake* f, struct uv__event* out, int max, int ms) {
  int n = (int) (next_byte() % 4);

  f->nwaits = 0;
  if (left == 0) {
    if (ms > 0)
      f->now_ns += (uint64_t) ms * FAKE_MS;
    if (ms == -1)
      uv_stop(&f->loop);
    /* A wait without a timeout would never end; a wake ends it. */
    out[0].kind = UV__EVENT_WAKE;
    return ms == -1;
  }
  f->now_ns += (uint64_t) (next_byte() % 8) * (FAKE_MS / 2);
  if (n > max)
    n = max;
  for (int i = 0; i < n; i++) {
    unsigned b = next_byte();
    out[i].kind = b % 5 == 4 ? UV__EVENT_WAKE : UV__EVENT_IO;
    out[i].key = (uintptr_t) (3 + b % 60);
    out[i].bits = next_byte() & (POLLIN | POLLOUT | POLLERR | POLLHUP);
    if (slots[b % SLOTS].fd >= 0 && b < 160)
      out[i].key = (uintptr_t) slots[b % SLOTS].fd;
  }
  return n;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  signal(SIGPIPE, SIG_IGN); /* of our own writes */
  input = data;
  left = size;
  memset(slots, 0, sizeof(slots));
  owed_writes = 0;
  fake_init();
  fake.on_wait = on_wait;

  for (int i = 0; i < STEPS_MAX && left > 0; i++)
    act();

  left = 0;
  for (int i = 0; i < SLOTS; i++)
    end(&slots[i]);
  int passes = 0;
  while (uv_run(&fake.loop, UV_RUN_NOWAIT) != 0 && passes < PASSES_MAX) {
    fake.nwaits = 0;
    passes++;
  }
  REQUIRE(passes < PASSES_MAX);
  REQUIRE(owed_writes == 0);
  for (int i = 0; i < SLOTS; i++)
    REQUIRE(slots[i].kind == NONE);
  REQUIRE(!uv_loop_alive(&fake.loop));
  fake_close();
  return 0;
}
