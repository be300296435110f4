/* SPDX-License-Identifier: MIT */
/* The deadlines of a loop: a hash from requests to what is kept about them, and
 * a heap by due time. It knows nothing of loops and requests.
 *
 * Entries move when others are added or removed: a pointer to one is good until
 * then.
 */
#ifndef UV_DEADLINE_TABLE_H_
#define UV_DEADLINE_TABLE_H_

#include "util/base.h"

typedef void uv__any_fn(void);

struct uv__deadline {
  const void* key;  /* the request; NULL: a free slot */
  uv__any_fn* cb;   /* its own callback, may be NULL */
  uint32_t heap_at; /* index in the heap plus one; 0: it is not in there */
  uint32_t is_expired;
};

struct uv__deadline_due {
  uint64_t due_ns;
  uint32_t order; /* among equal times: first come, first served */
  uint32_t slot;
};

/* All zero is an empty table. */
struct uv__deadline_table {
  struct uv__deadline* slots; /* open addressing */
  size_t size;                /* of `slots`: 0 or a power of two */
  size_t count;               /* of entries */
  struct uv__deadline_due* heap;
  size_t heap_count;
  uint32_t next_order;
};

/* Makes room for one more entry: 0 or UV_ENOMEM, with all as before. */
int uv__deadline_table_reserve(struct uv__deadline_table* table);

/* The entry of `key`, or NULL. */
struct uv__deadline* uv__deadline_table_find(
    const struct uv__deadline_table* table,
    const void* key);

/* Adds an entry for a key that has none. uv__deadline_table_reserve() has made
 * room.
 */
struct uv__deadline* uv__deadline_table_add(struct uv__deadline_table* table,
                                            const void* key,
                                            uint64_t due_ns);

/* Changes the time of an entry that is in the heap. */
void uv__deadline_table_move(struct uv__deadline_table* table,
                             const struct uv__deadline* entry,
                             uint64_t due_ns);

/* Removes the entry from the heap; it stays in the hash. */
void uv__deadline_table_unschedule(struct uv__deadline_table* table,
                                   struct uv__deadline* entry);

void uv__deadline_table_remove(struct uv__deadline_table* table,
                               struct uv__deadline* entry);

/* When the first one is due; UINT64_MAX if the heap is empty. */
static inline uint64_t uv__deadline_table_due(
    const struct uv__deadline_table* table) {
  return table->heap_count == 0 ? UINT64_MAX : table->heap[0].due_ns;
}

/* The entry that is due first. The heap must not be empty. */
static inline struct uv__deadline* uv__deadline_table_first(
    const struct uv__deadline_table* table) {
  return &table->slots[table->heap[0].slot];
}

/* Frees the memory; the table is empty afterwards. */
void uv__deadline_table_close(struct uv__deadline_table* table);

#endif /* UV_DEADLINE_TABLE_H_ */
