/* SPDX-License-Identifier: MIT */
/* The pools of the process: made by the first request, reset in a forked child,
 * ended at exit.
 *
 * The first submit creates one thread. That thread creates the minimum of all
 * lanes, and no worker takes an item before all of them run. So the loop pays
 * for one thread, and a program that enters a sandbox after its first callback
 * finds every thread that libuv would have, whichever lane it then uses (L7).
 */
#include "pool/lanes.h"
#include "observe/hooks.h"
#include "os/thread.h"
#include "pool/done.h"
#include "pool/gate.h"
#include "pool/lookup.h"
#include "pool/registry.h"
#include "util/env.h"
#include "util/fork-lock.h"

#include <string.h>

#define DEFAULT_SIZE 4
#define MAX_SIZE 1024

/* Policy of the lanes. Files: what libuv has for everything, and more only for
 * calls that never end. Lookups: servers that do not answer. */
#define FILES_MAX 16
#define FILES_STUCK_MS 20
#define LOOKUPS_MIN 2
#define LOOKUPS_MAX 16
#define IDLE_MS 10000

static const unsigned char lane_of_kind[UV__WORK_MAX] = {
  [UV__WORK_USER] = UV__LANE_WORK,
  [UV__WORK_RANDOM] = UV__LANE_WORK,
  [UV__WORK_FS] = UV__LANE_FILES,
  [UV__WORK_SCAN] = UV__LANE_FILES,
  [UV__WORK_GETADDRINFO] = UV__LANE_LOOKUPS,
  [UV__WORK_GETNAMEINFO] = UV__LANE_LOOKUPS,
};

static struct uv__pool lanes[UV__LANES];
static unsigned lane_count; /* UV__LANES or 1, once they are made */
/* Serialises the set-up by the first submit. Not uv_once(): a set-up that fails
 * for lack of memory is attempted again by the next submit, and by a child that
 * was forked in the middle of it. */
static struct uv__fork_lock making;
static int is_made; /* atomic */
/* Why the lanes can no longer be used, or 0. Atomic. */
static int lanes_error;

/* The start of the threads. Atomic. */
static int is_started;   /* a worker has begun to start the others */
static unsigned missing; /* threads that were created less those that run; the
                          * former are added all at once */
static int is_open;      /* the workers may take items */

/* 1 or 0 as UV_THREADPOOL_LANES says, -1 if it says neither. */
static int read_lanes(void) {
  char text[4];

  if (uv__env_get("UV_THREADPOOL_LANES", text, sizeof(text)) != 0)
    return -1;
  if (strcmp(text, "1") == 0)
    return 1;
  return strcmp(text, "0") == 0 ? 0 : -1;
}

struct uv__lanes_config uv__lanes_read_config(void) {
  struct uv__lanes_config config = { DEFAULT_SIZE, 1 };
  int lanes_wanted = read_lanes();
  int size;

  if (uv__env_get_int("UV_THREADPOOL_SIZE", &size) == 0) {
    config.has_lanes = 0;
    if (size == 0)
      config.size = 1;
    else
      config.size = size < 0 || size > MAX_SIZE ? MAX_SIZE : (unsigned) size;
  }
  if (lanes_wanted >= 0)
    config.has_lanes = lanes_wanted;
  return config;
}

static void reset_in_child(void) {
  if (!is_made || lanes_error == UV_ECANCELED)
    return;
  is_started = 0;
  missing = 0;
  is_open = 0;
  for (unsigned i = 0; i < lane_count; i++) {
    int err = uv__pool_reset(&lanes[i]);
    if (err != 0)
      uv__store_relaxed(&lanes_error, err);
    else
      uv__pool_hold(&lanes[i]);
  }
}

/* Called by each new worker, before it looks at the queue. */
static void begin_thread(void);

static int init_lane(enum uv__lane lane, struct uv__pool_limits limits) {
  limits.on_thread = begin_thread;
  int err = uv__pool_init(&lanes[lane], &limits);

  if (err == 0) {
    uv__pool_hold(&lanes[lane]);
    lane_count = (unsigned) lane + 1;
  }
  return err;
}

