/* SPDX-License-Identifier: MIT */
/* Waking a loop, with a system call only when it sleeps.
 *
 * One word holds PENDING (a wake was sent) and AWAKE (the loop will check the
 * word before it sleeps). Senders set PENDING; a sender that finds the word
 * empty wakes the poller. The loop clears AWAKE before it blocks, which fails
 * if a wake is pending, and sets it again afterwards. All of these are
 * read-modify-write operations on one word and therefore ordered: either the
 * loop sees the pending wake, or the sender sees that the loop sleeps. The
 * poller may be woken once more than needed; then there is nothing to dispatch.
 *
 * Before it sleeps, a loop whose last sleep was ended by a wake spins on the
 * word (SPINNING, spin.h). The first spin after a pause is longer: by then the
 * other side sleeps too, and takes time to wake up.
 *
 * While the pool is saturated, a spinning loop would only take a processor from
 * a worker, and so would a loop that each finished item wakes. Such a loop
 * sleeps BATCHING: finished items leave PENDING set and let it sleep until a
 * batch has collected. The sleep is short, because the next item of a worker
 * may take any time. Every other sender ends it at once.
 *
 * Outside uv_run(), and in UV_RUN_NOWAIT, the word is never AWAKE: embedders
 * watch the poller's fd instead.
 *
 * Context: send is any | signal; the rest is the loop's.
 */
#include "loop/wake.h"
#include "loop/list.h"
#include "observe/hooks.h"
#include "pool/pool.h"
#include "util/atomic.h"
#include "util/spin.h"

#include <string.h>

#define PENDING UV__WAKE_PENDING
#define AWAKE 2u
#define SPINNING 4u
#define BATCHING UV__WAKE_BATCHING

/* Spins to skip after unsuccessful ones. */
#define PAUSE_MIN 16
#define PAUSE_MAX 1024
#define LONG_SPIN_NS 40000
/* If wakes are further apart than this, spinning for the next is pointless. Two
 * threads that put each other to sleep and wake each other take about half of
 * it. */
#define APART_US_MAX (4 * LONG_SPIN_NS / 1000)
#define BATCH_REQS UV__WAKE_BATCH_REQS
#define BATCH_NS 2000

/* Processors that the process may use, or 0 if not known yet. */
static unsigned processors; /* atomic */

void uv__wake_init_process(void) {
  if (uv__load_relaxed(&processors) == 0)
    uv__store_relaxed(&processors, uv_available_parallelism());
}

static unsigned* word_of(uv_loop_t* loop) {
  return &uv__loop_state(loop)->shared.word;
}

/* Several senders may find the loop BATCHING; one of them wakes it. */
UV__NOINLINE static int end_batching(uv_loop_t* loop) {
  unsigned before = uv__fetch_and(word_of(loop), ~BATCHING);
  return before & BATCHING ? uv__wake_poller(loop) : 0;
}

/* Release: what the sender wrote before. Pairs with the operations on this word
 * in uv__wake_take_pending() and uv__wake_sleep(). */
int uv__wake_send(uv_loop_t* loop) {
  unsigned before = uv__fetch_or(word_of(loop), PENDING);

  if (before == 0)
    return uv__wake_poller(loop);
  if (before & BATCHING)
    return end_batching(loop);
  return (before & SPINNING) != 0;
}

/* Builds a stand-in for the loop: wake() needs only the state (P6). */
int uv__wake_send_state(struct uv__loop_state* state) {
  uv_loop_t stand_in;

  memset(&stand_in, 0, sizeof(stand_in));
  stand_in.internal_fields = state;
  return uv__wake_send(&stand_in);
}

int uv__wake_send_batched(uv_loop_t* loop) {
  unsigned before = uv__fetch_or(word_of(loop), PENDING);

  if (before == 0)
    return uv__wake_poller(loop);
  return (before & SPINNING) != 0;
}

