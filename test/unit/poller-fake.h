/* SPDX-License-Identifier: MIT */
/* A poller that reports what a script says, with a clock that moves only when
 * the script moves it: the loop is tested without an operating system, to the
 * nanosecond.
 *
 * The clock: the linker redirects every call of uv_hrtime() in the unit
 * executable (-Wl,--wrap=uv_hrtime) to the function in poller-fake.c, which
 * returns the scripted time once a fake loop exists and the real time before.
 * The alternatives were a hook in clock.c, which would cost every program a
 * branch, and another clock.o, which would need a list of objects in both build
 * systems; this is one linker flag in each.
 *
 * A wait that the script does not mention sleeps for its whole timeout and
 * finds nothing. One that would sleep forever fails the test. */
#ifndef POLLER_FAKE_H_
#define POLLER_FAKE_H_

#include "unit.h"

#include "loop/state.h"

#define FAKE_MS 1000000u          /* ns in a millisecond */
#define FAKE_START_NS 5000000300u /* the clock at fake_init(): 5 s and a bit */
#define FAKE_STEPS_MAX 64
#define FAKE_LOG_MAX 256
#define FAKE_EVENTS_MAX 8

/* What one wait does: advances the time, then reports. */
struct fake_step {
  uint64_t pass_ns;
  int result; /* number of events, or UV_E* */
  struct uv__event events[FAKE_EVENTS_MAX];
};

/* One call of apply(). */
struct fake_apply {
  int fd;
  unsigned have;
  unsigned want;
};

struct fake {
  uv_loop_t loop;
  uint64_t now_ns;

  /* Consumed from the front; beyond the end, a wait sleeps and finds nothing.
   */
  struct fake_step steps[FAKE_STEPS_MAX];
  int nsteps;
  int next_step;
  /* If set, called instead of the steps. */
  int (*on_wait)(struct fake* fake,
                 struct uv__event* out,
                 int max,
                 int timeout_ms);

  /* Timeouts passed to wait(), in order. */
  int waits[FAKE_LOG_MAX];
  int nwaits;
  struct fake_apply applies[FAKE_LOG_MAX];
  int napplies;
  int forgets;
  int wakes;
  int wake_err;     /* wake() returns this error */
  uv_req_t* posted; /* Windows: in the port, not reported yet */

  /* apply() returns this error for this fd. */
  int refuse_fd;
  int refuse_err;

  /* What callbacks record, one character each. */
  char trace[4096];
  size_t ntrace;
};

/* The fake of the test; there is only one. */
extern struct fake fake;

/* A loop on the fake poller, and its cleanup: of a loop without handles, or
 * with whatever is still open and left of the script. */
void fake_init(void);
void fake_close(void);
void fake_close_all(void);

/* Something outside the loop that makes a callback run, whatever the platform
 * has: a descriptor that becomes readable, or a request that completes. */
void fake_source_init(void);
void fake_source_start(void (*cb)(void));
void fake_source_stop(void);

/* Appends a step: advance the time and find nothing; the source is ready; wake;
 * fail. */
void fake_pass(uint64_t ns);
void fake_ready(void);
void fake_wake(void);
void fake_error(int err);
/* Appends an empty step, to be filled. */
struct fake_step* fake_add_step(void);

/* Readiness: appends a step that reports this fd, or adds to the last. */
void fake_io(int fd, unsigned bits);
void fake_and_io(int fd, unsigned bits);

/* ---- of the platform (fake-source-*.c) ---- */

/* A loop without a poller instance. */
void fake_os_open(uv_loop_t* loop);

/* Records a character; checks everything recorded since the last check. */
void fake_note(char what);
void fake_check_trace(const char* want);

/* Checks the timeouts of all waits since the last check; -2 ends the list. */
#define FAKE_CHECK_WAITS(...)                                                  \
 fake_check_waits((const int[]) { __VA_ARGS__, -2 }, __FILE__, __LINE__)
void fake_check_waits(const int* want, const char* file, int line);

#endif /* POLLER_FAKE_H_ */
