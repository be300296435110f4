/* SPDX-License-Identifier: MIT */
/* deadline-table.h against a sorted list: random additions, changes, removals
 * and expiries, with few distinct times so that the order of equals matters,
 * and keys that collide. */
#include "unit.h"

#include "deadline-table.h"

#include <string.h>

#define KEYS 300
#define STEPS 100000

struct model {
  int exists;
  int is_scheduled;
  uint64_t due_ns;
  uint64_t order;
};

/* Addresses as those of requests in an array. */
static char requests[KEYS][256];
static struct model models[KEYS];
static struct uv__deadline_table table;
static uint64_t next_order;
static uint64_t now_ns;
static uint32_t seed = 7;

static unsigned random_below(unsigned n) {
  seed = seed * 1664525 + 1013904223;
  return (seed >> 8) % n;
}

static int model_first(void) {
  int best = -1;

  for (int i = 0; i < KEYS; i++) {
    const struct model* m = &models[i];
    if (!m->exists || !m->is_scheduled)
      continue;
    if (best == -1 || m->due_ns < models[best].due_ns ||
        (m->due_ns == models[best].due_ns && m->order < models[best].order))
      best = i;
  }
  return best;
}

static void set_due(int i) {
  models[i].due_ns = now_ns + random_below(20);
  models[i].order = next_order++;
  models[i].is_scheduled = 1;
}

static void change(int i) {
  struct uv__deadline* entry = uv__deadline_table_find(&table, requests[i]);

  CHECK_EQ(models[i].exists, entry != NULL);
  if (entry == NULL) {
    CHECK_EQ(0, uv__deadline_table_reserve(&table));
    set_due(i);
    entry = uv__deadline_table_add(&table, requests[i], models[i].due_ns);
    entry->cb = NULL;
    models[i].exists = 1;
    return;
  }
  CHECK(entry->key == requests[i]);
  CHECK_EQ(models[i].is_scheduled, entry->heap_at != 0);
  if (models[i].is_scheduled && random_below(2)) {
    set_due(i);
    uv__deadline_table_move(&table, entry, models[i].due_ns);
  } else {
    uv__deadline_table_remove(&table, entry);
    models[i].exists = 0;
  }
}

/* Takes what is due out of the heap, in order; half of it stays in the hash. */
static void expire(void) {
  while (uv__deadline_table_due(&table) <= now_ns) {
    int i = model_first();
    struct uv__deadline* entry = uv__deadline_table_first(&table);
    CHECK(i >= 0);
    CHECK(entry->key == requests[i]);
    uv__deadline_table_unschedule(&table, entry);
    models[i].is_scheduled = 0;
    if (random_below(2)) {
      uv__deadline_table_remove(&table, entry);
      models[i].exists = 0;
    }
  }
  int first = model_first();
  CHECK(first < 0 || models[first].due_ns > now_ns);
}

UNIT_TEST(deadline_table_equals_a_sorted_list) {
  for (int step = 0; step < STEPS; step++) {
    change((int) random_below(step % 20000 < 10000 ? KEYS : 10));
    if (random_below(8) == 0)
      now_ns += random_below(10);
    if (random_below(4) == 0)
      expire();
  }
  now_ns += 1000;
  expire();
  CHECK(uv__deadline_table_due(&table) == UINT64_MAX);
  for (int i = 0; i < KEYS; i++)
    if (models[i].exists)
      change(i);
  CHECK_EQ(0, table.count);
  uv__deadline_table_close(&table);
}

/* A table that was large gives its memory back when it is empty. */
UNIT_TEST(deadline_table_shrinks_when_empty) {
  enum { MANY = 10000 };
  static char many[MANY][16];

  for (int i = 0; i < MANY; i++) {
    CHECK_EQ(0, uv__deadline_table_reserve(&table));
    uv__deadline_table_add(&table, many[i], (uint64_t) (MANY - i));
  }
  for (int i = MANY - 1; i >= 0; i--) {
    struct uv__deadline* entry = uv__deadline_table_first(&table);
    CHECK(entry->key == many[i]);
    uv__deadline_table_remove(&table, entry);
  }
  CHECK_EQ(0, table.size);
  CHECK(uv__deadline_table_find(&table, many[0]) == NULL);
}
