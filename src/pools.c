/* SPDX-License-Identifier: MIT */
/* Pools of the program's own: making, changing and freeing them. What is queued
 * on one comes through work.c. Context: any. */
#include "pool/lanes.h"
#include "pool/registry.h"
#include "util/alloc.h"

#include <stdio.h>

#define DEFAULT_THREADS 4
#define THREADS_MAX 1024

static const uvx_pool_options_t no_options;

static int options_are_valid(const uvx_pool_options_t* options) {
  return options->size >= sizeof(*options) && options->threads <= THREADS_MAX &&
         options->priority >= UV_THREAD_PRIORITY_LOWEST &&
         options->priority <= UV_THREAD_PRIORITY_HIGHEST;
}

static int pool_init(uvx_pool_t* pool, const uvx_pool_options_t* options) {
  unsigned threads = options->threads != 0 ? options->threads : DEFAULT_THREADS;
  struct uv__pool_limits limits = {
    .thread_name = pool->thread_name,
    .stack_size = options->stack_size,
    .priority = options->priority,
    .threads_min = options->idle_ms == 0 ? threads : 0,
    .threads_max = threads,
    .idle_ms = options->idle_ms,
  };

  snprintf(pool->thread_name, sizeof(pool->thread_name), "%s",
           options->name != NULL ? options->name : "libuv-worker");
  int err = uv__registry_init();
  if (err == 0)
    err = uv__pool_init(&pool->pool, &limits);
  if (err != 0)
    return err;
  err = uv__registry_add(pool);
  if (err != 0)
    uv__pool_close(&pool->pool);
  return err;
}

int uvx_pool_new(uvx_pool_t** result, const uvx_pool_options_t* options) {
  uvx_pool_options_t defaults = no_options;

  defaults.size = sizeof(defaults);
  if (options == NULL)
    options = &defaults;
  if (result == NULL || !options_are_valid(options))
    return UV_EINVAL;
  uvx_pool_t* pool = uv__calloc(1, sizeof(*pool));
  if (pool == NULL)
    return UV_ENOMEM;
  int err = pool_init(pool, options);
  if (err != 0)
    uv__free(pool);
  else
    *result = pool;
  return err;
}

int uvx_pool_free(uvx_pool_t* pool) {
  if (pool == NULL)
    return 0;
  if (uv__pool_is_mine(&pool->pool))
    return UV_EINVAL;
  int err = uv__registry_remove(pool);
  if (err != 0)
    return err;
  uv__pool_end(&pool->pool);
  uv__pool_join(&pool->pool, 0);
  uv__pool_close(&pool->pool);
  uv__free(pool);
  return 0;
}

int uvx_pool_set_threads(uvx_pool_t* pool, unsigned threads) {
  if (threads == 0 || threads > THREADS_MAX)
    return UV_EINVAL;
  if (pool == NULL)
    return uv__lanes_set_threads(threads);
  return uv__pool_set_threads(&pool->pool, threads);
}
