/* SPDX-License-Identifier: MIT */
/* Waking a loop, at the price of a system call only when it sleeps.
 *
 * One word holds NOTED (somebody wants the loop's attention) and AWAKE (the
 * loop will look at the word before it sleeps). Senders set NOTED; who finds
 * the word empty writes to the poller. The loop takes AWAKE off before it
 * blocks, which fails if there is a note, and puts it back afterwards. All of
 * these are read-modify-write operations of one word, so they have an order:
 * either the loop sees the note, or the sender sees that the loop sleeps. The
 * poller may be woken once more than needed; then there is nothing to dispatch.
 *
 * Before it sleeps, a loop whose last sleep was ended by a note looks at the
 * word for some microseconds (LOOKING), as the workers do with their queue: a
 * round trip to another thread is mostly shorter than falling asleep and being
 * woken. When looking keeps being in vain it is done only now and then, ever
 * more seldom; then for longer, because the other side has gone to sleep
 * meanwhile too and must be awake for the two to get into step again.
 *
 * Outside uv_run(), and in UV_RUN_NOWAIT, the word is never AWAKE: embedders
 * watch the poller's fd instead.
 *
 * Context: send is any | signal; the rest is the loop's.
 */
#include "wakeup.h"
#include "atomic.h"
#include "loop-state.h"
#include "threadpool.h"

#define NOTED 1u
#define AWAKE 2u
#define LOOKING 4u

/* How long to look for a note before sleeping. */
#define LOOK_NS 8000
#define LOOKS_PER_TURN 16
/* After this many looks in vain in a row, sleep at once the next times, then
 * take one long look; when that is in vain too, twice as many times. */
#define LOOK_MISSES_MAX 4
#define LOOK_PAUSE_MIN 16
#define LOOK_PAUSE_MAX 1024
#define LONG_LOOK_NS 40000
/* If the clock stands still. */
#define LOOK_TURNS_MAX 1000
/* With so many requests under way notes are not for one alone: wait a little
 * for company. */
#define CROWD 8
#define CROWD_NS 2000

/* As many as the process may use, or 0: not asked yet. */
static unsigned processors; /* atomic */

void uv__wakeup_init_process(void) {
  if (uv__load_relaxed(&processors) == 0)
    uv__store_relaxed(&processors, uv_available_parallelism());
}

static unsigned* word_of(uv_loop_t* loop) {
  return &uv__loop_state(loop)->shared.word;
}

int uv__wakeup_answer(uv_loop_t* loop, int* was_looking) {
  struct uv__loop_state* state = uv__loop_state(loop);

  /* Release: what it is about was written before. Pairs with the operations on
   * this word in uv__wakeup_take() and uv__wakeup_sleep(). */
  unsigned before = uv__fetch_or(&state->shared.word, NOTED);
  *was_looking = (before & LOOKING) != 0;
  return before == 0 ? state->poller->wake(loop) : 0;
}

int uv__wakeup_send(uv_loop_t* loop) {
  int was_looking;
  return uv__wakeup_answer(loop, &was_looking);
}

void uv__wakeup_run_begin(uv_loop_t* loop, uv_run_mode mode) {
  struct uv__loop_state* state = uv__loop_state(loop);

  if (mode == UV_RUN_NOWAIT)
    return;
  state->wakeup.awake = AWAKE;
  state->wakeup.may_skip = mode == UV_RUN_DEFAULT;
  uv__fetch_or(&state->shared.word, AWAKE);
}

void uv__wakeup_run_end(uv_loop_t* loop) {
  struct uv__wakeup* w = &uv__loop_state(loop)->wakeup;

  if (w->awake == 0)
    return;
  w->awake = 0;
  w->may_skip = 0;
  /* Who left the note counted on us to look. It stays, for the next run; the
   * poller is told for those who watch its fd. */
  if (uv__fetch_and(word_of(loop), ~AWAKE) & NOTED)
    (void) uv__loop_wake(loop);
}

/* Is there a processor for the one we would be looking out for? None if the
 * workers need them all: looking would hold up what is looked for. */
static int can_look(void) {
  unsigned known = uv__load_relaxed(&processors);

  return known > 1 && !uv__threadpool_is_heavy(known);
}

/* How long to look, in ns. */
static uint64_t worth_looking(struct uv__wakeup* w) {
  if (!w->was_noted || !can_look())
    return 0;
  if (w->misses < LOOK_MISSES_MAX)
    return LOOK_NS;
  /* Mostly in vain lately: try again once in a while. */
  if (w->pause == 0)
    w->pause = LOOK_PAUSE_MIN;
  if (++w->misses < LOOK_MISSES_MAX + w->pause)
    return 0;
  w->misses = LOOK_MISSES_MAX;
  if (w->pause < LOOK_PAUSE_MAX)
    w->pause *= 2;
  return LONG_LOOK_NS;
}

/* Each note taken alone costs the threads that send them more than it costs us:
 * the memory we share goes to and fro. */
static void wait_for_company(const uv_loop_t* loop) {
  if (loop->active_reqs.count < CROWD || !can_look())
    return;
  uint64_t end = uv_hrtime() + CROWD_NS;
  for (int turn = 0; turn < LOOK_TURNS_MAX && uv_hrtime() < end; turn++)
    for (int i = 0; i < LOOKS_PER_TURN; i++)
      uv__cpu_relax();
}

static int look_for_note(unsigned* word, uint64_t span_ns) {
  uint64_t end = uv_hrtime() + span_ns;

  if (uv__fetch_or(word, LOOKING) & NOTED)
    return 1;
  for (int turn = 0; turn < LOOK_TURNS_MAX; turn++) {
    for (int i = 0; i < LOOKS_PER_TURN; i++) {
      if (uv__load_relaxed(word) & NOTED)
        return 1;
      uv__cpu_relax();
    }
    if (uv_hrtime() >= end)
      break;
  }
  return 0;
}

int uv__wakeup_sleep(uv_loop_t* loop) {
  struct uv__wakeup* w = &uv__loop_state(loop)->wakeup;
  unsigned* word = word_of(loop);
  unsigned expected = AWAKE;

  if (w->awake == 0)
    return 1; /* the poller knows of notes */
  if (uv__load_relaxed(word) & NOTED) {
    wait_for_company(loop);
    return 0;
  }

  uint64_t span_ns = worth_looking(w);
  if (span_ns != 0) {
    if (look_for_note(word, span_ns)) {
      w->misses = 0;
      w->pause = 0;
      wait_for_company(loop);
      return 0;
    }
    w->misses++;
    expected |= LOOKING;
  }
  /* Pairs with uv__wakeup_send(). */
  return uv__cas_strong(word, &expected, 0);
}

int uv__wakeup_take_note(uv_loop_t* loop) {
  struct uv__wakeup* w = &uv__loop_state(loop)->wakeup;

  /* Acquire: what the note is about. Pairs with uv__wakeup_send(). */
  w->was_noted = (uv__exchange(word_of(loop), w->awake) & NOTED) != 0;
  return w->was_noted;
}

void uv__wakeup_fork(uv_loop_t* loop) {
  struct uv__wakeup* w = &uv__loop_state(loop)->wakeup;

  *word_of(loop) = w->awake;
  w->was_noted = 0;
}
