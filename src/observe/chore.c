/* SPDX-License-Identifier: MIT */
#include "observe/chore.h"
#include "loop/deadline.h"
#include "os/thread.h"
#include "util/fork-lock.h"

/* After so many runs that take longer than this, the loop is not to wait for
 * another. Some do when the process loses its processor. */
#define SLOW_NS UINT64_C(5000000)
#define SLOW_RUNS 3

/* How often to check whether the process has started another thread: the check
 * takes 3 us, and a busy trace is written thousands of times per second. */
#define CHECK_MS 20

uint64_t uv__chores_due_ns = UV__DEADLINE_NEVER;
uint64_t uv__chores_asleep_ns = UV__DEADLINE_NEVER;

static struct uv__fork_lock lock;
static struct uv__chore* list; /* the lock's */

/* With the lock. */
static void publish_due(void) {
  uint64_t due_ns = UV__DEADLINE_NEVER;
  uint64_t asleep_ns = UV__DEADLINE_NEVER;

  for (const struct uv__chore* c = list; c != NULL; c = c->next) {
    if (c->has_thread)
      continue;
    if (c->due_ns < due_ns)
      due_ns = c->due_ns;
    if (c->is_due_asleep && c->due_ns < asleep_ns)
      asleep_ns = c->due_ns;
  }
  uv__store_relaxed(&uv__chores_due_ns, due_ns);
  uv__store_relaxed(&uv__chores_asleep_ns, asleep_ns);
}

/* With the lock. */
static int start_thread(struct uv__chore* chore) {
  int err = uv__background_start(&chore->background, chore->entry);

  chore->has_thread = err == 0;
  return err;
}

int uv__chore_start(struct uv__chore* chore) {
  int err = 0;

  (void) uv__fork_lock(&lock);
  chore->has_thread = 0;
  chore->slow_runs = 0;
  chore->check_ns = 0;
  if (uv__thread_os_has_others())
    err = start_thread(chore);
  if (err == 0) {
    chore->is_due_asleep = 1;
    chore->due_ns = uv__deadline_after_ms(uv_hrtime(), chore->period_ms);
    chore->next = list;
    list = chore;
    publish_due();
  }
  uv__fork_unlock(&lock);
  return err;
}

/* With the lock. */
static void remove_from_list(const struct uv__chore* chore) {
  struct uv__chore** at = &list;

  while (*at != chore)
    at = &(*at)->next;
  *at = chore->next;
}

void uv__chore_stop(struct uv__chore* chore) {
  (void) uv__fork_lock(&lock);
  remove_from_list(chore);
  publish_due();
  if (chore->has_thread)
    uv__background_stop(&chore->background);
  else
    (void) chore->run();
  uv__fork_unlock(&lock);
}

void uv__chores_fork(void) {
  /* No lock: the only thread of the child, and its parent's threads may have
   * held it. */
  list = NULL;
  publish_due();
}

void uv__chore_thread(struct uv__chore* chore) {
  int is_last;

  do {
    is_last = uv__background_sleep(&chore->background, chore->period_ms);
    (void) chore->run();
  } while (!is_last);
}

/* With the lock. */
static int is_process_alone(struct uv__chore* chore, uint64_t now_ns) {
  if (now_ns < chore->check_ns)
    return 1;
  chore->check_ns = uv__deadline_after_ms(now_ns, CHECK_MS);
  return !uv__thread_os_has_others();
}

/* With the lock. A thread that cannot be started leaves it to the loop. */
static void run_chore(struct uv__chore* chore) {
  uint64_t begin_ns = uv_hrtime();

  if (!is_process_alone(chore, begin_ns) && start_thread(chore) == 0)
    return;
  chore->is_due_asleep = chore->run();
  uint64_t end_ns = uv_hrtime();
  if (end_ns - begin_ns > SLOW_NS && ++chore->slow_runs >= SLOW_RUNS)
    (void) start_thread(chore);
  chore->due_ns = uv__deadline_after_ms(end_ns, chore->period_ms);
}

/* With the lock. */
static int is_chore_due(struct uv__chore* chore, uint64_t now_ns) {
  return uv__exchange(&chore->is_urgent, 0) || chore->due_ns <= now_ns;
}

void uv__chores_run(uint64_t now_ns) {
  uint64_t due_ns = uv__load_relaxed(&uv__chores_due_ns);

  /* Another thread that wants to run them goes on without. */
  if (now_ns < due_ns ||
      !uv__cas_strong(&uv__chores_due_ns, &due_ns, UV__DEADLINE_NEVER))
    return;
  uv__store_relaxed(&uv__chores_asleep_ns, UV__DEADLINE_NEVER);
  (void) uv__fork_lock(&lock);
  for (struct uv__chore* c = list; c != NULL; c = c->next)
    if (!c->has_thread && is_chore_due(c, now_ns))
      run_chore(c);
  publish_due();
  uv__fork_unlock(&lock);
}

void uv__chore_hurry(struct uv__chore* chore) {
  uint64_t due_ns = uv__load_relaxed(&uv__chores_due_ns);

  uv__store_relaxed(&chore->is_urgent, 1);
  /* If this fails, somebody is about to run them. */
  if (due_ns != UV__DEADLINE_NEVER)
    (void) uv__cas_strong(&uv__chores_due_ns, &due_ns, 0);
}
