/* SPDX-License-Identifier: MIT */
/* Waking a loop from other threads and from signal handlers.
 *
 * uv_async_send() sets the handle's `pending`. The sender that sets it first
 * pushes the handle onto the loop's stack of sent handles and, if the stack was
 * empty, wakes the loop (wake.c). The loop takes the whole stack with one
 * exchange: a wake-up costs O(sent handles), and many sends share one wake.
 *
 * Callbacks run in passes. A pass behaves as if it walked the list of all
 * handles once and called each that is pending at that moment, whatever the
 * order of the sends, including sends from a callback to a handle further down
 * the list. Programs rely on this order: the channels of a Node process reach
 * their listeners in the order of creation. A handle created during a pass is
 * inserted at the pass's position and first called in the next one. A pass
 * sorts the handles sent; if they are many, it really walks along all handles.
 *
 * Context: uv_async_send() any | signal; the rest is the loop's thread.
 *
 * Between setting `pending` and the push a sender still touches the handle, and
 * until it returns it touches the loop. Closing a handle waits for the former,
 * which is a few instructions away; closing the loop waits for the latter.
 */
#include "unix/async.h"
#include "loop/loop.h"
#include "loop/state.h"
#include "observe/callback.h"
#include "os/async.h"
#include "util/atomic.h"
#include "util/wait.h"

/* If a pass begins with at least this many sent handles, and at least one in
 * WALK_SHARE of all, walking along all handles is cheaper than sorting those
 * sent: handles usually lie in memory in the order of the walk. */
#define WALK_MIN 1024
#define WALK_SHARE 16

void uv__async_os_init_loop(uv_loop_t* loop) {
  struct uv__asyncs* asyncs = &uv__loop_state(loop)->asyncs;

  uv__loop_state(loop)->shared.sent = NULL;
  uv__loop_state(loop)->shared.busy = 0;
  uv__queue_init(&asyncs->list);
  uv__queue_init(&asyncs->ready);
  asyncs->pass = NULL;
  asyncs->count = 0;
}

int uv_async_init(uv_loop_t* loop, uv_async_t* handle, uv_async_cb async_cb) {
  struct uv__asyncs* asyncs = &uv__loop_state(loop)->asyncs;
  struct uv__async_pass* pass = asyncs->pass;

  uv__handle_init(loop, uv__base(handle), UV_ASYNC);
  handle->async_cb = async_cb;
  handle->pending = 0;
  uv__async_list_insert(&asyncs->list,
                        pass == NULL ? asyncs->list.prev : pass->at, handle);
  if (pass != NULL)
    pass->at = &handle->queue;
  uv__queue_init(uv__async_node(handle));
  asyncs->count++;
  uv__handle_start(uv__base(handle));
  return 0;
}

/* Returns 1 if the stack was empty. */
static int push_sent(struct uv__loop_shared* shared, uv_async_t* handle) {
  uv_async_t* head = uv__load_relaxed(&shared->sent);
  do
    *uv__async_link(handle) = head;
  while (!uv__cas_weak(&shared->sent, &head, handle));
  return head == NULL;
}

/* In the link of a closed handle, while UV_DEBUG is on. */
static struct uv__queue closed_mark;

/* From here on, a send is told from one that found another pending. */
static void mark_closed(uv_async_t* handle) {
  handle->queue.next = &closed_mark;
  /* Release: the mark. Pairs with the exchange in uv_async_send(). */
  uv__store_release(&handle->pending, 0);
}

/* Somebody observes. Returns 0 if the handle is closed: nothing is sent. */
UV__COLD static int observe_send(uv_async_t* handle) {
  if (uv__is_observed_by(UV__OBSERVE_DEBUG) &&
      handle->queue.next == &closed_mark) {
    uv__misuse_explain(UV__RULE_SEND_CLOSED, NULL, "async", handle);
    uv__store_release(&handle->pending, 0); /* for the next one */
    return 0;
  }
  uv__hook_async_sent(handle);
  return 1;
}

int uv_async_send(uv_async_t* handle) {
  /* Release: what the sender wrote is visible to the callback. Pairs with the
   * exchange in call_handle(), also for senders that find it already set. */
  if (uv__exchange(&handle->pending, 1) != 0)
    return 0;
  if (uv__is_observed() && !observe_send(handle))
    return 0;

  uv_loop_t* loop = handle->loop;
  struct uv__loop_shared* shared = &uv__loop_state(loop)->shared;
  int err = 0;

  /* Pairs with the acquire in uv__async_os_close_loop(). */
  uv__fetch_add(&shared->busy, 1);
  if (push_sent(shared, handle))
    err = uv__loop_runs_here(loop) ? uv__wake_send(loop)
                                   : uv__wake_send_foreign(loop);
  uv__fetch_sub(&shared->busy, 1);
  return err < 0 ? err : 0;
}

/* Returns the sent handles as a chain, oldest first, or NULL. */
UV__INLINE uv_async_t* take_sent(struct uv__loop_state* state) {
  if (uv__load_relaxed(&state->shared.sent) == NULL)
    return NULL;
  for (struct uv__async_pass* p = state->asyncs.pass; p != NULL; p = p->outer)
    p->seen = NULL;

  /* Acquire: the handles. Pairs with push_sent(). */
  return uv__chain_reverse(uv__exchange(&state->shared.sent, NULL),
                           offsetof(uv_async_t, u.reserved[0]));
}

