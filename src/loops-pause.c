/* SPDX-License-Identifier: MIT */
/* The pause of managed loops: one of them changes what all use while the others
 * stand still between two callbacks.
 *
 *  1 uvx_loops_pause() waits for its turn, WAITING: until nobody pauses and
 *    those that the last pause stopped have left it, in the order of the calls.
 *  2 The PAUSER posts uv__loops_park() to each loop that is RUNNING.
 *  3 It waits until no other loop is RUNNING: each is PARKED in that callback,
 *    or WAITING for its own turn.
 *  4 It waits until none of their work functions runs, in any pool. From step 2
 *    on none begins: the gate is closed (pool/gate.h).
 *
 * All of it is guarded by the mutex of the loops, and every wait is on
 * `changed`. Z1 to Z4 are in loops.h. */
#include "loop/deadline.h"
#include "loops.h"
#include "pool/registry.h"
#include "util/queue.h"

static int gate_has_loop(const struct uv__gate* gate, const uv_loop_t* loop) {
  const uvx_loops_t* loops = container_of(gate, const uvx_loops_t, gate);

  for (unsigned i = 0; i < loops->count; i++)
    if (loops->slots[i].loop == loop)
      return 1;
  return 0;
}

int uv__loops_pause_init(uvx_loops_t* loops) {
  uv__queue_init(&loops->turns);
  loops->running = loops->count;
  loops->gate.has_loop = gate_has_loop;
  return uv__registry_init();
}

/* Wakes whoever may have waited for the last RUNNING loop. */
static void change_state(struct uv__managed* slot,
                         enum uv__managed_state state) {
  uvx_loops_t* loops = slot->loops;

  if (slot->state == UV__MANAGED_RUNNING)
    loops->running--;
  if (state == UV__MANAGED_RUNNING)
    loops->running++;
  slot->state = state;
  if (loops->running == 0)
    uv_cond_broadcast(&loops->changed);
}

/* Returns 0 if the time is up, otherwise when something may have changed. */
static int wait_for_change(uvx_loops_t* loops, uint64_t deadline_ns) {
  if (deadline_ns == UV__DEADLINE_NEVER) {
    uv_cond_wait(&loops->changed, &loops->mutex);
    return 1;
  }
  uint64_t now_ns = uv_hrtime();
  if (now_ns >= deadline_ns)
    return 0;
  (void) uv_cond_timedwait(&loops->changed, &loops->mutex,
                           deadline_ns - now_ns);
  return 1;
}

/* Waits, PARKED, for the end of the pause. */
static void wait_for_end(struct uv__managed* slot) {
  uvx_loops_t* loops = slot->loops;

  change_state(slot, UV__MANAGED_PARKED);
  while (loops->pauser != NULL)
    uv_cond_wait(&loops->changed, &loops->mutex);
  change_state(slot, UV__MANAGED_RUNNING);
  if (--loops->leaving == 0)
    uv_cond_broadcast(&loops->changed);
}

void uv__loops_park(uvx_post_t* post) {
  struct uv__managed* slot = post->data;
  uvx_loops_t* loops = slot->loops;

  uv_mutex_lock(&loops->mutex);
  slot->is_park_queued = 0;
  /* Not if its pause timed out, nor in the loop that pauses now. */
  if (loops->pauser != NULL && loops->pauser != slot)
    wait_for_end(slot);
  uv_mutex_unlock(&loops->mutex);
}

/* Ends the pause; `leaving` becomes the number of those that it parked (Z4). */
static void end_pause(uvx_loops_t* loops) {
  loops->leaving = 0;
  for (unsigned i = 0; i < loops->count; i++)
    loops->leaving += loops->slots[i].state == UV__MANAGED_PARKED;
  uv__gate_open(&loops->gate);
  change_state(loops->pauser, UV__MANAGED_RUNNING);
  loops->pauser = NULL;
  uv_cond_broadcast(&loops->changed);
}

static int is_my_turn(const struct uv__managed* slot) {
  const uvx_loops_t* loops = slot->loops;

  return loops->pauser == NULL && loops->leaving == 0 &&
         uv__queue_first(&loops->turns) == &slot->turn;
}

