/* SPDX-License-Identifier: MIT */
/* A hash table with linear probing, at most half full, and a four-way heap. The
 * heap's elements hold the index of their slot, the slots that of their element
 * in the heap: moving one updates the other.
 *
 * Both arrays grow together, so that adding needs no memory once there is room.
 * They are freed when a large table becomes empty.
 */
#include "deadline-table.h"
#include "util/alloc.h"

#include <string.h>

#define SIZE_FIRST 16u
/* Slots that an empty table keeps. */
#define SIZE_KEPT 4096u
/* Indices have 32 bits. */
#define SIZE_MAX_SLOTS (1u << 31)
#define ARITY 4

/* Requests are aligned, and often lie at equal distances: the upper bits of the
 * product depend on all bits. */
static size_t slot_of_key(const struct uv__deadline_table* table,
                          const void* key) {
  uint64_t hash = (uint64_t) (uintptr_t) key * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t) (hash >> 32) & (table->size - 1);
}

static size_t slot_next(const struct uv__deadline_table* table, size_t i) {
  return (i + 1) & (table->size - 1);
}

/* ---- the heap ---- */

static int is_before(const struct uv__deadline_due* a,
                     const struct uv__deadline_due* b) {
  if (a->due_ns != b->due_ns)
    return a->due_ns < b->due_ns;
  return (int32_t) (a->order - b->order) < 0;
}

static void heap_put(struct uv__deadline_table* table,
                     size_t i,
                     struct uv__deadline_due due) {
  table->heap[i] = due;
  table->slots[due.slot].heap_at = (uint32_t) i + 1;
}

static void heap_sift_up(struct uv__deadline_table* table,
                         size_t i,
                         struct uv__deadline_due due) {
  while (i > 0) {
    size_t parent = (i - 1) / ARITY;
    if (!is_before(&due, &table->heap[parent]))
      break;
    heap_put(table, i, table->heap[parent]);
    i = parent;
  }
  heap_put(table, i, due);
}

static size_t heap_first_child(const struct uv__deadline_table* table,
                               size_t i) {
  size_t first = i * ARITY + 1;
  size_t end =
      first + ARITY < table->heap_count ? first + ARITY : table->heap_count;
  size_t best = first;

  for (size_t child = first + 1; child < end; child++)
    if (is_before(&table->heap[child], &table->heap[best]))
      best = child;
  return best;
}

static void heap_sift_down(struct uv__deadline_table* table,
                           size_t i,
                           struct uv__deadline_due due) {
  while (i * ARITY + 1 < table->heap_count) {
    size_t child = heap_first_child(table, i);
    if (!is_before(&table->heap[child], &due))
      break;
    heap_put(table, i, table->heap[child]);
    i = child;
  }
  heap_put(table, i, due);
}

/* Stores `due` in place of element `i` and moves it to where it belongs. */
static void heap_place(struct uv__deadline_table* table,
                       size_t i,
                       struct uv__deadline_due due) {
  if (i > 0 && is_before(&due, &table->heap[(i - 1) / ARITY]))
    heap_sift_up(table, i, due);
  else
    heap_sift_down(table, i, due);
}

void uv__deadline_table_unschedule(struct uv__deadline_table* table,
                                   struct uv__deadline* entry) {
  if (entry->heap_at == 0)
    return;
  size_t i = entry->heap_at - 1;

  entry->heap_at = 0;
  struct uv__deadline_due last = table->heap[--table->heap_count];
  if (i != table->heap_count)
    heap_place(table, i, last);
}

void uv__deadline_table_move(struct uv__deadline_table* table,
                             const struct uv__deadline* entry,
                             uint64_t due_ns) {
  size_t i = entry->heap_at - 1;
  struct uv__deadline_due due = table->heap[i];

  due.due_ns = due_ns;
  due.order = table->next_order++;
  heap_place(table, i, due);
}

