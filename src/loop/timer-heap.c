/* SPDX-License-Identifier: MIT */
/* The armed timers: a four-way heap of (due, start order) in one array.
 *
 * Restarting a timer for later, which servers do for every message, only writes
 * the new deadline into the handle: its slot stays where it is, with a key that
 * is too early, and is corrected when it comes to the top. Hence the invariant
 * slot.key <= timer's own (due, start_id), and the top is trusted only when the
 * two agree.
 *
 * Each change publishes the key at the top, which no timer's deadline precedes:
 * uv_backend_timeout() on another thread reads that word and nothing else.
 */
#include "loop/timer-heap.h"
#include "handle.h"
#include "util/alloc.h"

#define ARITY 4
#define MIN_CAPACITY 16

/* Longer arrays shrink when only one in SHRINK_SHARE slots is needed, and are
 * half full afterwards: a few timers more or less do not move them again. */
#define KEPT_CAPACITY 1024
#define SHRINK_SHARE 4

static int key_before(const struct uv__timer_slot* a,
                      const struct uv__timer_slot* b) {
  if (a->due_ns != b->due_ns)
    return a->due_ns < b->due_ns;
  return a->start_id < b->start_id;
}

static struct uv__timer_slot key_of(uv_timer_t* timer) {
  struct uv__timer_slot slot = { timer->timeout, timer->start_id, timer };
  return slot;
}

static void publish_bound(struct uv__timers* timers) {
  uv__store_relaxed(&timers->bound_ns, timers->count == 0
                                           ? UV__DEADLINE_NEVER
                                           : timers->heap[0].due_ns);
}

static void put_slot(struct uv__timers* timers,
                     size_t i,
                     const struct uv__timer_slot* slot) {
  timers->heap[i] = *slot;
  uv__timer_set_slot(slot->timer, i + 1);
}

/* Moves the hole at `i` towards the root until `slot` fits. */
static void sift_up(struct uv__timers* timers,
                    size_t i,
                    struct uv__timer_slot slot) {
  while (i > 0) {
    size_t parent = (i - 1) / ARITY;
    if (!key_before(&slot, &timers->heap[parent]))
      break;
    put_slot(timers, i, &timers->heap[parent]);
    i = parent;
  }
  put_slot(timers, i, &slot);
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

/* The same, towards the leaves. */
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
    put_slot(timers, i, &timers->heap[child]);
    i = child;
  }
  put_slot(timers, i, &slot);
}

void uv__timer_heap_init(struct uv__timers* timers) {
  publish_bound(timers);
}

void uv__timer_heap_close(struct uv__timers* timers) {
  assert(timers->count == 0);
  assert(timers->nready == 0);
  uv__free(timers->heap);
  timers->heap = NULL;
}

/* Moves the heap to an array of another length. */
static int heap_move(struct uv__timers* timers, size_t capacity) {
  struct uv__timer_slot* heap =
      uv__realloc_array(timers->heap, capacity, sizeof(*heap));
  if (heap == NULL)
    return UV_ENOMEM;

  timers->heap = heap;
  timers->capacity = capacity;
  timers->trim_below = capacity > KEPT_CAPACITY ? capacity / SHRINK_SHARE : 0;
  return 0;
}

int uv__timer_heap_grow(struct uv__timers* timers) {
  size_t capacity = timers->capacity;

  return heap_move(timers, capacity == 0 ? MIN_CAPACITY : capacity * 2);
}

void uv__timer_heap_shrink(struct uv__timers* timers) {
  size_t needed = timers->count + timers->nready;
  size_t capacity = timers->capacity;

  while (capacity > KEPT_CAPACITY && needed < capacity / SHRINK_SHARE)
    capacity /= 2;
  (void) heap_move(timers, capacity); /* without memory it stays as it is */
}

void uv__timer_heap_put(struct uv__timers* timers, uv_timer_t* timer) {
  size_t slot = uv__timer_slot_of(timer);

  assert(slot != 0 || timers->count < timers->capacity);
  sift_up(timers, slot == 0 ? timers->count++ : slot - 1, key_of(timer));
  publish_bound(timers);
}

void uv__timer_heap_remove(struct uv__timers* timers, uv_timer_t* timer) {
  size_t i = uv__timer_slot_of(timer) - 1;

  assert(timers->heap[i].timer == timer);
  uv__timer_set_slot(timer, 0);
  struct uv__timer_slot last = timers->heap[--timers->count];
  if (i == timers->count)
    ; /* it was the last slot */
  else if (i > 0 && key_before(&last, &timers->heap[(i - 1) / ARITY]))
    sift_up(timers, i, last);
  else
    sift_down(timers, i, last);
  publish_bound(timers);
}

uv_timer_t* uv__timer_heap_correct(struct uv__timers* timers) {
  uv_timer_t* timer = timers->heap[0].timer;

  while (timers->heap[0].start_id != timer->start_id) {
    sift_down(timers, 0, key_of(timer));
    timer = timers->heap[0].timer;
  }
  publish_bound(timers);
  return timer;
}

int uv__timer_heap_is_other_due(const struct uv__timers* timers,
                                uint64_t now_ns) {
  for (size_t i = 1; i <= ARITY && i < timers->count; i++)
    if (timers->heap[i].due_ns <= now_ns)
      return 1;
  return 0;
}

int uv__timer_heap_is_sound(const uv_loop_t* loop) {
  const struct uv__timers* timers = &uv__loop_state(loop)->timers;

  for (size_t i = 0; i < timers->count; i++) {
    const struct uv__timer_slot* slot = &timers->heap[i];
    const uv_timer_t* timer = slot->timer;

    if (timer->loop != loop || uv__timer_slot_of(timer) != i + 1)
      return 0;
    if (!uv__is_active((const uv_handle_t*) timer))
      return 0;
    if (slot->due_ns > timer->timeout)
      return 0;
    if (i > 0 && key_before(slot, &timers->heap[(i - 1) / ARITY]))
      return 0;
  }
  return timers->count == 0 || timers->bound_ns == timers->heap[0].due_ns;
}
