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
 * word (SPINNING, spin.h), unless the workers need every processor.
 *
 * A loop that finds a wake pending when it looks, twice in a row, is flooded:
 * it gathers, that is, it waits a moment without touching shared memory. Taking
 * such wakes one by one costs the senders more than it costs the loop, because
 * each pass takes their cache lines away. Only
 * wakes that another thread sent count (FOREIGN).
 *
 * Outside uv_run(), and in UV_RUN_NOWAIT, the word is never AWAKE: embedders
 * watch the poller's fd instead.
 *
 * Context: send is any | signal; the rest is the loop's.
 */
#include "loop/wake.h"
#include "loop/list.h"
#include "observe/hooks.h"
#include "os/thread.h"
#include "pool/lanes.h"
#include "pool/tuning.h"
#include "util/atomic.h"
#include "util/spin.h"

#include <string.h>

#define PENDING 1u
#define AWAKE 2u
#define SPINNING 4u
#define FOREIGN 8u /* another thread sent a wake */

/* Processors that the process may use, or 0 if not known yet. */
static unsigned processors; /* atomic */

void uv__wake_init_process(void) {
  if (uv__load_relaxed(&processors) == 0)
    uv__store_relaxed(&processors, uv_available_parallelism());
}

static unsigned* word_of(uv_loop_t* loop) {
  return &uv__loop_state(loop)->shared.word;
}

static int send_wake(uv_loop_t* loop, unsigned bits) {
  /* Release: what the sender wrote before. Pairs with the operations on this
   * word in uv__wake_take_pending() and uv__wake_sleep(). */
  unsigned before = uv__fetch_or(word_of(loop), bits);

  if (before == 0)
    return uv__wake_poller(loop);
  return (before & SPINNING) != 0;
}

int uv__wake_send(uv_loop_t* loop) {
  return send_wake(loop, PENDING);
}

int uv__wake_send_foreign(uv_loop_t* loop) {
  return send_wake(loop, PENDING | FOREIGN);
}

/* Builds a stand-in for the loop: wake() needs only the state (P6). */
int uv__wake_send_state(struct uv__loop_state* state) {
  uv_loop_t stand_in;

  memset(&stand_in, 0, sizeof(stand_in));
  stand_in.internal_fields = state;
  return uv__wake_send(&stand_in);
}

/* Nothing will submit more: the items that wait need workers now (L3). */
static void call_for_workers(struct uv__wake* w) {
  if (w->submitted == 0)
    return;
  uv__lanes_flush(w->submitted);
  w->submitted = 0;
}

/* A loop with file requests looks whether they are stuck before it sleeps (S3),
 * and returns how long it may sleep. */
static int look_after_files(const struct uv__loop_state* state,
                            int timeout_ms) {
  if (uv__load_relaxed(&state->files_pending) == 0)
    return timeout_ms;
  return uv__lanes_before_sleep(timeout_ms);
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
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__wake* w = &state->wake;

  call_for_workers(w);
  (void) look_after_files(state, 0); /* the caller may sleep */
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

int uv__wake_may_spin(void) {
  return uv__load_relaxed(&processors) > 1;
}

/* Returns 1 if the loop should spin. Not if the workers need every processor:
 * that would delay what it spins for. */
static int should_spin(struct uv__wake* w) {
  return uv__load_relaxed(&processors) > uv__lanes_awake() &&
         uv__wake_may_spin() &&
         uv__spin_advise(&w->spin, UV__SPIN_MISSES_MAX, UV__SPIN_PAUSE_MAX);
}

static int is_pending(const void* word) {
  return (uv__load_relaxed((unsigned*) word) & PENDING) != 0;
}

/* Continues an unsuccessful spin if a single request is in flight
 * (UV__SPIN_SINGLE_NS). Even if that succeeds, the spin counts as unsuccessful,
 * because it cost as much as sleeping. It pays off if the other side then
 * submits its next request soon enough for a short spin. */
static int spin_longer(const uv_loop_t* loop, unsigned* word) {
  if (loop->active_reqs.count != 1)
    return 0;
  return uv__spin(UV__SPIN_SINGLE_NS - UV__SPIN_NS, is_pending, uv__spin_never,
                  word);
}

/* Returns 1 if a wake has become pending. */
static int spin_until_pending(uv_loop_t* loop) {
  struct uv__wake* w = &uv__loop_state(loop)->wake;
  unsigned* word = word_of(loop);

  if (uv__fetch_or(word, SPINNING) & PENDING)
    return 1;
  if (uv__spin(UV__SPIN_NS, is_pending, uv__spin_never, word)) {
    w->spin = (struct uv__spin) { 0 };
    return 1;
  }
  w->spin.misses++;
  return spin_longer(loop, word);
}

/* Returns 0 if a wake has become pending. */
static int fall_asleep(uv_loop_t* loop, int timeout_ms) {
  unsigned* word = word_of(loop);
  unsigned expected = uv__load_relaxed(word) & ~PENDING;

  /* Pairs with uv__wake_send(). */
  return uv__cas_strong(word, &expected, 0) ? timeout_ms : 0;
}

/* For a loop that finds a wake pending. Finished work has nothing to wait
 * for. */
static void gather(uv_loop_t* loop, struct uv__wake* w) {
  if ((uv__load_relaxed(word_of(loop)) & FOREIGN) == 0)
    return;
  if (w->nfound == 0)
    w->nfound = 1;
  else if (uv__wake_may_spin())
    (void) uv__spin(UV__GATHER_NS, uv__spin_never, uv__spin_never, NULL);
}

int uv__wake_sleep(uv_loop_t* loop, int timeout_ms) {
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__wake* w = &state->wake;

  assert(timeout_ms != 0);
  if (w->awake != 0 && is_pending(word_of(loop))) {
    gather(loop, w);
    return 0;
  }
  call_for_workers(w);
  timeout_ms = look_after_files(state, timeout_ms);
  if (w->awake == 0)
    return timeout_ms; /* senders wake the poller */
  w->nfound = 0;
  if (w->was_pending && should_spin(w) && spin_until_pending(loop))
    return 0;
  return fall_asleep(loop, timeout_ms);
}

/* On a single processor, a loop that slept and finds a sender inside has
 * preempted it in the middle of its send. Returns 1 then: let it go on, or the
 * loop takes its messages one by one. */
static int has_preempted_sender(const struct uv__loop_state* state) {
  unsigned word = uv__load_relaxed(&state->shared.word);

  return (word & AWAKE) == 0 && state->wake.awake != 0 &&
         uv__load_relaxed(&processors) == 1 &&
         uv__load_relaxed(&state->shared.busy) != 0;
}

int uv__wake_take_pending(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__wake* w = &state->wake;

  if (has_preempted_sender(state))
    uv__thread_os_yield();
  /* Acquire: what the sender wrote. Pairs with uv__wake_send(). */
  w->was_pending = (uv__exchange(word_of(loop), w->awake) & PENDING) != 0;
  return w->was_pending;
}

void uv__wake_fork(uv_loop_t* loop) {
  struct uv__wake* w = &uv__loop_state(loop)->wake;

  *word_of(loop) = w->awake;
  w->was_pending = 0;
}