static int init_lanes(struct uv__lanes_config config) {
  /* With lanes `slow_max` matters only if no thread of the lookups' own could
   * be started. */
  struct uv__pool_limits work = { .name = config.has_lanes ? "work"
                                                           : UV__LANE_NAME_ALL,
                                  .threads_min = config.size,
                                  .threads_max = config.size,
                                  .slow_max = uv__pool_slow_max(config.size) };
  struct uv__pool_limits files = { .name = "files",
                                   .threads_min = config.size,
                                   .threads_max = config.size > FILES_MAX
                                                      ? config.size
                                                      : FILES_MAX,
                                   .idle_ms = IDLE_MS,
                                   .stuck_ms = FILES_STUCK_MS };
  struct uv__pool_limits lookups = { .name = "lookups",
                                     .threads_min = LOOKUPS_MIN,
                                     .threads_max = LOOKUPS_MAX,
                                     .idle_ms = IDLE_MS };
  int err = init_lane(UV__LANE_WORK, work);

  if (err == 0 && config.has_lanes)
    err = init_lane(UV__LANE_FILES, files);
  if (err == 0 && config.has_lanes)
    err = init_lane(UV__LANE_LOOKUPS, lookups);
  return err;
}

static int set_up_lanes(void) {
  lane_count = 0;
  int err = init_lanes(uv__lanes_read_config());

  if (err == 0)
    err = uv__registry_init();
  if (err == 0)
    err = uv__thread_os_at_fork(reset_in_child);
  if (err != 0)
    for (unsigned i = 0; i < lane_count; i++)
      uv__pool_close(&lanes[i]);
  return err;
}

/* From now on a gate that is closed finds the lanes; one that is closed already
 * is closed for them, too. */
static void publish_lanes(void) {
  uv__registry_lock();
  for (unsigned i = 0; i < lane_count; i++)
    uv__pool_set_paused(&lanes[i], uv__gate_is_closed());
  /* Release: the pools. Pairs with ensure_lanes(). */
  uv__store_release(&is_made, 1);
  uv__registry_unlock();
}

