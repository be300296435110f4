/* SPDX-License-Identifier: MIT */
/* Running managed loops: one beginning and one end.
 *
 * NEW -run-> STARTING -all threads are there-> RUNNING -shutdown-> ENDING
 * -all loops are quiet-> DRAINED -joined-> ENDED.
 *
 * A loop is kept alive by one registered request, its hold, until its end
 * functions have run. Then, whenever nothing is active on it, it is quiet: it
 * waits for posts and takes none. If all are quiet and no queue has a post, no
 * callback runs anywhere that could post, so all may leave (L1). Waiting in
 * uv_run() instead would take a post while the loop counts as quiet.
 *
 * Context: callbacks are on their loop's thread; the mutex guards the rest. */
#include "loops.h"
#include "listener.h"
#include "loop/post.h"
#include "loop/state.h"
#include "loop/wake.h"
#include "observe/callback.h"
#include "req.h"
#include "util/atomic.h"

#include <signal.h>
#include <stdio.h>

/* Attempts to run a loop whose poller fails, a millisecond apart. */
#define FAILURES_MAX 1000

static void run_hooks(const struct uv__loops_hook* hook, uv_loop_t* loop) {
  for (; hook != NULL; hook = hook->next)
    if (hook->loop == NULL || hook->loop == loop)
      uv__call_loop(hook->cb, loop, hook->arg);
}

/* ---- shutdown ---- */

/* On each loop. */
static void on_end(uvx_post_t* post) {
  struct uv__managed* slot = post->data;

  run_hooks(slot->loops->ends, slot->loop);
  uv__listener_end(slot);
  slot->has_ended = 1;
  uv__req_unregister(slot->loop);
}

/* On loop 0. */
static void on_shutdown(uvx_post_t* post) {
  uvx_loops_t* loops = post->data;

  for (unsigned i = 0; i < loops->signals_count; i++)
    uv_close((uv_handle_t*) &loops->signals[i], NULL);
  uv_mutex_lock(&loops->mutex);
  loops->state = UV__LOOPS_ENDING;
  uv_mutex_unlock(&loops->mutex);
  for (unsigned i = 0; i < loops->count; i++) {
    struct uv__managed* slot = &loops->slots[i];
    slot->end.data = slot;
    /* An error of waking a loop cannot be reported; its poller has failed. */
    (void) uvx_post(slot->loop, &slot->end, on_end);
  }
}

void uvx_loops_shutdown(uvx_loops_t* loops) {
  if (loops == NULL || uv__loops_is_forked(loops) ||
      uv__exchange(&loops->is_asked, 1) != 0)
    return;
  loops->shutdown.data = loops;
  (void) uvx_post(loops->slots[0].loop, &loops->shutdown, on_shutdown);
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  uvx_loops_shutdown(handle->data);
}

/* On loop 0. */
static int watch_signals(uvx_loops_t* loops) {
  static const int signums[] = { SIGINT, SIGTERM };
  int err = 0;

  if (loops->flags & UVX_LOOPS_NO_SIGNALS)
    return 0;
  for (unsigned i = 0; i < ARRAY_SIZE(signums) && err == 0; i++) {
    uv_signal_t* handle = &loops->signals[i];
    err = uv_signal_init(loops->slots[0].loop, handle);
    if (err != 0)
      break;
    loops->signals_count++;
    handle->data = loops;
    uv_unref((uv_handle_t*) handle);
    err = uv_signal_start(handle, on_signal, signums[i]);
  }
  return err;
}

/* ---- running ---- */

/* L1. Called with the mutex. */
static int is_drained(const uvx_loops_t* loops) {
  for (unsigned i = 0; i < loops->count; i++)
    if (!loops->slots[i].is_quiet || uv__post_is_queued(loops->slots[i].loop))
      return 0;
  return 1;
}

static void drain(uvx_loops_t* loops) {
  loops->state = UV__LOOPS_DRAINED;
  for (unsigned i = 0; i < loops->count; i++) {
    uv_loop_t* loop = loops->slots[i].loop;
    uv__store_relaxed(&uv__loop_state(loop)->shared.posts_closed, 1);
    (void) uv__wake_send(loop); /* an error: its wait fails, too */
  }
}

/* Waits while nothing is active on the loop. Returns 1 if it may leave, or 0
 * after an event, which may have given it something to do. */
static int wait_quietly(struct uv__managed* slot) {
  uvx_loops_t* loops = slot->loops;

  uv_mutex_lock(&loops->mutex);
  slot->is_quiet = 1;
  if (loops->state != UV__LOOPS_DRAINED && is_drained(loops))
    drain(loops);
  int is_over = loops->state == UV__LOOPS_DRAINED;
  uv_mutex_unlock(&loops->mutex);
  if (is_over)
    return 1;

  int err = uvx_backend_process(slot->loop, -1);
  if (err < 0)
    uv_sleep(1);
  uv_mutex_lock(&loops->mutex);
  is_over = loops->state == UV__LOOPS_DRAINED;
  slot->is_quiet = is_over;
  uv_mutex_unlock(&loops->mutex);
  if (!is_over)
    (void) uvx_backend_dispatch(slot->loop);
  return is_over;
}

