/* SPDX-License-Identifier: MIT */
/* Managed loops (uvx_loops_*): making and freeing them, adding start and end
 * functions. They run in loops-run.c. */
#include "loops.h"
#include "listener.h"
#include "loop/list.h"
#include "loop/post.h"
#include "loop/state.h"
#include "req.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <stdio.h>

#define COUNT_MAX 1024
#define FLAGS ((unsigned) (UVX_LOOPS_NO_SIGNALS | UVX_LOOPS_PIN))

static uv_once_t key_once = UV_ONCE_INIT;
static uv_key_t key; /* the thread's struct uv__managed */
static int key_err;

static void make_key(void) {
  key_err = uv_key_create(&key);
}

struct uv__managed* uv__loops_current(void) {
  uv_once(&key_once, make_key);
  return key_err != 0 ? NULL : uv_key_get(&key);
}

void uv__loops_set_current(struct uv__managed* slot) {
  uv_key_set(&key, slot);
}

uv_loop_t* uvx_loop_current(void) {
  const struct uv__managed* slot = uv__loops_current();
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

/* Is this a forked child of the process that made the loops? It has none of
 * their threads. */
int uv__loops_is_forked(const uvx_loops_t* loops) {
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

/* Afterwards the loop is an ordinary one. */
static void slot_give_back(struct uv__managed* slot) {
  if (!slot->has_ended)
    uv__req_unregister(slot->loop);
  uv__loop_state(slot->loop)->managed = NULL;
  uv__store_relaxed(&uv__loop_state(slot->loop)->shared.posts_closed, 0);
}

/* In a forked child, which has no thread for the loop. A loop that the library
 * made is not closed, only removed from the list of loops: its memory is about
 * to be freed. */
static void slot_abandon(struct uv__managed* slot) {
  if (slot->loop == &slot->own)
    uv__loop_list_remove(slot->loop);
  else
    slot_give_back(slot);
}

/* Returns the program's loop to it; closes one that the library made. */
static void slot_close(struct uv__managed* slot) {
  slot_give_back(slot);
  if (slot->loop == &slot->own) {
    int err = uv_loop_close(&slot->own);
    assert(err == 0); /* the callers have checked */
    (void) err;
  }
}

static void free_hooks(struct uv__loops_hook* hook) {
  while (hook != NULL) {
    struct uv__loops_hook* next = hook->next;
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
         (options->flags & ~FLAGS) == 0 &&
         (options->main == NULL ||
          (uv__loop_state(options->main) != NULL &&
           uv__loop_state(options->main)->managed == NULL));
}

/* Everything but the locks and the loops. */
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
  uv__queue_init(&loops->listeners);
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
  int err = uv__loops_pause_init(loops);
  if (err == 0)
    err = uv_mutex_init(&loops->mutex);
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

/* Calls posts that were queued after the loops had stopped running. */
void uv__loops_run_late_posts(uvx_loops_t* loops) {
  for (unsigned i = 0; i < loops->count; i++)
    while (uv__post_is_due(loops->slots[i].loop))
      (void) uv__post_run(loops->slots[i].loop);
}

/* Does a loop that the library made have more than its hold? */
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

static enum uv__loops_state read_state(uvx_loops_t* loops) {
  uv_mutex_lock(&loops->mutex);
  enum uv__loops_state state = loops->state;
  uv_mutex_unlock(&loops->mutex);
  return state;
}

int uvx_loops_free(uvx_loops_t* loops) {
  if (loops == NULL)
    return 0;
  if (uv__loops_is_forked(loops)) {
    uv__listener_free_all(loops, 1);
    for (unsigned i = 0; i < loops->count; i++)
      slot_abandon(&loops->slots[i]);
    free_memory(loops);
    return 0;
  }
  enum uv__loops_state state = read_state(loops);
  if (state != UV__LOOPS_NEW && state != UV__LOOPS_ENDED)
    return UV_EBUSY;
  if (state == UV__LOOPS_ENDED)
    uv__loops_run_late_posts(loops);
  if (is_in_use(loops) || uv__listener_is_open(loops))
    return UV_EBUSY;

  uv__listener_free_all(loops, 0);
  for (unsigned i = 0; i < loops->count; i++)
    slot_close(&loops->slots[i]);
  uv_cond_destroy(&loops->changed);
  uv_mutex_destroy(&loops->mutex);
  free_memory(loops);
  return 0;
}

/* ---- start and end functions ---- */

int uv__loops_has(const uvx_loops_t* loops, const uv_loop_t* loop) {
  int index = uvx_loop_index(loop);
  return index >= 0 && (unsigned) index < loops->count &&
         loops->slots[index].loop == loop;
}

static int add_hook(struct uv__loops_hook** list,
                    uv_loop_t* loop,
                    uvx_loop_cb cb,
                    void* arg) {
  struct uv__loops_hook* hook = uv__malloc(sizeof(*hook));

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

static int check_hook(const uvx_loops_t* loops,
                      const uv_loop_t* loop,
                      uvx_loop_cb cb) {
  if (loops == NULL || cb == NULL ||
      (loop != NULL && !uv__loops_has(loops, loop)))
    return UV_EINVAL;
  return uv__loops_is_forked(loops) ? UV_EPERM : 0;
}

int uvx_loops_on_start(uvx_loops_t* loops,
                       uv_loop_t* loop,
                       uvx_loop_cb cb,
                       void* arg) {
  int err = check_hook(loops, loop, cb);

  if (err != 0)
    return err;
  if (read_state(loops) != UV__LOOPS_NEW)
    return UV_EBUSY;
  return add_hook(&loops->starts, loop, cb, arg);
}

int uvx_loops_on_end(uvx_loops_t* loops,
                     uv_loop_t* loop,
                     uvx_loop_cb cb,
                     void* arg) {
  int err = check_hook(loops, loop, cb);

  if (err != 0)
    return err;
  enum uv__loops_state state = read_state(loops);
  /* During a pause no other loop can begin the shutdown or read the list. */
  if (state != UV__LOOPS_NEW &&
      (state != UV__LOOPS_RUNNING || !uv__loops_is_pauser(loops)))
    return UV_EBUSY;
  return add_hook(&loops->ends, loop, cb, arg);
}
