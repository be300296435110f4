/* SPDX-License-Identifier: MIT */
/* A table of fixed size, open addressing without locks: a request is in one of
 * the WINDOW places from the one that its address hashes to. Nothing depends on
 * what the other places hold, so removing leaves no marks.
 */
#include "observe/trace-flight.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <string.h>

#define PLACES 16384 /* a power of two */
#define WINDOW 32

static struct uv__flight* table; /* atomic */
static uint64_t last_id;         /* atomic */
static int queued;               /* atomic: as in uv__flight_count */
static int running;              /* atomic */

/* In `work` while a place is being filled. */
static const char taken;

int uv__flight_init(void) {
  if (table != NULL)
    return 0;
  struct uv__flight* made = uv__calloc(PLACES, sizeof(*made));
  if (made == NULL)
    return UV_ENOMEM;
  uv__store_release(&table, made);
  return 0;
}

void uv__flight_clear(void) {
  for (size_t i = 0; i < PLACES; i++)
    uv__store_relaxed(&table[i].work, NULL);
  uv__store_relaxed(&queued, 0);
  uv__store_relaxed(&running, 0);
}

static struct uv__flight* flight_place(const void* work, size_t i) {
  uint64_t key = (uintptr_t) work;
  size_t first = (size_t) (key * UINT64_C(0x9e3779b97f4a7c15) >> 40);
  struct uv__flight* flights = uv__load_acquire(&table);

  return &flights[(first + i) % PLACES];
}

struct uv__flight* uv__flight_add(const void* work,
                                  const void* loop,
                                  enum uv__work_class work_class,
                                  uint64_t now_ns) {
  if (uv__load_acquire(&table) == NULL)
    return NULL;
  for (size_t i = 0; i < WINDOW; i++) {
    struct uv__flight* flight = flight_place(work, i);
    const void* empty = NULL;
    if (uv__load_relaxed(&flight->work) != NULL)
      continue;
    if (!uv__cas_strong(&flight->work, &empty, (const void*) &taken))
      continue;

    uv__store_relaxed(&flight->id, uv__fetch_add(&last_id, 1) + 1);
    uv__store_relaxed(&flight->submit_ns, now_ns);
    uv__store_relaxed(&flight->start_ns, 0);
    uv__store_relaxed(&flight->end_ns, 0);
    uv__store_relaxed(&flight->loop, loop);
    uv__store_relaxed(&flight->work_class, work_class);
    /* Release: the rest of it, for readers on other threads. */
    uv__store_release(&flight->work, work);
    uv__fetch_add(&queued, 1);
    return flight;
  }
  return NULL;
}

struct uv__flight* uv__flight_find(const void* work) {
  if (uv__load_acquire(&table) == NULL)
    return NULL; /* only probes are attached */
  for (size_t i = 0; i < WINDOW; i++) {
    struct uv__flight* flight = flight_place(work, i);
    /* Acquire: pairs with uv__flight_add(). */
    if (uv__load_acquire(&flight->work) == work)
      return flight;
  }
  return NULL;
}

void uv__flight_start(struct uv__flight* flight, uint64_t now_ns) {
  uv__store_relaxed(&flight->start_ns, now_ns);
  uv__fetch_sub(&queued, 1);
  uv__fetch_add(&running, 1);
}

void uv__flight_done(struct uv__flight* flight, uint64_t now_ns) {
  uv__store_relaxed(&flight->end_ns, now_ns);
  uv__fetch_sub(&running, 1);
}

void uv__flight_remove(struct uv__flight* flight) {
  /* It was cancelled, or another executor than the pool had it. */
  if (uv__load_relaxed(&flight->start_ns) == 0)
    uv__fetch_sub(&queued, 1);
  uv__store_release(&flight->work, NULL);
}

static int clamp_count(int number) {
  return number < 0 ? 0 : number;
}

struct uv__flight_count uv__flight_count(void) {
  struct uv__flight_count now = { clamp_count(uv__load_relaxed(&queued)),
                                  clamp_count(uv__load_relaxed(&running)) };
  return now;
}

size_t uv__flight_places(void) {
  return uv__load_acquire(&table) == NULL ? 0 : PLACES;
}

const struct uv__flight* uv__flight_at(size_t i) {
  const struct uv__flight* flights = uv__load_acquire(&table);

  return &flights[i];
}
