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
 * Deadlines too far away for 64 bits of nanoseconds saturate; node.heap[1..2]
 * then hold the milliseconds, for uv_timer_get_due_in().
 *
 * Due timers are disarmed before the first callback of a round runs, and wait
 * for their own in a list linked by node.queue. They are inactive meanwhile,
 * and can be stopped, started or closed like any other timer.
 *
 * Context: uv__timer_peek_due() any, everything else the loop's thread.
 */
#include "timer.h"
#include "loop/check.h"
#include "loop/deadline.h"
#include "loop/state.h"
#include "observe/callback.h"
#include "os/handle-class.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <string.h>

#define ARITY 4
#define MIN_CAPACITY 16

/* Longer arrays shrink when only one in SHRINK_SHARE slots is needed, and are
 * half full afterwards: a few timers more or less do not move them again. */
#define KEPT_CAPACITY 1024
#define SHRINK_SHARE 4

/* Slots that uv__timer_peek_due() visits before it settles for a lower
 * bound. */
#define PEEK_MAX 64

static int key_before(const struct uv__timer_slot* a,
                      const struct uv__timer_slot* b) {
  if (a->due_ns != b->due_ns)
    return a->due_ns < b->due_ns;
  return a->start_id < b->start_id;
}

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

/* Brackets every change of the heap. A reader that finds the counter odd, or
 * different afterwards, may have seen a partial change. Pairs with the loads in
 * peek_due(): who sees a store of the change also sees the odd counter.
 * test/model/timer-peek.pml is the model. */
static void change_begin(struct uv__timers* timers) {
  uv__store_relaxed(&timers->changes, timers->changes + 1);
  uv__fence_release();
}

/* Release: who sees the even counter also sees the whole change. */
static void change_end(struct uv__timers* timers) {
  uv__store_release(&timers->changes, timers->changes + 1);
}

static void put_slot(struct uv__timers* timers,
                     size_t i,
                     const struct uv__timer_slot* slot) {
  timers->heap[i] = *slot;
  set_slot(slot->timer, i + 1);
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

static void heap_remove(struct uv__timers* timers, uv_timer_t* timer) {
  size_t i = slot_of(timer) - 1;
  assert(timers->heap[i].timer == timer);
  set_slot(timer, 0);

  change_begin(timers);
  struct uv__timer_slot last = timers->heap[--timers->count];
  if (i == timers->count)
    ; /* it was the last slot */
  else if (i > 0 && key_before(&last, &timers->heap[(i - 1) / ARITY]))
    sift_up(timers, i, last);
  else
    sift_down(timers, i, last);
  change_end(timers);
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
    /* Restarted for later since: sift it down to its real key. */
    change_begin(timers);
    sift_down(timers, 0, key_of(top.timer));
    change_end(timers);
  }
  return NULL;
}

/* The slot in front of an array: `start_id` is its capacity, `timer` the array
 * that it replaced. A reader on another thread that has the array thus has its
 * capacity. */
static struct uv__timer_slot* head_of(const struct uv__timer_slot* heap) {
  return (struct uv__timer_slot*) heap - 1;
}

static size_t capacity_of(const struct uv__timer_slot* heap) {
  return heap == NULL ? 0 : (size_t) head_of(heap)->start_id;
}

static void free_heaps(struct uv__timer_slot* heap) {
  while (heap != NULL) {
    struct uv__timer_slot* head = head_of(heap);
    heap = (struct uv__timer_slot*) (void*) head->timer;
    uv__free(head);
  }
}

/* Moves the heap to an array of another length. If another thread is reading
 * an older array in uv__timer_peek_due(), old arrays are kept until the heap
 * moves again. */
UV__NOINLINE static int heap_move(struct uv__timers* timers, size_t capacity) {
  struct uv__timer_slot* head = uv__calloc(capacity + 1, sizeof(*head));
  if (head == NULL)
    return UV_ENOMEM;

  struct uv__timer_slot* heap = head + 1;
  if (timers->count != 0)
    memcpy(heap, timers->heap, timers->count * sizeof(*heap));
  head->start_id = capacity;
  head->timer = (uv_timer_t*) (void*) timers->heap;
  /* Release: the array. Pairs with the load in peek_due(). */
  uv__store_release(&timers->heap, heap);
  timers->capacity = capacity;
  timers->shrink_below = capacity > KEPT_CAPACITY ? capacity / SHRINK_SHARE : 0;
  /* Release: a reader that arrives after this sees the new array. Pairs with
   * the addition in uv__timer_peek_due(). */
  if (uv__fetch_add(&timers->readers, 0) == 0) {
    free_heaps((struct uv__timer_slot*) (void*) head->timer);
    head->timer = NULL;
  }
  return 0;
}

static int heap_grow(struct uv__timers* timers) {
  size_t capacity = timers->capacity * 2;

  return heap_move(timers, capacity < MIN_CAPACITY ? MIN_CAPACITY : capacity);
}

