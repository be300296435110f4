/* SPDX-License-Identifier: MIT */
/* A loop per thread, with one beginning and one end (uvx_loops_*).
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
#include "loop/post.h"
#include "loop/state.h"
#include "observe/callback.h"
#include "req.h"
#include "util/alloc.h"
#include "util/atomic.h"
#include "uv/ext.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define COUNT_MAX 1024
/* Attempts to run a loop whose poller fails, a millisecond apart. */
#define FAILURES_MAX 1000

enum loops_state { NEW, STARTING, RUNNING, ENDING, DRAINED, ENDED };

/* A start or end function, in the order of addition. */
struct hook {
  struct hook* next;
  uv_loop_t* loop; /* NULL: of all */
  uvx_loop_cb cb;
  void* arg;
};

struct uv__managed {
  uvx_loops_t* loops;
  uv_loop_t* loop; /* `own`, or options.main */
  unsigned index;
  int has_ended; /* the loop's thread's: the end functions have run */
  int is_quiet;  /* guarded by the mutex */
  uvx_post_t end;
  uv_thread_t thread;
  uv_loop_t own;
};

struct uvx_loops_s {
  uv_mutex_t mutex;
  uv_cond_t changed;
  enum loops_state state; /* guarded by the mutex; so are the next three */
  unsigned arrived;       /* threads that wait for the start */
  int is_refused;         /* one of them could not be made */
  int err;                /* of uvx_loops_run() */
  int is_asked;           /* atomic: uvx_loops_shutdown() was called */
  uv_pid_t pid;           /* of the process that made them */
  unsigned flags;
  unsigned count;
  size_t stack_size;
  char name[16];
  struct hook* starts;
  struct hook* ends;
  uvx_post_t shutdown;
  uv_signal_t signals[2];
  unsigned signals_count; /* of `signals`, initialised */
  struct uv__managed slots[];
};

static uv_once_t key_once = UV_ONCE_INIT;
static uv_key_t key; /* the thread's struct uv__managed */
static int key_err;

static void make_key(void) {
  key_err = uv_key_create(&key);
}

uv_loop_t* uvx_loop_current(void) {
  uv_once(&key_once, make_key);
  if (key_err != 0)
    return NULL;
  const struct uv__managed* slot = uv_key_get(&key);
  return slot == NULL ? NULL : slot->loop;
}

int uvx_loop_index(const uv_loop_t* loop) {
  if (loop == NULL || uv__loop_state(loop) == NULL ||
      uv__loop_state(loop)->managed == NULL)
    return UV_EINVAL;
  return (int) uv__loop_state(loop)->managed->index;
}

unsigned uvx_loops_count(const uvx_loops_t* loops) {
  return loops->count;
}

uv_loop_t* uvx_loops_get(const uvx_loops_t* loops, unsigned index) {
  return index < loops->count ? loops->slots[index].loop : NULL;
}

/* Is this a child of the process that made them? It has none of the threads. */
static int is_forked(const uvx_loops_t* loops) {
  return loops->pid != uv_os_getpid();
}

/* ---- making and freeing ---- */

static int slot_init(uvx_loops_t* loops, unsigned index, uv_loop_t* loop) {
  struct uv__managed* slot = &loops->slots[index];

  slot->loops = loops;
  slot->index = index;
  slot->loop = loop;
  if (loop == NULL) {
    int err = uv_loop_init(&slot->own);
    if (err != 0)
      return err;
    slot->loop = &slot->own;
  }
  uv__loop_state(slot->loop)->managed = slot;
  uv__req_register(slot->loop); /* the hold */
  return 0;
}

/* The loop is the program's again, or closed. */
static void slot_close(struct uv__managed* slot) {
  if (!slot->has_ended)
    uv__req_unregister(slot->loop);
  uv__loop_state(slot->loop)->managed = NULL;
  uv__store_relaxed(&uv__loop_state(slot->loop)->shared.posts_closed, 0);
  if (slot->loop == &slot->own) {
    int err = uv_loop_close(&slot->own);
    assert(err == 0); /* the callers have checked */
    (void) err;
  }
}

static void free_hooks(struct hook* hook) {
  while (hook != NULL) {
    struct hook* next = hook->next;
    uv__free(hook);
    hook = next;
  }
}

static void free_memory(uvx_loops_t* loops) {
  free_hooks(loops->starts);
  free_hooks(loops->ends);
  uv__free(loops);
}

static const uvx_loops_options_t default_options;

static int options_are_valid(const uvx_loops_options_t* options) {
  return options->size >= sizeof(*options) && options->count <= COUNT_MAX &&
         (options->flags & ~(unsigned) UVX_LOOPS_NO_SIGNALS) == 0 &&
         (options->main == NULL ||
          (uv__loop_state(options->main) != NULL &&
           uv__loop_state(options->main)->managed == NULL));
}