/* The loop returned from uv_run() although something is active: uv_stop(), or
 * its poller failed. Returns 1 if it has failed for too long. */
static int has_failed(struct uv__managed* slot, unsigned* failures) {
  if (uvx_backend_process(slot->loop, 0) >= 0) {
    *failures = 0;
    return 0;
  }
  uv_sleep(1);
  return ++*failures >= FAILURES_MAX;
}

static void run_slot(struct uv__managed* slot) {
  uvx_loops_t* loops = slot->loops;
  unsigned failures = 0;

  uv__loops_set_current(slot);
  uv__listener_start(slot);
  run_hooks(loops->starts, slot->loop);
  for (;;) {
    int is_alive = uv_run(slot->loop, UV_RUN_DEFAULT);
    if (is_alive && has_failed(slot, &failures)) {
      uv_mutex_lock(&loops->mutex);
      loops->err = UV_EIO;
      uv_mutex_unlock(&loops->mutex);
      uvx_loops_shutdown(loops);
      is_alive = !slot->has_ended; /* no event will end what is active */
    }
    if (!is_alive && wait_quietly(slot))
      break;
  }
  uv__loops_set_current(NULL);
}

static void thread_main(void* arg) {
  struct uv__managed* slot = arg;
  uvx_loops_t* loops = slot->loops;
  char name[32];

  snprintf(name, sizeof(name), "%.10s-%u", loops->name, slot->index);
  (void) uv_thread_setname(name); /* only debuggers and ps show it */
  uv_mutex_lock(&loops->mutex);
  loops->arrived++;
  uv_cond_broadcast(&loops->changed);
  while (loops->state == UV__LOOPS_STARTING && !loops->is_refused)
    uv_cond_wait(&loops->changed, &loops->mutex);
  int is_refused = loops->is_refused;
  uv_mutex_unlock(&loops->mutex);
  if (!is_refused)
    run_slot(slot);
}

/* Makes the threads of all loops but the first. On failure there are none. */
static int make_threads(uvx_loops_t* loops) {
  uv_thread_options_t options;
  unsigned made = 1;
  int err = 0;

  options.flags = UV_THREAD_HAS_STACK_SIZE;
  options.stack_size = loops->stack_size;
  for (; made < loops->count; made++) {
    struct uv__managed* slot = &loops->slots[made];
    err = uv_thread_create_ex(&slot->thread, &options, thread_main, slot);
    if (err != 0)
      break;
  }
  if (err == 0)
    err = uv__loops_pin(loops);
  uv_mutex_lock(&loops->mutex);
  loops->is_refused = err != 0;
  while (err == 0 && loops->arrived + 1 < loops->count)
    uv_cond_wait(&loops->changed, &loops->mutex);
  uv_cond_broadcast(&loops->changed);
  uv_mutex_unlock(&loops->mutex);
  while (err != 0 && made > 1)
    (void) uv_thread_join(&loops->slots[--made].thread);
  return err;
}

static void set_state(uvx_loops_t* loops, enum uv__loops_state state) {
  uv_mutex_lock(&loops->mutex);
  loops->state = state;
  uv_cond_broadcast(&loops->changed);
  uv_mutex_unlock(&loops->mutex);
}

static int begin_run(uvx_loops_t* loops) {
  uv_mutex_lock(&loops->mutex);
  int is_new = loops->state == UV__LOOPS_NEW;
  if (is_new)
    loops->state = UV__LOOPS_STARTING;
  loops->is_refused = 0;
  loops->arrived = 0;
  uv_mutex_unlock(&loops->mutex);
  return is_new ? 0 : UV_EBUSY;
}

int uvx_loops_run(uvx_loops_t* loops) {
  if (loops == NULL)
    return UV_EINVAL;
  if (uv__loops_is_forked(loops))
    return UV_EPERM;
  int err = begin_run(loops);
  if (err != 0)
    return err;
  err = make_threads(loops);
  if (err != 0) {
    set_state(loops, UV__LOOPS_NEW);
    return err;
  }

  /* Without its signals the program might have no way to begin the shutdown. */
  loops->err = watch_signals(loops);
  if (loops->err != 0)
    uvx_loops_shutdown(loops);
  set_state(loops, UV__LOOPS_RUNNING);
  run_slot(&loops->slots[0]);
  for (unsigned i = 1; i < loops->count; i++)
    (void) uv_thread_join(&loops->slots[i].thread);
  uv__loops_unpin(loops);
  /* Threads of the program's own may have found the loops open and queued
   * their posts after the last look. */
  uv__loops_run_late_posts(loops);
  set_state(loops, UV__LOOPS_ENDED);
  return loops->err;
}
