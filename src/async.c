/* SPDX-License-Identifier: MIT */
/* Waking a loop from elsewhere.
 *
 * uv_async_send() raises the handle's `pending`; who raises it first pushes the
 * handle on the loop's stack of sent handles and, if the stack was empty, wakes
 * the poller. The loop takes the whole stack with one exchange, so a wake-up
 * costs as much as there are handles sent, however many exist, and many sends
 * make one wake.
 *
 * Context: uv_async_send() any | signal; the rest is the loop's thread.
 *
 * A sender between raising `pending` and pushing is about to touch the handle,
 * and until it leaves it touches the loop: closing a handle waits for the first
 * (the push is a few instructions away), closing the loop for the second.
 */
#include "async.h"
#include "atomic.h"
#include "loop.h"
#include "wakeup.h"

/* Enough for any number of handles that fit into memory. */
#define SORT_BINS 32

/* Where a handle is linked: on the stack by the first of the words that every
 * handle has to spare, on the loop's own lists by the next two. */
static uv_async_t** link_of(uv_async_t* handle) {
  return (uv_async_t**) &handle->u.reserved[0];
}

static struct uv__queue* node_of(uv_async_t* handle) {
  return (struct uv__queue*) &handle->u.reserved[1];
}

/* The fourth: counts handles of a loop in the order of their making. */
static uintptr_t* number_of(uv_async_t* handle) {
  return (uintptr_t*) &handle->u.reserved[3];
}

static uv_async_t* handle_at(struct uv__queue* node) {
  return container_of(node, uv_async_t, u.reserved[1]);
}

void uv__async_init_loop(uv_loop_t* loop) {
  struct uv__asyncs* asyncs = &uv__loop_state(loop)->asyncs;

  uv__loop_state(loop)->shared.sent = NULL;
  uv__loop_state(loop)->shared.busy = 0;
  uv__queue_init(&asyncs->ready);
}

int uv_async_init(uv_loop_t* loop, uv_async_t* handle, uv_async_cb async_cb) {
  uv__handle_init(loop, uv__base(handle), UV_ASYNC);
  handle->async_cb = async_cb;
  handle->pending = 0;
  *number_of(handle) = uv__loop_state(loop)->asyncs.made++;
  uv__queue_init(node_of(handle));
  uv__handle_start(uv__base(handle));
  return 0;
}

/* Returns 1 if the stack was empty. */
static int push_sent(struct uv__loop_shared* shared, uv_async_t* handle) {
  uv_async_t* head = uv__load_relaxed(&shared->sent);
  do
    *link_of(handle) = head;
  while (!uv__cas_weak(&shared->sent, &head, handle));
  return head == NULL;
}

int uv_async_send(uv_async_t* handle) {
  /* Release: what the sender wrote is visible to the callback. Pairs with the
   * exchange in run_one(), also for senders that find it raised. */
  if (uv__fetch_or(&handle->pending, 1) != 0)
    return 0;

  uv_loop_t* loop = handle->loop;
  struct uv__loop_shared* shared = &uv__loop_state(loop)->shared;
  int err = 0;

  /* Pairs with the acquire in uv__async_close_loop(). */
  uv__fetch_add(&shared->busy, 1);
  if (push_sent(shared, handle))
    err = uv__wakeup_send(loop);
  uv__fetch_sub(&shared->busy, 1);
  return err;
}

/* Two chains in order make one. */
static uv_async_t* merge_chains(uv_async_t* a, uv_async_t* b) {
  uv_async_t* head;
  uv_async_t** end = &head;

  while (a != NULL && b != NULL) {
    uv_async_t** first = *number_of(b) < *number_of(a) ? &b : &a;
    *end = *first;
    end = link_of(*first);
    *first = *end;
  }
  *end = a != NULL ? a : b;
  return head;
}

