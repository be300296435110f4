/* SPDX-License-Identifier: MIT */
#include "nest.h"
#include "base.h"

#include <stdlib.h>
#include <string.h>

/* Deeper slices stay at this depth. */
#define DEPTH_MAX 64

void nest_close(struct nest* nest) {
  free(nest->slices);
  memset(nest, 0, sizeof(*nest));
}

void nest_add(struct nest* nest, const struct slice* slice) {
  nest->slices =
      base_grow(nest->slices, nest->count, &nest->room, sizeof(*nest->slices));
  struct slice* place = &nest->slices[nest->count++];
  *place = *slice;
  place->serial = nest->serial++;
}

struct slice* nest_last(struct nest* nest) {
  return nest->count == 0 ? NULL : &nest->slices[nest->count - 1];
}

/* Of two that begin together the longer one is outside; of two that are equal
 * the one that was written later. */
static int by_begin(const void* a, const void* b) {
  const struct slice* x = a;
  const struct slice* y = b;

  if (x->begin_ns != y->begin_ns)
    return x->begin_ns < y->begin_ns ? -1 : 1;
  if (x->end_ns != y->end_ns)
    return x->end_ns > y->end_ns ? -1 : 1;
  return x->serial > y->serial ? -1 : x->serial < y->serial;
}

/* Given that the outer one does not begin later. Nothing is inside a slice
 * without duration: where the clock is coarse there are many at one time. */
static int contains(const struct slice* outer, const struct slice* inner) {
  return inner->end_ns <= outer->end_ns && outer->begin_ns != outer->end_ns;
}

void nest_flush(struct nest* nest,
                void (*each)(struct slice* slice,
                             const struct slice* parent,
                             void* arg),
                void* arg) {
  struct slice* open[DEPTH_MAX];
  uint32_t depth = 0;

  if (nest->count != 0)
    qsort(nest->slices, nest->count, sizeof(*nest->slices), by_begin);
  for (size_t i = 0; i < nest->count; i++) {
    struct slice* slice = &nest->slices[i];
    while (depth > 0 && !contains(open[depth - 1], slice))
      depth--;
    slice->depth = depth;
    each(slice, depth > 0 ? open[depth - 1] : NULL, arg);
    if (depth < DEPTH_MAX)
      open[depth++] = slice;
  }
  nest->count = 0;
}
