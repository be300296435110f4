/* SPDX-License-Identifier: MIT */
/* A table of fixed size, open addressing without locks: a request is in one of
 * the WINDOW slots from the one that its address hashes to. Nothing depends on
 * what the other slots hold, so removing leaves no marks.
 */
#include "observe/in-flight.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <string.h>

#define SLOTS 16384 /* a power of two */
#define WINDOW 32

static struct uv__inflight* table; /* atomic */
static uint64_t last_id;           /* atomic */
static int queued;                 /* atomic: as in uv__inflight_count */
static int running;                /* atomic */

/* In `work` while a slot is being filled. */
static const char taken;

int uv__inflight_init(void) {
  if (table != NULL)
    return 0;
  struct uv__inflight* made = uv__calloc(SLOTS, sizeof(*made));
  if (made == NULL)
    return UV_ENOMEM;
  uv__store_release(&table, made);
  return 0;
}

void uv__inflight_clear(void) {
  if (table == NULL)
    return;
  for (size_t i = 0; i < SLOTS; i++)
    uv__store_relaxed(&table[i].work, NULL);
  uv__store_relaxed(&queued, 0);
  uv__store_relaxed(&running, 0);
}

static struct uv__inflight* inflight_slot(const void* work, size_t i) {
  uint64_t key = (uintptr_t) work;
  size_t first = (size_t) (key * UINT64_C(0x9e3779b97f4a7c15) >> 40);
  struct uv__inflight* entries = uv__load_acquire(&table);

  return &entries[(first + i) % SLOTS];
}

struct uv__inflight* uv__inflight_add(const void* work,
                                      const void* loop,
                                      enum uv__work_id work_id,
                                      uint64_t now_ns) {
  if (uv__load_acquire(&table) == NULL)
    return NULL;
  for (size_t i = 0; i < WINDOW; i++) {
    struct uv__inflight* entry = inflight_slot(work, i);
    const void* empty = NULL;
    if (uv__load_relaxed(&entry->work) != NULL)
      continue;
    if (!uv__cas_strong(&entry->work, &empty, (const void*) &taken))
      continue;

    uv__store_relaxed(&entry->id, uv__fetch_add(&last_id, 1) + 1);
    uv__store_relaxed(&entry->submit_ns, now_ns);
    uv__store_relaxed(&entry->start_ns, 0);
    uv__store_relaxed(&entry->end_ns, 0);
    uv__store_relaxed(&entry->loop, loop);
    uv__store_relaxed(&entry->work_id, work_id);
    /* Release: the rest of it, for readers on other threads. */
    uv__store_release(&entry->work, work);
    uv__fetch_add(&queued, 1);
    return entry;
  }
  return NULL;
}

struct uv__inflight* uv__inflight_find(const void* work) {
  if (uv__load_acquire(&table) == NULL)
    return NULL; /* only probes are attached */
  for (size_t i = 0; i < WINDOW; i++) {
    struct uv__inflight* entry = inflight_slot(work, i);
    /* Acquire: pairs with uv__inflight_add(). */
    if (uv__load_acquire(&entry->work) == work)
      return entry;
  }
  return NULL;
}

void uv__inflight_start(struct uv__inflight* entry, uint64_t now_ns) {
  uv__store_relaxed(&entry->start_ns, now_ns);
  uv__fetch_sub(&queued, 1);
  uv__fetch_add(&running, 1);
}

void uv__inflight_done(struct uv__inflight* entry, uint64_t now_ns) {
  uv__store_relaxed(&entry->end_ns, now_ns);
  uv__fetch_sub(&running, 1);
}

void uv__inflight_remove(struct uv__inflight* entry) {
  /* It was cancelled, or another executor than the pool had it. */
  if (uv__load_relaxed(&entry->start_ns) == 0)
    uv__fetch_sub(&queued, 1);
  uv__store_release(&entry->work, NULL);
}

static int clamp_count(int number) {
  return number < 0 ? 0 : number;
}

struct uv__inflight_count uv__inflight_count(void) {
  struct uv__inflight_count now = { clamp_count(uv__load_relaxed(&queued)),
                                    clamp_count(uv__load_relaxed(&running)) };
  return now;
}

size_t uv__inflight_slots(void) {
  return uv__load_acquire(&table) == NULL ? 0 : SLOTS;
}

const struct uv__inflight* uv__inflight_at(size_t i) {
  assert(i < SLOTS);
  const struct uv__inflight* entries = uv__load_acquire(&table);

  return &entries[i];
}