/* The order number that a pass has reached. */
static uintptr_t position_of(const struct uv__asyncs* asyncs,
                             const struct uv__async_pass* pass) {
  return uv__async_list_number(&asyncs->list, pass->at);
}

/* As pass_of(), where passes are nested. */
UV__NOINLINE static struct uv__async_pass* outer_pass_of(
    const struct uv__asyncs* asyncs,
    uintptr_t number) {
  struct uv__async_pass* pass = asyncs->pass;

  while (pass->outer != NULL && number > position_of(asyncs, pass->outer))
    pass = pass->outer;
  return number > position_of(asyncs, pass) ? pass : NULL;
}

/* Returns the pass that will call this handle, or NULL for a later one. */
static struct uv__async_pass* pass_of(const struct uv__asyncs* asyncs,
                                      const uv_async_t* handle) {
  uintptr_t number = uv__async_number(handle);
  struct uv__async_pass* pass = asyncs->pass;

  if (pass == NULL)
    return NULL;
  if (pass->outer != NULL)
    return outer_pass_of(asyncs, number);
  return number > position_of(asyncs, pass) ? pass : NULL;
}

static void add_to_ready(struct uv__asyncs* asyncs, uv_async_t* chain) {
  for (; chain != NULL; chain = *uv__async_link(chain))
    uv__queue_push_back(&asyncs->ready, uv__async_node(chain));
}

/* Assigns each handle of a chain to its pass. Neighbours stay together, because
 * a chain that is already in order is cheap to sort. */
static void assign_passes(struct uv__asyncs* asyncs, uv_async_t* chain) {
  while (chain != NULL) {
    struct uv__async_pass* pass = pass_of(asyncs, chain);
    uv_async_t* last = chain;
    uv_async_t* next = *uv__async_link(last);
    while (next != NULL && pass_of(asyncs, next) == pass) {
      last = next;
      next = *uv__async_link(last);
    }
    *uv__async_link(last) = NULL;
    if (pass == NULL)
      add_to_ready(asyncs, chain);
    else
      uv__async_runs_add(&pass->runs, chain);
    chain = next;
  }
}

/* Puts what earlier passes left for later ones in front of a chain. */
static uv_async_t* take_ready(struct uv__asyncs* asyncs, uv_async_t* chain) {
  while (!uv__queue_empty(&asyncs->ready)) {
    struct uv__queue* last = asyncs->ready.prev;
    uv__queue_unlink(last);
    *uv__async_link(uv__async_at(last)) = chain;
    chain = uv__async_at(last);
  }
  return chain;
}

/* Was a handle sent that a pass in progress will call? Others stay on the
 * stack: their senders have woken the loop for them. */
static int has_more_sent(const struct uv__loop_state* state,
                         struct uv__async_pass* pass) {
  /* Acquire: the handles. Pairs with push_sent(). */
  uv_async_t* head = uv__load_acquire(&state->shared.sent);

  for (uv_async_t* h = head; h != pass->seen; h = *uv__async_link(h))
    if (pass_of(&state->asyncs, h) != NULL)
      return 1;
  pass->seen = head;
  return 0;
}

static void call_handle(struct uv__async_pass* pass, uv_async_t* handle) {
  assert(!uv__is_closing(uv__base(handle)));
  pass->at = &handle->queue;
  /* Cleared before the callback, so that a send during it causes another call.
   * Pairs with uv_async_send(). */
  uv__exchange(&handle->pending, 0);
  if (handle->async_cb != NULL)
    uv__call_async(handle);
}

/* Is it in a list of the loop? Then its sender is done with it. */
static int is_collected(uv_async_t* handle) {
  return !uv__queue_empty(uv__async_node(handle));
}

/* Calls the handles of a chain, and those sent meanwhile, by walking along all
 * handles. A walk has no outer pass, so it calls every collected handle ahead
 * of its position, no matter which list holds it: `ready`, or the runs of this
 * pass. The handles left in `ready` at the end are behind it. */
UV__NOINLINE static int walk_pass(struct uv__loop_state* state,
                                  struct uv__async_pass* pass,
                                  uv_async_t* chain) {
  struct uv__asyncs* asyncs = &state->asyncs;
  struct uv__queue* at = pass->at->next;
  int count = 0;

  add_to_ready(asyncs, chain);
  while (at != &asyncs->list) {
    uv_async_t* handle = container_of(at, uv_async_t, queue);
    at = at->next;
    if (!is_collected(handle))
      continue;
    uv__queue_remove(uv__async_node(handle));
    call_handle(pass, handle);
    count++;
    add_to_ready(asyncs, take_sent(state));
    at = pass->at->next;
  }
  return count;
}

/* Calls `handle`, if any, and then the handles of the pass. Returns the number
 * of calls. */