void uv__wake_run_begin(uv_loop_t* loop, uv_run_mode mode) {
  struct uv__loop_state* state = uv__loop_state(loop);
  /* The callback of a post runs the loop: the posts behind it have no wake of
   * their own. */
  int has_rest = state->posts.first != NULL;

  if (mode == UV_RUN_NOWAIT) {
    if (has_rest)
      (void) uv__wake_send(loop);
    return;
  }
  uv__store_relaxed(&state->wake.awake, AWAKE);
  state->wake.may_skip = mode == UV_RUN_DEFAULT;
  uv__fetch_or(&state->shared.word, has_rest ? AWAKE | PENDING : AWAKE);
}

void uv__wake_run_end(uv_loop_t* loop) {
  struct uv__wake* w = &uv__loop_state(loop)->wake;

  if (w->awake == 0)
    return;
  uv__store_relaxed(&w->awake, 0);
  w->may_skip = 0;
  /* The sender relied on the loop to see the wake. It stays pending for the
   * next run; wake the poller for embedders that watch its fd.
   * Acquire, release: pairs with uv__wake_is_running(). Either that sees that
   * the loop no longer runs, or we see that a dump is requested. */
  if (uv__fetch_and(word_of(loop), ~AWAKE) & PENDING)
    (void) uv__wake_poller(loop);
  if (uv__is_observed_by(UV__OBSERVE_DUMP))
    uv__loop_list_wait(); /* the program may free the loop now */
}

int uv__wake_is_running(struct uv__loop_state* state) {
  /* An operation on the word, for its order. Pairs with uv__wake_run_end(). */
  (void) uv__fetch_add(&state->shared.word, 0);
  return uv__load_relaxed(&state->wake.awake) != 0;
}

/* Is there a processor left for the thread that we would spin for? Not if the
 * workers need them all: spinning would delay what it waits for. */
static int can_spin(void) {
  unsigned known = uv__load_relaxed(&processors);

  return known > 1 && !uv__threadpool_is_heavy(known);
}

/* Returns the time since the previous call. Only for a loop that is about to
 * sleep anyway: reading the clock costs more than a short spin saves. */
static unsigned since_last_sleep_us(struct uv__wake* w) {
  unsigned now_us = (unsigned) (uv_hrtime() / 1000);
  unsigned since_us = now_us - w->slept_us;

  w->slept_us = now_us;
  return since_us;
}

/* Returns how long to spin, in ns. */
static uint64_t spin_span(struct uv__wake* w) {
  if (!can_spin())
    return 0;
  enum uv__spin_advice advice = uv__spin_advise(&w->spin, PAUSE_MIN, PAUSE_MAX);
  if (advice == UV__SPIN_NOW)
    return UV__SPIN_NS;

  int is_slow = since_last_sleep_us(w) > APART_US_MAX;
  return advice == UV__SPIN_RETRY && !is_slow ? LONG_SPIN_NS : 0;
}

/* After a long spin, short ones are tried again, but the pause is kept until
 * one of them succeeds: wakes that come every 40 us would otherwise be spun for
 * again and again. */
static void spin_succeeded(struct uv__wake* w, uint64_t span_ns) {
  w->spin.misses = 0;
  if (span_ns == UV__SPIN_NS)
    w->spin.pause = 0;
}

/* Taking wakes one by one costs the sending threads more than it costs the
 * loop, because the shared cache line bounces between them. */
static void wait_for_batch(const uv_loop_t* loop) {
  if (loop->active_reqs.count >= BATCH_REQS && can_spin())
    (void) uv__spin(BATCH_NS, uv__spin_never, uv__spin_never, NULL);
}

static int is_pending(const void* word) {
  return (uv__load_relaxed((unsigned*) word) & PENDING) != 0;
}

static int spin_until_pending(unsigned* word, uint64_t span_ns) {
  if (uv__fetch_or(word, SPINNING) & PENDING)
    return 1;
  return uv__spin(span_ns, is_pending, uv__spin_never, word);
}

/* Continues an unsuccessful spin of `span_ns` if a single request is in flight
 * (UV__SPIN_SINGLE_NS). Even if that succeeds, the spin counts as unsuccessful,
 * because it cost as much as sleeping. It pays off if the other side then
 * submits its next request soon enough for a short spin. */