/* Gives memory back after most timers have gone. Due timers, which may repeat,
 * keep their room. */
static inline void heap_shrink(struct uv__timers* timers) {
  size_t needed = timers->count + timers->nready;
  if (needed >= timers->shrink_below)
    return;

  size_t capacity = timers->capacity;
  while (capacity > KEPT_CAPACITY && needed < capacity / SHRINK_SHARE)
    capacity /= 2;
  (void) heap_move(timers, capacity); /* without memory it stays as it is */
}

/* Makes room for one more timer beside the due ones, which may repeat. */
static int heap_reserve(struct uv__timers* timers) {
  if (timers->count + timers->nready < timers->capacity)
    return 0;
  return heap_grow(timers);
}

/* Where a deadline takes two stores, writing it counts as a change of the heap:
 * a mix of the old and the new half may be later than both. */
static void set_due_ns(struct uv__timers* timers,
                       uv_timer_t* timer,
                       uint64_t due_ns) {
  int takes_two = sizeof(uintptr_t) < sizeof(due_ns);

  if (takes_two)
    change_begin(timers);
  timer->timeout = due_ns;
  if (takes_two)
    change_end(timers);
}

static int arm_timer(uv_timer_t* timer, uint64_t timeout_ms) {
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
  set_due_ns(timers, timer, due_ns);
  timer->start_id = loop->timer_counter++;
  if (slot != 0 && due_ns >= timers->heap[slot - 1].due_ns)
    return 0; /* its slot is early enough; heap_top() corrects it */

  change_begin(timers);
  sift_up(timers, slot == 0 ? timers->count++ : slot - 1, key_of(timer));
  change_end(timers);
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

/* Is it due and waiting for its callback? */
static int is_ready(const uv_timer_t* handle) {
  return slot_of(handle) != 0 && !uv__is_active(uv__base(handle));
}

static void leave_ready(struct uv__timers* timers, uv_timer_t* handle) {
  uv__queue_remove(&handle->node.queue);
  set_slot(handle, 0);
  timers->nready--;
}

int uv_timer_start(uv_timer_t* handle,
                   uv_timer_cb cb,
                   uint64_t timeout,
                   uint64_t repeat) {
  uv__debug_check(
      uv__loop_check_thread(handle->loop, UV__RULE_TIMER_THREAD, handle));
  if (cb == NULL || uv__is_closing(uv__base(handle)))
    return uv__misuse_refuse(UV__RULE_TIMER_START, handle, UV_EINVAL);

  if (is_ready(handle))
    leave_ready(&uv__loop_state(handle->loop)->timers, handle);
  int err = arm_timer(handle, timeout);
  if (err != 0)
    return err;

  handle->timer_cb = cb;
  handle->repeat = repeat;
  uv__handle_start(uv__base(handle));
  return 0;
}

int uv_timer_stop(uv_timer_t* handle) {
  uv__debug_check(
      uv__loop_check_thread(handle->loop, UV__RULE_TIMER_STOP_THREAD, handle));
  if (slot_of(handle) == 0)
    return 0;

  struct uv__timers* timers = &uv__loop_state(handle->loop)->timers;
  if (is_ready(handle)) {
    leave_ready(timers, handle);
  } else {
    heap_remove(timers, handle);
    uv__handle_stop(uv__base(handle));
  }
  heap_shrink(timers);
  return 0;
}

int uv_timer_again(uv_timer_t* handle) {
  if (handle->timer_cb == NULL)
    return uv__misuse_refuse(UV__RULE_TIMER_AGAIN, handle, UV_EINVAL);
  if (handle->repeat == 0 || uv__is_closing(uv__base(handle)))
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

uint64_t uv__timer_next_due(uv_loop_t* loop) {
  uv_timer_t* timer = heap_top(&uv__loop_state(loop)->timers);
  return timer == NULL ? UV__DEADLINE_NEVER : timer->timeout;
}

/* A slot with an outdated key says nothing about its timer, but bounds the
 * slots below it: walk down until no remaining slot can be earlier than the
 * earliest timer found. Returns UV__DEADLINE_NONE if that takes too many
 * steps. */
static uint64_t true_earliest(const struct uv__timer_slot* heap, size_t count) {
  size_t todo[PEEK_MAX];
  size_t ntodo = 1;
  uint64_t best_ns = UV__DEADLINE_NEVER;

  todo[0] = 0;
  for (size_t visited = 0; ntodo != 0; visited++) {
    size_t i = todo[--ntodo];
    const uv_timer_t* timer = uv__load_relaxed(&heap[i].timer);
    if (timer == NULL || heap[i].due_ns >= best_ns)
      continue;
    if (visited == PEEK_MAX || ntodo > PEEK_MAX - ARITY)
      return UV__DEADLINE_NONE;
    if (timer->timeout < best_ns)
      best_ns = timer->timeout;
    for (size_t k = 1; k <= ARITY && i * ARITY + k < count; k++)
      if (heap[i * ARITY + k].due_ns < best_ns)
        todo[ntodo++] = i * ARITY + k;
  }
  return best_ns;
}

static uint64_t peek_due(const struct uv__timers* timers) {
  /* Acquire: pairs with change_end(). */
  unsigned changes = uv__load_acquire(&timers->changes);
  /* Acquire: the array. Pairs with heap_move(). */
  const struct uv__timer_slot* heap = uv__load_acquire(&timers->heap);
  size_t count = capacity_of(heap);

  if (timers->count < count)
    count = timers->count;
  if (count == 0)
    return UV__DEADLINE_NEVER;

  uint64_t top_ns = heap[0].due_ns;
  uint64_t due_ns = true_earliest(heap, count);
  /* The heap is read before the counter. Pairs with change_begin(). */
  uv__fence_acquire();
  int is_whole =
      changes % 2 == 0 && changes == uv__load_relaxed(&timers->changes);
  if (is_whole)
    return due_ns != UV__DEADLINE_NONE ? due_ns : top_ns;
  /* On 32 bits the key at the top may be half written as well. */
  return sizeof(uintptr_t) < sizeof(top_ns) ? UV__DEADLINE_NONE : top_ns;
}

/* The loop thread may change the heap at the same time: whatever is read, no
 * index leaves the array, and the result is never later than the truth. */
uint64_t uv__timer_peek_due(const uv_loop_t* loop) {
  struct uv__timers* timers = &uv__loop_state(loop)->timers;

  /* Keeps the array alive. Pairs with heap_move(). */
  uv__fetch_add(&timers->readers, 1);
  uint64_t due_ns = peek_due(timers);
  uv__fetch_sub(&timers->readers, 1);
  return due_ns;
}

/* Is another timer due beside the top one? Keys may be early, never late. */
static int is_other_due(const struct uv__timers* timers, uint64_t now_ns) {
  for (size_t i = 1; i <= ARITY && i < timers->count; i++)
    if (timers->heap[i].due_ns <= now_ns)
      return 1;
  return 0;
}

/* Rearms or stops a timer before its callback runs. */
static inline void rearm_or_stop(uv_timer_t* timer) {
  if (timer->repeat != 0) {
    (void) arm_timer(timer, timer->repeat); /* heap_reserve() left room */
    uv__handle_start(uv__base(timer));
  } else {
    uv_timer_stop(timer);
  }
}

static void timer_fire(uv_timer_t* timer) {
  uint64_t due_ns = timer->timeout;

  rearm_or_stop(timer);
  uv__call_timer(timer, due_ns);
}

static void push_ready(struct uv__timers* timers,
                       struct uv__queue* ready,
                       uv_timer_t* timer) {
  uv__handle_stop(uv__base(timer));
  uv__queue_push_back(ready, &timer->node.queue);
  timers->nready++;
}

/* Disarms every due timer before the first callback runs. */
UV__NOINLINE static void run_round(struct uv__timers* timers, uint64_t now_ns) {
  struct uv__queue ready;
  uv_timer_t* timer;

  uv__queue_init(&ready);
  for (timer = heap_top(timers); timer != NULL && timer->timeout <= now_ns;
       timer = heap_top(timers)) {
    heap_remove(timers, timer);
    push_ready(timers, &ready, timer);
  }
  while (!uv__queue_empty(&ready)) {
    timer = container_of(ready.next, uv_timer_t, node.queue);
    leave_ready(timers, timer);
    timer_fire(timer);
  }
  heap_shrink(timers);
}

void uv__timer_run_due(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);
  uv_timer_t* timer = heap_top(&state->timers);

  if (timer == NULL || timer->timeout > state->now_ns)
    return;
  if (is_other_due(&state->timers, state->now_ns))
    run_round(&state->timers, state->now_ns);
  else
    timer_fire(timer);
}

void uv__timer_close_loop(uv_loop_t* loop) {
  struct uv__timers* timers = &uv__loop_state(loop)->timers;

  assert(timers->count == 0);
  assert(timers->nready == 0);
  free_heaps(timers->heap);
  timers->heap = NULL;
  timers->capacity = 0;
  timers->shrink_below = 0;
}

enum uv__close_result uv__timer_close(uv_handle_t* handle) {
  uv_timer_stop((uv_timer_t*) handle);
  return UV__CLOSE_DONE;
}

int uv__timer_heap_is_sound(const uv_loop_t* loop) {
  const struct uv__timers* timers = &uv__loop_state(loop)->timers;

  for (size_t i = 0; i < timers->count; i++) {
    const struct uv__timer_slot* slot = &timers->heap[i];
    const uv_timer_t* timer = slot->timer;

    if (timer->loop != loop || slot_of(timer) != i + 1)
      return 0;
    if (!uv__is_active((const uv_handle_t*) timer))
      return 0;
    if (slot->due_ns > timer->timeout)
      return 0;
    if (i > 0 && key_before(slot, &timers->heap[(i - 1) / ARITY]))
      return 0;
  }
  return 1;
}
