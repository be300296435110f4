/* SPDX-License-Identifier: MIT */
/* Timers: a four-way heap of (due, start order) in one array.
 *
 * Deadlines are kept in nanoseconds of loop time, so that a timer never fires
 * before its milliseconds have really passed since the loop time it was started
 * at. The handle's `timeout` field holds that deadline.
 *
 * Restarting a timer for later, which servers do for every message, only writes
 * the new deadline into the handle: its slot stays where it is, with a key that
 * is too early, and is corrected when it comes to the top. Hence the invariant
 * slot.key <= timer's own (due, start_id), and the top is trusted only when the
 * two agree.
 *
 * A handle knows its slot: node.heap[0] is the index plus one, 0 when unarmed.
 * Deadlines that are too far away for nanoseconds all count as the last moment
 * there is; node.heap[1..2] then remember the milliseconds, for whoever asks.
 */
#include "timer.h"
#include "alloc.h"
#include "loop.h"
#include "poll-clock.h"

#include <string.h>

#define ARITY 4
#define MIN_CAPACITY 16

static size_t slot_of(const uv_timer_t* timer) {
  return (size_t) (uintptr_t) timer->node.heap[0];
}

static void set_slot(uv_timer_t* timer, size_t index_plus_one) {
  timer->node.heap[0] = (void*) (uintptr_t) index_plus_one;
}

static void set_due_ms(uv_timer_t* timer, uint64_t due_ms) {
  memcpy(&timer->node.heap[1], &due_ms, sizeof(due_ms));
}

static uint64_t get_due_ms(const uv_timer_t* timer) {
  uint64_t due_ms;
  memcpy(&due_ms, &timer->node.heap[1], sizeof(due_ms));
  return due_ms;
}

static int key_before(const struct uv__timer_slot* a,
                      const struct uv__timer_slot* b) {
  if (a->due_ns != b->due_ns)
    return a->due_ns < b->due_ns;
  return a->start_id < b->start_id;
}

static void put(struct uv__timers* timers,
                size_t i,
                const struct uv__timer_slot* slot) {
  timers->heap[i] = *slot;
  set_slot(slot->timer, i + 1);
}

/* Finds the place for `slot` from the hole at `i` towards the top. */
static void sift_up(struct uv__timers* timers,
                    size_t i,
                    struct uv__timer_slot slot) {
  while (i > 0) {
    size_t parent = (i - 1) / ARITY;
    if (!key_before(&slot, &timers->heap[parent]))
      break;
    put(timers, i, &timers->heap[parent]);
    i = parent;
  }
  put(timers, i, &slot);
}

static size_t earliest_child(const struct uv__timers* timers, size_t first) {
  size_t end = first + ARITY;
  if (end > timers->count)
    end = timers->count;

  size_t best = first;
  for (size_t i = first + 1; i < end; i++)
    if (key_before(&timers->heap[i], &timers->heap[best]))
      best = i;
  return best;
}

/* Likewise, towards the leaves. */
static void sift_down(struct uv__timers* timers,
                      size_t i,
                      struct uv__timer_slot slot) {
  for (;;) {
    size_t first = i * ARITY + 1;
    if (first >= timers->count)
      break;
    size_t child = earliest_child(timers, first);
    if (!key_before(&timers->heap[child], &slot))
      break;
    put(timers, i, &timers->heap[child]);
    i = child;
  }
  put(timers, i, &slot);
}

static void heap_remove(struct uv__timers* timers, uv_timer_t* timer) {
  size_t i = slot_of(timer) - 1;
  assert(timers->heap[i].timer == timer);
  set_slot(timer, 0);

  struct uv__timer_slot last = timers->heap[--timers->count];
  if (i == timers->count)
    return;
  if (i > 0 && key_before(&last, &timers->heap[(i - 1) / ARITY]))
    sift_up(timers, i, last);
  else
    sift_down(timers, i, last);
}

static struct uv__timer_slot key_of(uv_timer_t* timer) {
  struct uv__timer_slot slot = { timer->timeout, timer->start_id, timer };
  return slot;
}

/* Brings the true earliest timer to the top; NULL if there is none. */
static uv_timer_t* heap_top(struct uv__timers* timers) {
  while (timers->count > 0) {
    struct uv__timer_slot top = timers->heap[0];
    if (top.start_id == top.timer->start_id)
      return top.timer;
    /* Restarted since: its real key is later, let it sink. */
    sift_down(timers, 0, key_of(top.timer));
  }
  return NULL;
}