/* Not the locks and the loops. */
static uvx_loops_t* loops_alloc(const uvx_loops_options_t* options) {
  unsigned count =
      options->count != 0 ? options->count : uv_available_parallelism();
  uvx_loops_t* loops =
      uv__calloc(1, sizeof(*loops) + count * sizeof(loops->slots[0]));

  if (loops == NULL)
    return NULL;
  loops->count = count;
  loops->flags = options->flags;
  loops->stack_size = options->stack_size;
  loops->pid = uv_os_getpid();
  snprintf(loops->name, sizeof(loops->name), "%s",
           options->name != NULL ? options->name : "uv-loop");
  return loops;
}

int uvx_loops_new(uvx_loops_t** result, const uvx_loops_options_t* options) {
  uvx_loops_options_t defaults = default_options;

  defaults.size = sizeof(defaults);
  if (options == NULL)
    options = &defaults;
  if (result == NULL || !options_are_valid(options))
    return UV_EINVAL;

  uv_once(&key_once, make_key);
  if (key_err != 0)
    return key_err;
  uvx_loops_t* loops = loops_alloc(options);
  if (loops == NULL)
    return UV_ENOMEM;
  unsigned made = 0;
  int err = uv_mutex_init(&loops->mutex);
  if (err != 0)
    goto err_free;
  err = uv_cond_init(&loops->changed);
  if (err != 0)
    goto err_destroy_mutex;
  for (; made < loops->count; made++) {
    err = slot_init(loops, made, made == 0 ? options->main : NULL);
    if (err != 0)
      goto err_close_loops;
  }
  *result = loops;
  return 0;

err_close_loops:
  while (made > 0)
    slot_close(&loops->slots[--made]);
  uv_cond_destroy(&loops->changed);
err_destroy_mutex:
  uv_mutex_destroy(&loops->mutex);
err_free:
  free_memory(loops);
  return err;
}

/* Calls posts that came when nobody ran the loops any more. */
static void run_late_posts(uvx_loops_t* loops) {
  for (unsigned i = 0; i < loops->count; i++)
    while (uv__post_is_due(loops->slots[i].loop))
      (void) uv__post_run(loops->slots[i].loop);
}

/* Does the program use one of our own loops, beside the hold? */
static int is_in_use(const uvx_loops_t* loops) {
  for (unsigned i = 0; i < loops->count; i++) {
    const struct uv__managed* slot = &loops->slots[i];
    if (slot->loop != &slot->own)
      continue;
    if (!slot->has_ended)
      uv__req_unregister(slot->loop);
    int result = uv__loop_is_in_use(slot->loop);
    if (!slot->has_ended)
      uv__req_register(slot->loop);
    if (result)
      return 1;
  }
  return 0;
}

int uvx_loops_free(uvx_loops_t* loops) {
  if (loops == NULL)
    return 0;
  if (is_forked(loops)) {
    free_memory(loops);
    return 0;
  }
  uv_mutex_lock(&loops->mutex);
  enum loops_state state = loops->state;
  uv_mutex_unlock(&loops->mutex);
  if (state != NEW && state != ENDED)
    return UV_EBUSY;
  if (state == ENDED)
    run_late_posts(loops);
  if (is_in_use(loops))
    return UV_EBUSY;

  for (unsigned i = 0; i < loops->count; i++)
    slot_close(&loops->slots[i]);
  uv_cond_destroy(&loops->changed);
  uv_mutex_destroy(&loops->mutex);
  free_memory(loops);
  return 0;
}

/* ---- start and end functions ---- */

static int is_own_loop(const uvx_loops_t* loops, const uv_loop_t* loop) {
  int index = uvx_loop_index(loop);
  return index >= 0 && (unsigned) index < loops->count &&
         loops->slots[index].loop == loop;
}

static int add_hook(uvx_loops_t* loops,
                    struct hook** list,
                    uv_loop_t* loop,
                    uvx_loop_cb cb,
                    void* arg) {
  if (cb == NULL || (loop != NULL && !is_own_loop(loops, loop)))
    return UV_EINVAL;
  if (is_forked(loops))
    return UV_EPERM;
  uv_mutex_lock(&loops->mutex);
  int is_new = loops->state == NEW;
  uv_mutex_unlock(&loops->mutex);
  if (!is_new)
    return UV_EBUSY;
  struct hook* hook = uv__malloc(sizeof(*hook));
  if (hook == NULL)
    return UV_ENOMEM;
  hook->next = NULL;
  hook->loop = loop;
  hook->cb = cb;
  hook->arg = arg;
  while (*list != NULL)
    list = &(*list)->next;
  *list = hook;
  return 0;
}

int uvx_loops_on_start(uvx_loops_t* loops,
                       uv_loop_t* loop,
                       uvx_loop_cb cb,
                       void* arg) {
  return loops == NULL ? UV_EINVAL
                       : add_hook(loops, &loops->starts, loop, cb, arg);
}

int uvx_loops_on_end(uvx_loops_t* loops,
                     uv_loop_t* loop,
                     uvx_loop_cb cb,
                     void* arg) {
  return loops == NULL ? UV_EINVAL
                       : add_hook(loops, &loops->ends, loop, cb, arg);
}

