/* SPDX-License-Identifier: MIT */
/* The table of inotify watches of a loop. */
#include "unix/fs-event/inotify.h"
#include "util/alloc.h"

#define BUCKETS_FIRST 16u

static struct uv__watch** bucket_of(const struct uv__watches* table, int wd) {
  return &table->buckets[(unsigned) wd & (table->size - 1)];
}

struct uv__watches* uv__watches_new(void) {
  struct uv__watches* table = uv__calloc(1, sizeof(*table));
  if (table == NULL)
    return NULL;

  table->size = BUCKETS_FIRST;
  table->buckets = uv__calloc(table->size, sizeof(*table->buckets));
  if (table->buckets == NULL) {
    uv__free(table);
    return NULL;
  }
  uv__queue_init(&table->trees);
  uv__queue_init(&table->scans);
  uv__queue_init(&table->lost);
  uv__queue_init(&table->orphans);
  table->scan_fd = -1;
  return table;
}

void uv__watches_free(struct uv__watches* table) {
  assert(table->count == 0);
  uv__free(table->buckets);
  uv__free(table);
}

static void link_watch(struct uv__watches* table, struct uv__watch* watch) {
  struct uv__watch** bucket = bucket_of(table, watch->wd);
  watch->next = *bucket;
  *bucket = watch;
}

/* Doubles the number of buckets; without memory the chains grow instead. */
static void table_grow(struct uv__watches* table) {
  struct uv__watch** old = table->buckets;
  unsigned old_size = table->size;

  struct uv__watch** buckets = uv__calloc(old_size * 2, sizeof(*buckets));
  if (buckets == NULL)
    return;

  table->buckets = buckets;
  table->size = old_size * 2;
  for (unsigned i = 0; i < old_size; i++) {
    struct uv__watch* next;
    for (struct uv__watch* watch = old[i]; watch != NULL; watch = next) {
      next = watch->next;
      link_watch(table, watch);
    }
  }
  uv__free(old);
}

struct uv__watch* uv__watch_find(const struct uv__watches* table, int wd) {
  struct uv__watch* watch = *bucket_of(table, wd);
  while (watch != NULL && watch->wd != wd)
    watch = watch->next;
  return watch;
}

struct uv__watch* uv__watch_get(struct uv__watches* table, int wd) {
  struct uv__watch* watch = uv__watch_find(table, wd);
  if (watch != NULL)
    return watch;
  watch = uv__calloc(1, sizeof(*watch));
  if (watch == NULL)
    return NULL;

  if (table->count >= table->size)
    table_grow(table);

  watch->wd = wd;
  uv__queue_init(&watch->handles);
  uv__queue_init(&watch->dirs);
  link_watch(table, watch);
  table->count++;
  return watch;
}

void uv__watch_free(struct uv__watches* table, struct uv__watch* watch) {
  struct uv__watch** link = bucket_of(table, watch->wd);
  while (*link != watch)
    link = &(*link)->next;

  *link = watch->next;
  table->count--;
  uv__free(watch);
}

static int is_unused(const struct uv__watch* watch) {
  return watch->busy == 0 && uv__queue_empty(&watch->handles) &&
         uv__queue_empty(&watch->dirs);
}

static void remove_watch(uv_loop_t* loop, struct uv__watch* watch) {
  /* Fails only if the inode is gone, which removed the watch as well. */
  (void) inotify_rm_watch(loop->inotify_fd, watch->wd);
  uv__watch_free(uv__watches_of(loop), watch);
}

void uv__watch_release(uv_loop_t* loop, struct uv__watch* watch) {
  struct uv__watches* table = uv__watches_of(loop);

  if (table->is_ending || !is_unused(watch))
    return;
  /* The kernel may have given the same watch to a scan that is out. */
  if (table->jobs != 0)
    table->has_unused = 1;
  else
    remove_watch(loop, watch);
}

void uv__watches_sweep(uv_loop_t* loop) {
  struct uv__watches* table = uv__watches_of(loop);

  if (!table->has_unused)
    return;
  table->has_unused = 0;
  for (unsigned i = 0; i < table->size; i++) {
    struct uv__watch* next;
    for (struct uv__watch* watch = table->buckets[i]; watch != NULL;
         watch = next) {
      next = watch->next;
      if (is_unused(watch))
        remove_watch(loop, watch);
    }
  }
}