static int heap_reserve(struct uv__timers* timers) {
  if (timers->count < timers->capacity)
    return 0;

  size_t capacity = timers->capacity * 2;
  if (capacity < MIN_CAPACITY)
    capacity = MIN_CAPACITY;

  void* heap = uv__realloc_array(timers->heap, capacity, sizeof(*timers->heap));
  if (heap == NULL)
    return UV_ENOMEM;

  timers->heap = heap;
  timers->capacity = capacity;
  return 0;
}

static int arm(uv_timer_t* timer, uint64_t timeout_ms) {
  uv_loop_t* loop = timer->loop;
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__timers* timers = &state->timers;
  uint64_t due_ns = uv__deadline_after_ms(state->now_ns, timeout_ms);
  size_t slot = slot_of(timer);

  if (slot == 0) {
    int err = heap_reserve(timers);
    if (err != 0)
      return err;
  }

  uint64_t due_ms = loop->time + timeout_ms;
  set_due_ms(timer, due_ms < timeout_ms ? UINT64_MAX : due_ms);
  timer->timeout = due_ns;
  timer->start_id = loop->timer_counter++;
  if (slot == 0)
    sift_up(timers, timers->count++, key_of(timer));
  else if (due_ns < timers->heap[slot - 1].due_ns)
    sift_up(timers, slot - 1, key_of(timer));
  /* else: later than its slot says; see heap_top(). */
  return 0;
}

int uv_timer_init(uv_loop_t* loop, uv_timer_t* handle) {
  uv__handle_init(loop, uv__base(handle), UV_TIMER);
  handle->timer_cb = NULL;
  handle->timeout = 0;
  handle->repeat = 0;
  handle->start_id = 0;
  set_slot(handle, 0);
  return 0;
}

int uv_timer_start(uv_timer_t* handle,
                   uv_timer_cb cb,
                   uint64_t timeout,
                   uint64_t repeat) {
  if (cb == NULL || uv__is_closing(uv__base(handle)))
    return UV_EINVAL;

  int err = arm(handle, timeout);
  if (err != 0)
    return err;

  handle->timer_cb = cb;
  handle->repeat = repeat;
  uv__handle_start(uv__base(handle));
  return 0;
}

int uv_timer_stop(uv_timer_t* handle) {
  if (slot_of(handle) != 0)
    heap_remove(&uv__loop_state(handle->loop)->timers, handle);
  uv__handle_stop(uv__base(handle));
  return 0;
}

int uv_timer_again(uv_timer_t* handle) {
  if (handle->timer_cb == NULL)
    return UV_EINVAL;
  if (handle->repeat == 0)
    return 0;
  return uv_timer_start(handle, handle->timer_cb, handle->repeat,
                        handle->repeat);
}

void uv_timer_set_repeat(uv_timer_t* handle, uint64_t repeat) {
  handle->repeat = repeat;
}

uint64_t uv_timer_get_repeat(const uv_timer_t* handle) {
  return handle->repeat;
}

uint64_t uv_timer_get_due_in(const uv_timer_t* handle) {
  uint64_t now_ns = uv__loop_state(handle->loop)->now_ns;

  if (handle->timeout <= now_ns)
    return 0;
  if (handle->timeout == UV__DEADLINE_LAST)
    return get_due_ms(handle) - handle->loop->time;
  return (handle->timeout - now_ns + 999999) / 1000000;
}

uint64_t uv__timer_next_due(const uv_loop_t* loop) {
  uv_timer_t* timer = heap_top(&uv__loop_state(loop)->timers);
  return timer == NULL ? UV__DEADLINE_NEVER : timer->timeout;
}

/* A timer that a callback (re)arms has a start_id past `first_new` and a
 * deadline not before `now_ns`, so it sorts behind everything that belongs to
 * this round: the first one seen ends it. */
void uv__timer_run_due(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);
  uint64_t now_ns = state->now_ns;
  uint64_t first_new = loop->timer_counter;

  for (;;) {
    uv_timer_t* timer = heap_top(&state->timers);
    if (timer == NULL || timer->timeout > now_ns)
      break;
    if (timer->start_id >= first_new)
      break;

    if (timer->repeat != 0) {
      /* The slot is there already: this cannot fail. */
      (void) arm(timer, timer->repeat);
    } else {
      uv_timer_stop(timer);
    }
    timer->timer_cb(timer);
  }
}

void uv__timer_close_loop(uv_loop_t* loop) {
  struct uv__timers* timers = &uv__loop_state(loop)->timers;

  assert(timers->count == 0);
  uv__free(timers->heap);
  timers->heap = NULL;
  timers->capacity = 0;
}

enum uv__close_answer uv__timer_close(uv_handle_t* handle) {
  uv_timer_stop((uv_timer_t*) handle);
  return UV__CLOSE_DONE;
}