/* ---- the hash ---- */

struct uv__deadline* uv__deadline_table_find(
    const struct uv__deadline_table* table,
    const void* key) {
  if (table->size == 0)
    return NULL;
  for (size_t i = slot_of_key(table, key);; i = slot_next(table, i)) {
    if (table->slots[i].key == key)
      return &table->slots[i];
    if (table->slots[i].key == NULL)
      return NULL; /* half of them are free */
  }
}

static size_t find_free(const struct uv__deadline_table* table,
                        const void* key) {
  size_t i = slot_of_key(table, key);

  while (table->slots[i].key != NULL)
    i = slot_next(table, i);
  return i;
}

static void slot_put(struct uv__deadline_table* table,
                     size_t i,
                     struct uv__deadline entry) {
  table->slots[i] = entry;
  if (entry.heap_at != 0)
    table->heap[entry.heap_at - 1].slot = (uint32_t) i;
}

static int table_grow(struct uv__deadline_table* table) {
  size_t size = table->size == 0 ? SIZE_FIRST : 2 * table->size;
  struct uv__deadline* old = table->slots;
  size_t old_size = table->size;

  if (size > SIZE_MAX_SLOTS)
    return UV_ENOMEM;
  struct uv__deadline* slots = uv__calloc(size, sizeof(*slots));
  if (slots == NULL)
    return UV_ENOMEM;
  struct uv__deadline_due* heap =
      uv__realloc_array(table->heap, size / 2, sizeof(*heap));
  if (heap == NULL) {
    uv__free(slots);
    return UV_ENOMEM;
  }

  table->slots = slots;
  table->size = size;
  table->heap = heap;
  for (size_t i = 0; i < old_size; i++)
    if (old[i].key != NULL)
      slot_put(table, find_free(table, old[i].key), old[i]);
  uv__free(old);
  return 0;
}

int uv__deadline_table_reserve(struct uv__deadline_table* table) {
  return table->count < table->size / 2 ? 0 : table_grow(table);
}

struct uv__deadline* uv__deadline_table_add(struct uv__deadline_table* table,
                                            const void* key,
                                            uint64_t due_ns) {
  size_t i = find_free(table, key);
  struct uv__deadline_due due = { due_ns, table->next_order++, (uint32_t) i };

  assert(table->count < table->size / 2);
  table->slots[i].key = key;
  table->slots[i].is_expired = 0;
  table->count++;
  heap_sift_up(table, table->heap_count++, due);
  return &table->slots[i];
}

/* Could an entry whose search begins at `home` be in slot `hole`, which is
 * before slot `i`, where it is now? Slots wrap around. */
static int is_reachable(const struct uv__deadline_table* table,
                        size_t home,
                        size_t hole,
                        size_t i) {
  size_t mask = table->size - 1;
  return ((i - home) & mask) >= ((i - hole) & mask);
}

/* Fills the hole with a later entry of the same run, so that searches need no
 * marks for what was removed. */
static void close_hole(struct uv__deadline_table* table, size_t hole) {
  for (size_t i = slot_next(table, hole); table->slots[i].key != NULL;
       i = slot_next(table, i)) {
    size_t home = slot_of_key(table, table->slots[i].key);
    if (!is_reachable(table, home, hole, i))
      continue;
    slot_put(table, hole, table->slots[i]);
    hole = i;
  }
  table->slots[hole].key = NULL;
}

void uv__deadline_table_remove(struct uv__deadline_table* table,
                               struct uv__deadline* entry) {
  uv__deadline_table_unschedule(table, entry);
  close_hole(table, (size_t) (entry - table->slots));
  if (--table->count == 0 && table->size > SIZE_KEPT)
    uv__deadline_table_close(table);
}

void uv__deadline_table_close(struct uv__deadline_table* table) {
  uv__free(table->slots);
  uv__free(table->heap);
  memset(table, 0, sizeof(*table));
}
