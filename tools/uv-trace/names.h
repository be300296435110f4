/* SPDX-License-Identifier: MIT */
/* Strings as numbers, and numbers as places in an array. */
#ifndef UV_TRACE_NAMES_H_
#define UV_TRACE_NAMES_H_

#include <stddef.h>
#include <stdint.h>

/* What does not fit any more is NAMES_OTHER. */
#define NAMES_MAX ((size_t) 1 << 18)
#define NAMES_OTHER 0

struct names {
  char** texts; /* by number; owned */
  size_t count;
  size_t room;
  uint32_t* table; /* by hash: a number + 1, or 0 */
  size_t places;   /* of the table: a power of two */
};

void names_init(struct names* names);
void names_close(struct names* names);

/* The number of a string, the same each time. */
uint32_t names_add(struct names* names, const char* text);

/* Keys of 64 bits. All zero is an empty map. */
struct map {
  struct map_place {
    uint64_t key;
    uint32_t value; /* + 1; 0: free */
  } * table;
  size_t count;
  size_t places; /* a power of two, or 0 */
};

void map_close(struct map* map);

/* The key's value; a new key gets `fresh`, which may not be UINT32_MAX.
 * `*is_new` says which. */
uint32_t map_add(struct map* map, uint64_t key, uint32_t fresh, int* is_new);

#endif /* UV_TRACE_NAMES_H_ */