static uv_async_t* oldest_first(uv_async_t* newest) {
  uv_async_t* oldest = NULL;

  while (newest != NULL) {
    uv_async_t* next = *link_of(newest);
    *link_of(newest) = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

/* Takes the longest chain that is in order off the front of another. */
static uv_async_t* cut_run(uv_async_t** chain) {
  uv_async_t* run = *chain;
  uv_async_t* last = run;
  uv_async_t* next = *link_of(last);

  while (next != NULL && *number_of(last) < *number_of(next)) {
    last = next;
    next = *link_of(last);
  }
  *link_of(last) = NULL;
  *chain = next;
  return run;
}

/* Merge sort of what is in order already: one run if the handles were sent in
 * the order of their making. Bin i is empty or holds 2^i runs, the last one
 * more. */
static uv_async_t* sort_chain(uv_async_t* chain) {
  uv_async_t* bins[SORT_BINS] = { NULL };
  uv_async_t* sorted = NULL;

  while (chain != NULL) {
    uv_async_t* run = cut_run(&chain);
    size_t i = 0;
    for (; i < SORT_BINS - 1 && bins[i] != NULL; i++) {
      run = merge_chains(bins[i], run);
      bins[i] = NULL;
    }
    bins[i] = merge_chains(bins[i], run);
  }
  for (size_t i = 0; i < SORT_BINS; i++)
    sorted = merge_chains(bins[i], sorted);
  return sorted;
}

/* What was sent, as a chain; NULL if nothing was. */
static uv_async_t* take_sent(struct uv__loop_state* state) {
  if (uv__load_relaxed(&state->shared.sent) == NULL)
    return NULL;
  /* Acquire: the handles. Pairs with push_sent(). */
  return uv__exchange(&state->shared.sent, NULL);
}

/* Moves it to the ready list, in the order in which the handles were made,
 * whatever the order of the sends: programs rely on it (the channels of a Node
 * process reach their listeners in the order of creation). */
static void make_ready(struct uv__asyncs* asyncs, uv_async_t* sent) {
  uv_async_t* handle = sent;

  if (sent != NULL && *link_of(sent) != NULL)
    handle = sort_chain(oldest_first(sent));
  while (handle != NULL) {
    uv_async_t* next = *link_of(handle);
    uv__queue_push_back(&asyncs->ready, node_of(handle));
    handle = next;
  }
}

static void run_one(uv_async_t* handle) {
  /* Lowered before the callback: a send during it means another run. Pairs with
   * uv_async_send(). */
  uv__exchange(&handle->pending, 0);
  if (handle->async_cb != NULL)
    handle->async_cb(handle);
}

/* Nothing is added to the list while this runs but by uv__async_close(), which
 * only moves handles that were sent meanwhile; stops at the last one of now. */
UV__APART static int run_ready(struct uv__asyncs* asyncs) {
  struct uv__queue round;
  int count = 0;

  uv__queue_move(&round, &asyncs->ready);
  while (!uv__queue_empty(&round)) {
    run_one(handle_at(uv__queue_pop_front(&round)));
    count++;
  }
  return count;
}

int uv__async_run(uv_loop_t* loop) {
  struct uv__asyncs* asyncs = &uv__loop_state(loop)->asyncs;
  uv_async_t* sent = take_sent(uv__loop_state(loop));
  int count = 1;

  if (sent != NULL && *link_of(sent) == NULL &&
      uv__queue_empty(&asyncs->ready)) {
    run_one(sent); /* nobody else's turn to wait for */
  } else {
    make_ready(asyncs, sent);
    count = run_ready(asyncs);
  }

  /* Handles that a close moved here have no wake of their own any more. */
  if (!uv__queue_empty(&asyncs->ready))
    (void) uv__wakeup_send(loop);
  return count;
}

/* For the few instructions that a sender still needs; if it was preempted
 * there, the processor is better left to it. */
static void wait_a_moment(unsigned turn) {
  if (turn % 64 == 63)
    uv_sleep(0);
  else
    uv__cpu_relax();
}

/* Is it on a list of ours, so that no sender touches it any more? */
static int is_collected(uv_async_t* handle) {
  return !uv__queue_empty(node_of(handle));
}

enum uv__close_answer uv__async_close(uv_handle_t* base) {
  uv_async_t* handle = (uv_async_t*) base;
  struct uv__asyncs* asyncs = &uv__loop_state(handle->loop)->asyncs;

  /* Raised from here on, so that later sends do nothing. */
  if (uv__fetch_or(&handle->pending, 1) != 0) {
    for (unsigned turn = 0; !is_collected(handle); turn++) {
      make_ready(asyncs, take_sent(uv__loop_state(handle->loop)));
      wait_a_moment(turn);
    }
  }

  uv__queue_remove(node_of(handle));
  if (!uv__queue_empty(&asyncs->ready))
    (void) uv__wakeup_send(handle->loop);
  uv__handle_stop(base);
  return UV__CLOSE_DONE;
}

void uv__async_close_loop(uv_loop_t* loop) {
  const unsigned* busy = &uv__loop_state(loop)->shared.busy;

  for (unsigned turn = 0; uv__load_acquire(busy) != 0; turn++)
    wait_a_moment(turn);
}

void uv__async_fork(uv_loop_t* loop) {
  uv__async_init_loop(loop);
  struct uv__queue* head = &loop->handle_queue;
  for (struct uv__queue* q = head->next; q != head; q = q->next) {
    uv_handle_t* base = container_of(q, uv_handle_t, handle_queue);
    if (base->type != UV_ASYNC || uv__is_closing(base))
      continue;
    uv_async_t* handle = (uv_async_t*) base;
    handle->pending = 0;
    uv__queue_init(node_of(handle));
  }
}