static void run_hooks(const struct hook* hook, uv_loop_t* loop) {
  for (; hook != NULL; hook = hook->next)
    if (hook->loop == NULL || hook->loop == loop)
      uv__call_loop(hook->cb, loop, hook->arg);
}

/* ---- shutdown ---- */

/* On each loop. */
static void on_end(uvx_post_t* post) {
  struct uv__managed* slot = post->data;

  run_hooks(slot->loops->ends, slot->loop);
  slot->has_ended = 1;
  uv__req_unregister(slot->loop);
}

/* On loop 0. */
static void on_shutdown(uvx_post_t* post) {
  uvx_loops_t* loops = post->data;

  for (unsigned i = 0; i < loops->signals_count; i++)
    uv_close((uv_handle_t*) &loops->signals[i], NULL);
  uv_mutex_lock(&loops->mutex);
  loops->state = ENDING;
  uv_mutex_unlock(&loops->mutex);
  for (unsigned i = 0; i < loops->count; i++) {
    struct uv__managed* slot = &loops->slots[i];
    slot->end.data = slot;
    /* An error of waking a loop cannot be reported; its poller has failed. */
    (void) uvx_post(slot->loop, &slot->end, on_end);
  }
}

void uvx_loops_shutdown(uvx_loops_t* loops) {
  if (loops == NULL || is_forked(loops) ||
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
  loops->state = DRAINED;
  for (unsigned i = 0; i < loops->count; i++) {
    uv_loop_t* loop = loops->slots[i].loop;
    uv__store_relaxed(&uv__loop_state(loop)->shared.posts_closed, 1);
    (void) uv__wake_send(loop); /* an error: its wait fails, too */
  }
}

/* Nothing is active on the loop. Returns 1 if it may leave, otherwise when
 * there may be something for it again. */
static int wait_quietly(struct uv__managed* slot) {
  uvx_loops_t* loops = slot->loops;

  uv_mutex_lock(&loops->mutex);
  slot->is_quiet = 1;
  if (loops->state != DRAINED && is_drained(loops))
    drain(loops);
  int is_over = loops->state == DRAINED;
  uv_mutex_unlock(&loops->mutex);
  if (is_over)
    return 1;

  int err = uvx_backend_process(slot->loop, -1);
  if (err < 0)
    uv_sleep(1);
  uv_mutex_lock(&loops->mutex);
  is_over = loops->state == DRAINED;
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

  uv_key_set(&key, slot);
  run_hooks(loops->starts, slot->loop);
  for (;;) {
    int is_alive = uv_run(slot->loop, UV_RUN_DEFAULT);
    if (is_alive && has_failed(slot, &failures)) {
      uv_mutex_lock(&loops->mutex);
      loops->err = UV_EIO;
      uv_mutex_unlock(&loops->mutex);
      uvx_loops_shutdown(loops);
      is_alive = !slot->has_ended; /* what is left can never happen */
    }
    if (!is_alive && wait_quietly(slot))
      break;
  }
  uv_key_set(&key, NULL);
}

static void thread_main(void* arg) {
  struct uv__managed* slot = arg;
  uvx_loops_t* loops = slot->loops;
  char name[32];

  snprintf(name, sizeof(name), "%.10s-%u", loops->name, slot->index);
  (void) uv_thread_setname(name); /* for people only */
  uv_mutex_lock(&loops->mutex);
  loops->arrived++;
  uv_cond_broadcast(&loops->changed);
  while (loops->state == STARTING && !loops->is_refused)
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

static void set_state(uvx_loops_t* loops, enum loops_state state) {
  uv_mutex_lock(&loops->mutex);
  loops->state = state;
  uv_cond_broadcast(&loops->changed);
  uv_mutex_unlock(&loops->mutex);
}

static int begin_run(uvx_loops_t* loops) {
  uv_mutex_lock(&loops->mutex);
  int is_new = loops->state == NEW;
  if (is_new)
    loops->state = STARTING;
  loops->is_refused = 0;
  loops->arrived = 0;
  uv_mutex_unlock(&loops->mutex);
  return is_new ? 0 : UV_EBUSY;
}

int uvx_loops_run(uvx_loops_t* loops) {
  if (loops == NULL)
    return UV_EINVAL;
  if (is_forked(loops))
    return UV_EPERM;
  int err = begin_run(loops);
  if (err != 0)
    return err;
  err = make_threads(loops);
  if (err != 0) {
    set_state(loops, NEW);
    return err;
  }

  /* Without them nobody might begin the shutdown. */
  loops->err = watch_signals(loops);
  if (loops->err != 0)
    uvx_loops_shutdown(loops);
  set_state(loops, RUNNING);
  run_slot(&loops->slots[0]);
  for (unsigned i = 1; i < loops->count; i++)
    (void) uv_thread_join(&loops->slots[i].thread);
  /* Threads of the program's own may have found the loops open and queued
   * their posts after the last look. */
  run_late_posts(loops);
  set_state(loops, ENDED);
  return loops->err;
}