/* Step 1. Afterwards the slot is the pauser, or the time was up. */
static int take_turn(struct uv__managed* slot, uint64_t deadline_ns) {
  uvx_loops_t* loops = slot->loops;
  int is_in_time = 1;

  uv__queue_push_back(&loops->turns, &slot->turn);
  change_state(slot, UV__MANAGED_WAITING);
  while (is_in_time && !is_my_turn(slot))
    is_in_time = wait_for_change(loops, deadline_ns);
  uv__queue_remove(&slot->turn);
  if (is_in_time) {
    loops->pauser = slot;
    loops->depth = 1;
    change_state(slot, UV__MANAGED_PAUSER);
    return 0;
  }
  uv_cond_broadcast(&loops->changed); /* the next one is the first now */
  if (loops->pauser != NULL)
    wait_for_end(slot); /* late, but never into a pause (Z2) */
  else
    change_state(slot, UV__MANAGED_RUNNING);
  return UV_ETIMEDOUT;
}

/* Steps 2 and 3. Returns 0 if the time is up. */
static int park_others(uvx_loops_t* loops, uint64_t deadline_ns) {
  int is_in_time = 1;

  for (unsigned i = 0; i < loops->count; i++) {
    struct uv__managed* slot = &loops->slots[i];
    if (slot->state != UV__MANAGED_RUNNING || slot->is_park_queued)
      continue;
    slot->is_park_queued = 1;
    slot->park.data = slot;
    /* An error is one of waking a loop whose poller has failed: it looks for
     * posts every millisecond. */
    (void) uvx_post(slot->loop, &slot->park, uv__loops_park);
  }
  while (is_in_time && loops->running != 0)
    is_in_time = wait_for_change(loops, deadline_ns);
  return is_in_time;
}

/* Steps 2 to 4. Nobody else becomes RUNNING meanwhile (Z2), so others may have
 * the mutex in step 4. */
static int stop_others(uvx_loops_t* loops, uint64_t deadline_ns) {
  int err = UV_ETIMEDOUT;

  uv__gate_close(&loops->gate);
  if (park_others(loops, deadline_ns)) {
    uv_mutex_unlock(&loops->mutex);
    err = uv__gate_wait(&loops->gate, deadline_ns);
    uv_mutex_lock(&loops->mutex);
  }
  if (err != 0)
    end_pause(loops);
  return err;
}

/* The slot of this thread if it runs one of them, otherwise NULL. */
static struct uv__managed* slot_of_thread(const uvx_loops_t* loops) {
  struct uv__managed* slot = uv__loops_current();

  return slot != NULL && slot->loops == loops ? slot : NULL;
}

int uvx_loops_pause(uvx_loops_t* loops, int timeout_ms) {
  int err = 0;

  if (loops == NULL)
    return UV_EINVAL;
  struct uv__managed* slot = slot_of_thread(loops);
  if (slot == NULL || uv__loops_is_forked(loops))
    return UV_EPERM;

  uint64_t deadline_ns = uv__deadline_from_timeout(uv_hrtime(), timeout_ms);
  uv_mutex_lock(&loops->mutex);
  if (loops->pauser == slot) {
    loops->depth++;
  } else {
    err = take_turn(slot, deadline_ns);
    if (err == 0)
      err = stop_others(loops, deadline_ns);
  }
  uv_mutex_unlock(&loops->mutex);
  return err;
}

int uv__loops_is_pauser(uvx_loops_t* loops) {
  const struct uv__managed* slot = slot_of_thread(loops);

  /* Written by this thread, if it is the slot. */
  return slot != NULL && slot->state == UV__MANAGED_PAUSER;
}

void uvx_loops_resume(uvx_loops_t* loops) {
  if (loops == NULL || uv__loops_is_forked(loops) ||
      !uv__loops_is_pauser(loops))
    return;
  uv_mutex_lock(&loops->mutex);
  if (--loops->depth == 0)
    end_pause(loops);
  uv_mutex_unlock(&loops->mutex);
}