static int spin_longer(const uv_loop_t* loop,
                       unsigned* word,
                       uint64_t span_ns) {
  if (loop->active_reqs.count != 1 || span_ns >= UV__SPIN_SINGLE_NS)
    return 0;
  return uv__spin(UV__SPIN_SINGLE_NS - span_ns, is_pending, uv__spin_never,
                  word);
}

/* Returns how many items to sleep for, and how long at most, or 0. Not after a
 * sleep that no wake ended: the items take long. */
static unsigned batch_size(const uv_loop_t* loop, int* sleep_ms) {
  const struct uv__wake* w = &uv__loop_state(loop)->wake;
  unsigned reqs = loop->active_reqs.count;

  if (!w->was_pending || reqs < BATCH_REQS)
    return 0;
  return uv__threadpool_batch(uv__load_relaxed(&processors), reqs, sleep_ms);
}

/* Lets the loop sleep until the workers have taken `batch` items. Returns 0 if
 * a wake is pending. */
static int begin_batching(uv_loop_t* loop, unsigned batch) {
  struct uv__loop_shared* shared = &uv__loop_state(loop)->shared;
  unsigned expected = AWAKE;

  uv__store_relaxed(&shared->batch_end, uv__threadpool_taken() + batch);
  uv__store_relaxed(&shared->batch_cpu, uv_thread_getcpu());
  /* Pairs with uv__wake_send(). */
  return uv__cas_strong(&shared->word, &expected, BATCHING);
}

/* Returns 0 if a wake has become pending. */
static int fall_asleep(unsigned* word, unsigned expected, int timeout_ms) {
  /* Pairs with uv__wake_send(). */
  return uv__cas_strong(word, &expected, 0) ? timeout_ms : 0;
}

/* As uv__wake_sleep(), where the last sleep was ended by a wake or one is
 * pending now. */
UV__NOINLINE static int sleep_after_wake(uv_loop_t* loop, int timeout_ms) {
  struct uv__wake* w = &uv__loop_state(loop)->wake;
  unsigned* word = word_of(loop);

  int batch_ms;
  unsigned batch = batch_size(loop, &batch_ms);
  if (batch != 0) {
    if (!begin_batching(loop, batch))
      return 0;
    return timeout_ms < 0 || timeout_ms > batch_ms ? batch_ms : timeout_ms;
  }
  if (is_pending(word)) {
    wait_for_batch(loop);
    return 0;
  }

  uint64_t span_ns = spin_span(w);
  if (span_ns == 0)
    return fall_asleep(word, AWAKE, timeout_ms);
  if (spin_until_pending(word, span_ns)) {
    spin_succeeded(w, span_ns);
  } else {
    w->spin.misses++;
    if (!spin_longer(loop, word, span_ns))
      return fall_asleep(word, AWAKE | SPINNING, timeout_ms);
  }
  wait_for_batch(loop);
  return 0;
}

int uv__wake_sleep_any(uv_loop_t* loop, int timeout_ms) {
  const struct uv__wake* w = &uv__loop_state(loop)->wake;

  if (w->awake == 0)
    return timeout_ms; /* senders wake the poller */
  if (w->was_pending || is_pending(word_of(loop)))
    return sleep_after_wake(loop, timeout_ms);
  return fall_asleep(word_of(loop), AWAKE, timeout_ms);
}

int uv__wake_take_pending(uv_loop_t* loop) {
  struct uv__wake* w = &uv__loop_state(loop)->wake;

  /* Acquire: what the sender wrote. Pairs with uv__wake_send(). */
  w->was_pending = (uv__exchange(word_of(loop), w->awake) & PENDING) != 0;
  return w->was_pending;
}

void uv__wake_fork(uv_loop_t* loop) {
  struct uv__wake* w = &uv__loop_state(loop)->wake;

  *word_of(loop) = w->awake;
  w->was_pending = 0;
}
