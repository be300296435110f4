/* SPDX-License-Identifier: MIT */
/* The list of the pools that the program made.
 *
 * Each change of it is one store, so that a child may be forked at any moment.
 * In the child the lock is initialised again, and the pools have no threads and
 * no items. */
#include "pool/registry.h"
#include "os/thread.h"
#include "pool/gate.h"
#include "pool/lanes.h"
#include "util/fork-lock.h"

#include <stdio.h>
#include <string.h>

static struct uv__fork_lock making;
static int is_made; /* atomic */
static uv_mutex_t lock;
static uv_cond_t changed;
static unsigned generation; /* changed in children, by their only thread */
/* The others are guarded by the lock. */
static uvx_pool_t* pools; /* oldest first */
static int is_over;       /* the shutdown has begun */

static void reset_in_child(void) {
  if (!is_made)
    return;
  generation++;
  uv__gate_reset();
  /* These have not failed on any system that forks. */
  (void) uv_mutex_init(&lock);
  (void) uv_cond_init(&changed);
  for (uvx_pool_t* p = pools; p != NULL && !is_over; p = p->next) {
    (void) uv__pool_reset(&p->pool);
    uv__store_relaxed(&p->unreported, 0);
  }
}

static int make_lock(void) {
  int err = uv_mutex_init(&lock);
  if (err != 0)
    return err;
  err = uv_cond_init(&changed);
  if (err != 0)
    goto err_destroy_lock;
  err = uv__thread_os_at_fork(reset_in_child);
  if (err != 0)
    goto err_destroy_changed;
  return 0;

err_destroy_changed:
  uv_cond_destroy(&changed);
err_destroy_lock:
  uv_mutex_destroy(&lock);
  return err;
}

int uv__registry_init(void) {
  int err = 0;

  if (uv__load_acquire(&is_made))
    return 0;
  (void) uv__fork_lock(&making);
  if (!is_made)
    err = make_lock();
  /* Release: the lock. Pairs with the load above. */
  if (err == 0)
    uv__store_release(&is_made, 1);
  uv__fork_unlock(&making);
  return err;
}

void uv__registry_lock(void) {
  uv_mutex_lock(&lock);
}

void uv__registry_unlock(void) {
  uv_mutex_unlock(&lock);
}

void uv__registry_broadcast(void) {
  uv_cond_broadcast(&changed);
}

int uv__registry_wait(uint64_t deadline_ns) {
  if (deadline_ns == UINT64_MAX) {
    uv_cond_wait(&changed, &lock);
    return 1;
  }
  uint64_t now_ns = uv_hrtime();
  if (now_ns >= deadline_ns)
    return 0;
  (void) uv_cond_timedwait(&changed, &lock, deadline_ns - now_ns);
  return 1;
}

unsigned uv__registry_generation(void) {
  return generation;
}

/* ---- adding and removing ---- */

static int is_name_used(const char* name) {
  if (uv__lanes_have_name(name))
    return 1;
  for (const uvx_pool_t* p = pools; p != NULL; p = p->next)
    if (strcmp(p->name, name) == 0)
      return 1;
  return 0;
}

/* Reports name each pool by one word, and no two by the same. */
static void choose_name(uvx_pool_t* pool) {
  char word[sizeof(pool->thread_name)];
  size_t length = 0;

  for (const char* c = pool->thread_name; *c != '\0'; c++) {
    int is_plain = *c > ' ' && *c <= '~' && *c != '"' && *c != '\\';
    word[length++] = (char) (is_plain ? *c : '_');
  }
  word[length] = '\0';
  snprintf(pool->name, sizeof(pool->name), "%s", word);
  for (unsigned i = 2; is_name_used(pool->name); i++)
    snprintf(pool->name, sizeof(pool->name), "%s-%u", word, i);
}

int uv__registry_add(uvx_pool_t* pool) {
  int err = 0;

  uv__registry_lock();
  if (is_over) {
    err = UV_ECANCELED;
  } else {
    uvx_pool_t** at = &pools;
    while (*at != NULL)
      at = &(*at)->next;
    choose_name(pool);
    pool->pool.limits.name = pool->name;
    uv__pool_set_paused(&pool->pool, uv__gate_is_closed());
    *at = pool;
  }
  uv__registry_unlock();
  return err;
}

static void unlink_pool(const uvx_pool_t* pool) {
  uvx_pool_t** at = &pools;

  while (*at != pool)
    at = &(*at)->next;
  *at = pool->next;
}

int uv__registry_remove(uvx_pool_t* pool) {
  int err = 0;

  uv__registry_lock();
  while (pool->is_ending && !pool->has_ended)
    (void) uv__registry_wait(UINT64_MAX);
  /* Acquire: what the loops did with the pool. Pairs with end_pool_work() in
   * work.c. */
  if (uv__load_acquire(&pool->unreported) != 0)
    err = UV_EBUSY;
  else
    unlink_pool(pool);
  uv__registry_unlock();
  return err;
}

/* ---- all of them ---- */

void uv__registry_each(void (*each)(struct uv__pool* pool, void* arg),
                       void* arg) {
  uv__lanes_each(each, arg);
  for (uvx_pool_t* p = pools; p != NULL; p = p->next)
    each(&p->pool, arg);
}

void uv__registry_flush(void) {
  uv__registry_lock();
  for (uvx_pool_t* p = pools; p != NULL; p = p->next)
    uv__pool_flush(&p->pool);
  uv__registry_unlock();
}

int uv__registry_look(unsigned i,
                      struct uv__pool_view* view,
                      void (*look)(const struct uv__work* w, void* arg),
                      void* arg) {
  unsigned count = uv__lanes_count();

  if (i < count)
    return uv__lanes_look(i, view, look, arg);
  if (!uv__load_acquire(&is_made))
    return 0;
  uv__registry_lock();
  uvx_pool_t* pool = pools;
  for (i -= count; pool != NULL && i > 0; i--)
    pool = pool->next;
  if (pool != NULL)
    uv__pool_look(&pool->pool, view, look, arg);
  uv__registry_unlock();
  return pool != NULL;
}

/* ---- the shutdown ---- */

static uvx_pool_t* next_to_join(void) {
  uvx_pool_t* pool = pools;

  while (pool != NULL && pool->has_ended)
    pool = pool->next;
  return pool;
}

/* The workers may need the lock until they have ended. */
static void join_pool(uvx_pool_t* pool) {
  uv__registry_unlock();
  uv__pool_join(&pool->pool, 0);
  uv__registry_lock();
  pool->has_ended = 1;
  uv__registry_broadcast();
}

void uv__registry_shutdown(void) {
  uvx_pool_t* pool;

  if (!uv__load_acquire(&is_made))
    return;
  uv__registry_lock();
  is_over = 1;
  for (pool = pools; pool != NULL; pool = pool->next) {
    pool->is_ending = 1;
    uv__pool_end_now(&pool->pool);
  }
  while ((pool = next_to_join()) != NULL)
    join_pool(pool);
  uv__registry_broadcast(); /* nothing runs any more */
  uv__registry_unlock();
}