UV__NOINLINE static int make_lanes(void) {
  int err = 0;

  (void) uv__fork_lock(&making);
  if (!is_made) {
    err = set_up_lanes();
    if (err == 0)
      publish_lanes();
  }
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

struct uv__pool* uv__pool_for(enum uv__work_id work_id) {
  return lane_count == 1 ? &lanes[0] : &lanes[lane_of_kind[work_id]];
}

/* Returns how many threads there are then. */
static unsigned start_all(void) {
  unsigned threads = 0;

  for (unsigned i = 0; i < lane_count; i++)
    threads += uv__pool_start(&lanes[i]);
  return threads;
}

static void begin_thread(void) {
  unsigned left;

  if (uv__load_relaxed(&is_open))
    return; /* a thread beyond the minimum */
  /* All operations on `missing` are read-modify-writes: exactly one thread
   * finds that none is missing. */
  if (uv__exchange(&is_started, 1)) {
    left = uv__fetch_sub(&missing, 1) - 1;
  } else {
    unsigned others = start_all() - 1;
    left = uv__fetch_add(&missing, others) + others;
  }
  if (left != 0 || uv__exchange(&is_open, 1))
    return;
  for (unsigned i = 0; i < lane_count; i++)
    uv__pool_release(&lanes[i]);
}

/* The system refused the only thread of a lane: another lane takes its items,
 * until a thread can be started. */
UV__COLD static int submit_elsewhere(struct uv__pool* lane,
                                     struct uv__work* w,
                                     int err) {
  for (unsigned i = 0; i < lane_count; i++) {
    if (&lanes[i] == lane || !uv__pool_has_thread(&lanes[i]))
      continue;
    return uv__pool_submit(
        uv__pool_substitute(lane, &lanes[i]) ? &lanes[i] : lane, w);
  }
  return err;
}

/* Marks the lane: the loop wakes workers for what is queued there before it
 * sleeps. `err` is what the lane said. */
UV__INLINE int end_submit(uv_loop_t* loop,
                          struct uv__work* w,
                          struct uv__pool* lane,
                          int err) {
  if (err != 0 && err != UV_ECANCELED)
    err = submit_elsewhere(lane, w, err);
  if (err == 0)
    uv__loop_state(loop)->wake.submitted |= 1u << (lane - lanes);
  return err;
}

UV__INLINE int submit_to_lane(uv_loop_t* loop, struct uv__work* w) {
  struct uv__pool* lane = uv__pool_for(w->kind->id);

  return end_submit(loop, w, lane, uv__pool_submit(lane, w));
}

UV__INLINE void begin_submit(uv_loop_t* loop,
                             struct uv__work* w,
                             const struct uv__work_kind* kind) {
  w->loop = loop;
  w->kind = kind;
  if (uv__is_observed())
    uv__observed_submit(loop, w);
}

static void refuse_item(struct uv__work* w) {
  if (uv__is_observed())
    uv__observed_refused(w);
  w->kind = NULL; /* not under way */
}

int uv__work_submit(uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind) {
  int err = ensure_lanes();
  if (err != 0) {
    w->kind = NULL;
    return err;
  }
  begin_submit(loop, w, kind);
  err = submit_to_lane(loop, w);
  if (err != 0)
    refuse_item(w);
  return err;
}

int uv__work_submit_to(struct uv__pool* pool,
                       uv_loop_t* loop,
                       struct uv__work* w,
                       const struct uv__work_kind* kind) {
  begin_submit(loop, w, kind);
  int err = uv__pool_submit(pool, w);
  if (err != 0)
    refuse_item(w);
  else
    uv__loop_state(loop)->wake.submitted |= 1u << UV__LANES;
  return err;
}

int uv__work_submit_own(uv_loop_t* loop,
                        struct uv__work* w,
                        const struct uv__work_kind* kind,
                        struct uv__worker** called) {
  int err = ensure_lanes();
  if (err != 0)
    return err;

  w->loop = NULL;
  w->kind = kind;
  struct uv__pool* lane = uv__pool_for(kind->id);
  return end_submit(loop, w, lane, uv__pool_queue(lane, w, called));
}

void uv__lanes_flush(unsigned set) {
  for (unsigned i = 0; i < UV__LANES; i++)
    if (set >> i & 1)
      uv__pool_flush(&lanes[i]);
  if (set >> UV__LANES != 0)
    uv__registry_flush();
}

int uv__work_cancel(uv_loop_t* loop,
                    struct uv__work* w,
                    const struct uv__work_kind* kind) {
  if (!uv__load_acquire(&is_made)) /* nothing was ever queued */
    return w->work == uv__work_cancelled ? 0 : UV_EBUSY;
  return uv__pool_cancel(uv__pool_for(kind->id), loop, w, kind);
}

/* Does a file request wait for a thread of its lane, or for its start? */
static int files_wait(void) {
  const struct uv__work_queue* queue = &lanes[UV__LANE_FILES].queue;

  return uv__load_relaxed(&queue->ready) != 0 ||
         uv__load_relaxed(&queue->held) != 0;
}

static int limit_ms(int timeout_ms, int max_ms) {
  return timeout_ms < 0 || timeout_ms > max_ms ? max_ms : timeout_ms;
}

int uv__lanes_limit_sleep(int timeout_ms) {
  return files_wait() ? limit_ms(timeout_ms, FILES_STUCK_MS) : timeout_ms;
}

int uv__lanes_before_sleep(int timeout_ms) {
  if (!files_wait())
    return timeout_ms;
  int left_ms = (int) uv__pool_watch(&lanes[UV__LANE_FILES]);
  return left_ms == 0 ? timeout_ms : limit_ms(timeout_ms, left_ms);
}

unsigned uv__lanes_awake(void) {
  return uv__pool_awake(&lanes[UV__LANE_WORK]) +
         uv__pool_awake(&lanes[UV__LANE_FILES]);
}

void uv__lanes_each(void (*each)(struct uv__pool* pool, void* arg), void* arg) {
  if (!uv__load_acquire(&is_made))
    return;
  for (unsigned i = 0; i < lane_count; i++)
    each(&lanes[i], arg);
}

int uv__lanes_have_name(const char* name) {
  return strcmp(name, UV__LANE_NAME_ALL) == 0 || strcmp(name, "work") == 0 ||
         strcmp(name, "files") == 0 || strcmp(name, "lookups") == 0;
}

int uv__lanes_set_threads(unsigned threads) {
  int err = ensure_lanes();

  if (err != 0)
    return err;
  return uv__pool_set_threads(&lanes[UV__LANE_WORK], threads);
}

unsigned uv__lanes_count(void) {
  return uv__load_acquire(&is_made) && uv__load_relaxed(&lanes_error) == 0
             ? lane_count
             : 0;
}

int uv__lanes_look(unsigned i,
                   struct uv__pool_view* view,
                   void (*each)(const struct uv__work* w, void* arg),
                   void* arg) {
  if (i >= uv__lanes_count())
    return 0;
  uv__pool_look(&lanes[i], view, each, arg);
  return 1;
}

void uv__lanes_shutdown(void) {
  if (!uv__load_acquire(&is_made) || uv__load_relaxed(&lanes_error) != 0)
    return;
  for (unsigned i = 0; i < lane_count; i++)
    uv__pool_end(&lanes[i]);
  int may_abandon = uv__lookup_shutdown();
  for (unsigned i = 0; i < lane_count; i++)
    uv__pool_join(&lanes[i], may_abandon);
  uv__store_relaxed(&lanes_error, UV_ECANCELED); /* no work from now on */
}
