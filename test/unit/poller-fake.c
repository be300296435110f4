/* SPDX-License-Identifier: MIT */
#include "poller-fake.h"

#include <stdio.h>
#include <string.h>

struct fake fake;
static int scripted_clock;

/* Made by the linker's --wrap. */
uint64_t __real_uv_hrtime(void);
uint64_t __wrap_uv_hrtime(void);

uint64_t __wrap_uv_hrtime(void) {
  return scripted_clock ? fake.now_ns : __real_uv_hrtime();
}

static int fake_open(uv_loop_t* loop) {
  fake_os_open(loop);
  return 0;
}

static void fake_end(uv_loop_t* loop) {
  (void) loop;
}

static int fake_reopen(uv_loop_t* loop) {
  (void) loop;
  return 0;
}

static int run_step(struct uv__event* out) {
  const struct fake_step* step = &fake.steps[fake.next_step++];

  fake.now_ns += step->pass_ns;
  for (int i = 0; i < step->result; i++) {
    out[i] = step->events[i];
    if (out[i].kind == UV__EVENT_WAKE && fake.posted != NULL) {
      out[i].kind = UV__EVENT_REQ;
      out[i].key = (uintptr_t) fake.posted;
      fake.posted = NULL;
    }
  }
  return step->result;
}

static int fake_wait(uv_loop_t* loop,
                     struct uv__event* out,
                     int max,
                     int timeout_ms) {
  (void) loop;
  CHECK(fake.nwaits < FAKE_LOG_MAX);
  fake.waits[fake.nwaits++] = timeout_ms;

  if (fake.on_wait != NULL)
    return fake.on_wait(&fake, out, max, timeout_ms);
  if (fake.next_step < fake.nsteps)
    return run_step(out);

  CHECK(timeout_ms != -1); /* nothing would ever end this wait */
  fake.now_ns += (uint64_t) timeout_ms * FAKE_MS;
  return 0;
}

static int fake_wake_loop(uv_loop_t* loop) {
  (void) loop;
  fake.wakes++;
  return fake.wake_err;
}

/* A request in the port ends a wait as a wake does: fake_wake() reports it. */
static void fake_post(uv_loop_t* loop, uv_req_t* req) {
  CHECK(fake.posted == NULL);
  fake.posted = req;
  (void) fake_wake_loop(loop); /* cannot fail */
}

static int fake_probe(uv_loop_t* loop, int fd) {
  (void) loop;
  (void) fd;
  return 0;
}

static int fake_apply(uv_loop_t* loop, int fd, unsigned have, unsigned want) {
  (void) loop;
  CHECK(fake.napplies < FAKE_LOG_MAX);
  fake.applies[fake.napplies++] = (struct fake_apply) { fd, have, want };
  return fd == fake.refuse_fd ? fake.refuse_err : 0;
}

static void fake_forget(uv_loop_t* loop, int fd) {
  (void) loop;
  (void) fd;
  fake.forgets++;
}

static const struct uv__watch_ops fake_watch = {
  .probe = fake_probe,
  .apply = fake_apply,
  .forget = fake_forget,
};

static const struct uv__poller fake_poller = {
  .name = "fake",
  .open = fake_open,
  .close = fake_end,
  .reopen = fake_reopen,
  .wait = fake_wait,
  .wake = fake_wake_loop,
  .post = fake_post,
  .watch = &fake_watch,
};

void fake_init(void) {
  memset(&fake, 0, sizeof(fake));
  fake.now_ns = FAKE_START_NS;
  fake.refuse_fd = -1;
  scripted_clock = 1;

  /* A real loop whose poller is replaced before anything has used it. */
  CHECK_EQ(0, uv_loop_init(&fake.loop));
  struct uv__loop_state* state = uv__loop_state(&fake.loop);
  state->poller->close(&fake.loop);
  state->poller = &fake_poller;
  CHECK_EQ(0, fake_poller.open(&fake.loop));
}

void fake_close(void) {
  CHECK_EQ(0, uv_loop_close(&fake.loop));
}

static void close_quietly(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (!uv_is_closing(handle))
    uv_close(handle, NULL);
}

void fake_close_all(void) {
  fake.on_wait = NULL;
  fake.next_step = fake.nsteps;
  fake.refuse_fd = -1;
  uv_walk(&fake.loop, close_quietly, NULL);
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_close();
}

struct fake_step* fake_add_step(void) {
  CHECK(fake.nsteps < FAKE_STEPS_MAX);
  struct fake_step* step = &fake.steps[fake.nsteps++];
  memset(step, 0, sizeof(*step));
  return step;
}

void fake_pass(uint64_t ns) {
  fake_add_step()->pass_ns = ns;
}

void fake_error(int err) {
  fake_add_step()->result = err;
}

void fake_and_io(int fd, unsigned bits) {
  struct fake_step* step = &fake.steps[fake.nsteps - 1];
  CHECK(step->result < FAKE_EVENTS_MAX);
  struct uv__event* event = &step->events[step->result++];
  event->key = (uintptr_t) fd;
  event->bits = bits;
  event->kind = UV__EVENT_IO;
}

void fake_io(int fd, unsigned bits) {
  fake_add_step();
  fake_and_io(fd, bits);
}

void fake_wake(void) {
  struct fake_step* step = fake_add_step();
  step->result = 1;
  step->events[0].kind = UV__EVENT_WAKE;
}

void fake_note(char what) {
  CHECK(fake.ntrace + 1 < sizeof(fake.trace));
  fake.trace[fake.ntrace++] = what;
}

void fake_check_trace(const char* want) {
  fake.trace[fake.ntrace] = '\0';
  CHECK_STR(want, fake.trace);
  fake.ntrace = 0;
}

static void append_number(char* text, size_t size, int number) {
  size_t len = strlen(text);
  snprintf(text + len, size - len, "%d ", number);
}

void fake_check_waits(const int* want, const char* file, int line) {
  char wanted[1024] = "";
  char got[1024] = "";

  for (; *want != -2; want++)
    append_number(wanted, sizeof(wanted), *want);
  for (int i = 0; i < fake.nwaits; i++)
    append_number(got, sizeof(got), fake.waits[i]);
  fake.nwaits = 0;
  unit_check_str(wanted, got, file, line, "timeouts of the waits");
}
