/* SPDX-License-Identifier: MIT */
/* The pools of the process: made by the first request, reset in a forked child,
 * ended at exit. */
#include "pool/lanes.h"
#include "observe/hooks.h"
#include "os/thread.h"
#include "pool/done.h"
#include "pool/lookup.h"
#include "util/env.h"
#include "util/fork-lock.h"

#define DEFAULT_SIZE 4
#define MAX_SIZE 1024

#define LANES 1

static struct uv__pool lanes[LANES];
/* Serialises the set-up by the first submit. Not uv_once(): a set-up that fails
 * for lack of memory is attempted again by the next submit, and by a child that
 * was forked in the middle of it. */
static struct uv__fork_lock making;
static int is_made;    /* atomic */
static int is_started; /* atomic: a worker has begun to start the others */
/* Why the lanes can no longer be used, or 0. Atomic. */
static int lanes_error;

unsigned uv__lanes_size(void) {
  int size;

  if (uv__env_get_int("UV_THREADPOOL_SIZE", &size) != 0)
    return DEFAULT_SIZE;
  if (size == 0)
    return 1;
  return size < 0 || size > MAX_SIZE ? MAX_SIZE : (unsigned) size;
}

static void reset_in_child(void) {
  if (!is_made || lanes_error == UV_ECANCELED)
    return;
  is_started = 0;
  for (int i = 0; i < LANES; i++) {
    int err = uv__pool_reset(&lanes[i]);
    if (err != 0)
      uv__store_relaxed(&lanes_error, err);
  }
}

static int set_up_lanes(void) {
  unsigned size = uv__lanes_size();
  /* Name resolution occupies at most half of the threads, rounded up. */
  struct uv__pool_limits limits = { "work", size, size, 0, (size + 1) / 2 };
  int err = uv__pool_init(&lanes[0], &limits);

  if (err != 0)
    return err;
  err = uv__thread_os_at_fork(reset_in_child);
  if (err != 0)
    uv__pool_close(&lanes[0]);
  return err;
}

UV__NOINLINE static int make_lanes(void) {
  int err = 0;

  (void) uv__fork_lock(&making);
  if (!is_made)
    err = set_up_lanes();
  /* Release: the pools. Pairs with ensure_lanes(). */
  if (err == 0)
    uv__store_release(&is_made, 1);
  uv__fork_unlock(&making);
  return err;
}

/* Returns 0 if the lanes can be used. */
static int ensure_lanes(void) {
  if (!uv__load_acquire(&is_made)) {
    int err = make_lanes();
    if (err != 0)
      return err;
  }
  return uv__load_relaxed(&lanes_error);
}

static struct uv__pool* lane_of(const struct uv__work_kind* kind) {
  (void) kind;
  return &lanes[0];
}

void uv__lanes_start(void) {
  if (uv__load_relaxed(&is_started) || uv__exchange(&is_started, 1))
    return;
  for (int i = 0; i < LANES; i++)
    uv__pool_start(&lanes[i]);
  for (int i = 0; i < LANES; i++)
    uv__pool_open(&lanes[i]);
}

/* The system refused the only thread of a lane: another lane takes its items
 * from now on. */
UV__COLD static int submit_elsewhere(struct uv__pool* lane,
                                     struct uv__work* w,
                                     int err) {
  for (int i = 0; i < LANES; i++) {
    if (&lanes[i] == lane || !uv__pool_has_thread(&lanes[i]))
      continue;
    return uv__pool_submit(
        uv__pool_substitute(lane, &lanes[i]) ? &lanes[i] : lane, w);
  }
  return err;
}

UV__INLINE int submit_to_lane(uv_loop_t* loop, struct uv__work* w) {
  struct uv__pool* lane = lane_of(w->kind);
  int err = uv__pool_submit(lane, w);

  if (err != 0 && err != UV_ECANCELED)
    err = submit_elsewhere(lane, w, err);
  if (err == 0)
    uv__loop_state(loop)->wake.submitted = 1;
  return err;
}

int uv__work_submit(uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind) {
  int err = ensure_lanes();
  if (err != 0)
    return err;

  w->loop = loop;
  w->work = kind->work;
  w->kind = kind;
  if (uv__is_observed())
    uv__observed_submit(loop, w);

  err = submit_to_lane(loop, w);
  if (err != 0 && uv__is_observed())
    uv__observed_refused(w);
  return err;
}

int uv__work_submit_own(uv_loop_t* loop,
                        struct uv__work* w,
                        const struct uv__work_kind* kind) {
  int err = ensure_lanes();
  if (err != 0)
    return err;

  w->loop = NULL;
  w->work = kind->work;
  w->kind = kind;
  return submit_to_lane(loop, w);
}

void uv__lanes_flush(void) {
  for (int i = 0; i < LANES; i++)
    uv__pool_flush(&lanes[i]);
}

int uv__work_cancel(uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind) {
  if (!uv__load_acquire(&is_made)) /* nothing was ever queued */
    return w->work == uv__work_cancelled ? 0 : UV_EBUSY;
  return uv__pool_cancel(lane_of(kind), loop, w, kind);
}

unsigned uv__lanes_awake(void) {
  unsigned awake = 0;

  for (int i = 0; i < LANES; i++)
    awake += uv__pool_awake(&lanes[i]);
  return awake;
}

int uv__lanes_look(unsigned i,
                   struct uv__pool_view* view,
                   void (*each)(const struct uv__work* w, void* arg),
                   void* arg) {
  if (i >= LANES || !uv__load_acquire(&is_made) ||
      uv__load_relaxed(&lanes_error) != 0)
    return 0;
  uv__pool_look(&lanes[i], view, each, arg);
  return 1;
}

void uv__lanes_shutdown(void) {
  if (!uv__load_acquire(&is_made) || uv__load_relaxed(&lanes_error) != 0)
    return;
  for (int i = 0; i < LANES; i++)
    uv__pool_end(&lanes[i]);
  int may_abandon = uv__lookup_shutdown();
  for (int i = 0; i < LANES; i++)
    uv__pool_join(&lanes[i], may_abandon);
  uv__store_relaxed(&lanes_error, UV_ECANCELED); /* no work from now on */
}