static int run_pass(struct uv__loop_state* state,
                    struct uv__async_pass* pass,
                    uv_async_t* handle) {
  int count = 0;

  for (; handle != NULL; handle = uv__async_runs_take(&pass->runs)) {
    call_handle(pass, handle);
    count++;
    if (has_more_sent(state, pass))
      assign_passes(&state->asyncs, take_sent(state));
  }
  return count;
}

/* Returns the first handle to call in this pass; the others are sorted. */
static uv_async_t* sort_sent(struct uv__asyncs* asyncs,
                             struct uv__async_pass* pass,
                             uv_async_t* chain) {
  assign_passes(asyncs, chain);
  uv__async_runs_join(&pass->runs);
  return uv__async_runs_take(&pass->runs);
}

/* Is walking along all handles cheaper than sorting those of a chain? */
static int should_walk(const struct uv__asyncs* asyncs,
                       const struct uv__async_pass* pass,
                       uv_async_t* chain) {
  size_t count = 0;

  if (pass->outer != NULL || asyncs->count < WALK_MIN)
    return 0;
  for (; chain != NULL; chain = *uv__async_link(chain))
    count++;
  return count >= WALK_MIN && count >= asyncs->count / WALK_SHARE;
}

/* Calls the handles that were sent, and those left by earlier passes. */
UV__NOINLINE static int run_many(struct uv__loop_state* state,
                                 struct uv__async_pass* pass,
                                 uv_async_t* sent) {
  struct uv__asyncs* asyncs = &state->asyncs;
  uv_async_t* chain = take_ready(asyncs, sent);

  if (should_walk(asyncs, pass, chain))
    return walk_pass(state, pass, chain);
  return run_pass(state, pass, sort_sent(asyncs, pass, chain));
}

/* Calls every pending handle that belongs to this pass. */
static int run_sent(struct uv__loop_state* state, struct uv__async_pass* pass) {
  struct uv__asyncs* asyncs = &state->asyncs;
  uv_async_t* handle = take_sent(state);

  /* A single handle needs no sorting. */
  if (handle == NULL || *uv__async_link(handle) != NULL ||
      pass->runs.mask != 0 || !uv__queue_empty(&asyncs->ready) ||
      pass_of(asyncs, handle) != pass)
    return run_many(state, pass, handle);
  return run_pass(state, pass, handle);
}

void uv__async_pass_begin(uv_loop_t* loop, struct uv__async_pass* pass) {
  struct uv__asyncs* asyncs = &uv__loop_state(loop)->asyncs;

  pass->outer = asyncs->pass;
  pass->at = &asyncs->list;
  pass->seen = NULL;
  pass->runs.mask = 0;
  asyncs->pass = pass;
}

int uv__async_pass_run(uv_loop_t* loop, struct uv__async_pass* pass) {
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__asyncs* asyncs = &state->asyncs;
  int count = 0;

  assert(asyncs->pass == pass);
  if (uv__load_relaxed(&state->shared.sent) != NULL || pass->runs.mask != 0 ||
      !uv__queue_empty(&asyncs->ready))
    count = run_sent(state, pass);
  asyncs->pass = pass->outer;

  /* Handles kept for a later pass need a wake of their own. */
  if (!uv__queue_empty(&asyncs->ready))
    (void) uv__wake_send(loop);
  return count;
}

static void remove_from_list(struct uv__asyncs* asyncs, uv_async_t* handle) {
  for (struct uv__async_pass* p = asyncs->pass; p != NULL; p = p->outer)
    if (p->at == &handle->queue)
      p->at = handle->queue.prev;
  uv__queue_remove(&handle->queue);
}

enum uv__close_result uv__async_close(uv_handle_t* base) {
  uv_async_t* handle = (uv_async_t*) base;
  struct uv__loop_state* state = uv__loop_state(handle->loop);

  assert(base->type == UV_ASYNC);
  assert(state->asyncs.count > 0);
  /* Stays set, so that later sends do nothing. */
  if (uv__exchange(&handle->pending, 1) != 0) {
    for (unsigned turn = 0; !is_collected(handle); turn++) {
      assign_passes(&state->asyncs, take_sent(state));
      uv__wait_turn(turn);
    }
  }

  uv__queue_remove(uv__async_node(handle));
  remove_from_list(&state->asyncs, handle);
  state->asyncs.count--;
  if (!uv__queue_empty(&state->asyncs.ready))
    (void) uv__wake_send(handle->loop);
  uv__handle_stop(base);
  if (uv__is_observed_by(UV__OBSERVE_DEBUG))
    mark_closed(handle);
  return UV__CLOSE_DONE;
}

void uv__async_os_close_loop(uv_loop_t* loop) {
  const unsigned* busy = &uv__loop_state(loop)->shared.busy;

  for (unsigned turn = 0; uv__load_acquire(busy) != 0; turn++)
    uv__wait_turn(turn);
}

void uv__async_os_fork(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__queue* list = &state->asyncs.list;

  (void) take_sent(state);
  state->shared.busy = 0;
  for (struct uv__queue* q = list->next; q != list; q = q->next) {
    uv_async_t* handle = container_of(q, uv_async_t, queue);
    handle->pending = 0;
    uv__queue_remove(uv__async_node(handle));
  }
}
