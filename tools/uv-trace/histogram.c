/* SPDX-License-Identifier: MIT */
/* Power 0 has the values below HISTOGRAM_PARTS, one by one; each following
 * power of two has as many buckets. */
#include "histogram.h"
#include "base.h"

#include <stdlib.h>
#include <string.h>

void histogram_close(struct histogram* h) {
  for (int i = 0; i < HISTOGRAM_POWERS; i++)
    free(h->parts[i]);
  memset(h, 0, sizeof(*h));
}

void histogram_add(struct histogram* h, uint64_t value) {
  int power = 0;

  while (value >> power >= HISTOGRAM_PARTS)
    power++;
  if (h->parts[power] == NULL)
    h->parts[power] = base_alloc(HISTOGRAM_PARTS, sizeof(uint64_t));
  h->parts[power][value >> power]++;
  h->count++;
  h->sum = base_add(h->sum, value);
  if (value > h->max)
    h->max = value;
}

void histogram_each(
    const struct histogram* h,
    void (*each)(uint64_t low, uint64_t high, uint64_t count, void* arg),
    void* arg) {
  for (int power = 0; power < HISTOGRAM_POWERS; power++)
    for (uint64_t i = 0; h->parts[power] != NULL && i < HISTOGRAM_PARTS; i++)
      if (h->parts[power][i] != 0)
        each(i << power, (i << power) + ((UINT64_C(1) << power) - 1),
             h->parts[power][i], arg);
}

struct search {
  uint64_t rest;  /* values still to pass */
  uint64_t found; /* 0 until then */
};

static void pass(uint64_t low, uint64_t high, uint64_t count, void* arg) {
  struct search* search = arg;

  if (search->rest == 0)
    return;
  if (count >= search->rest) {
    search->rest = 0;
    search->found = low + (high - low) / 2;
  } else {
    search->rest -= count;
  }
}

uint64_t histogram_percentile(const struct histogram* h, double share) {
  double rank = share * (double) h->count;
  struct search search = { (uint64_t) rank, 0 };

  if (h->count == 0)
    return 0;
  if ((double) search.rest < rank || search.rest == 0)
    search.rest++;
  if (search.rest > h->count)
    search.rest = h->count;
  histogram_each(h, pass, &search);
  return search.found > h->max ? h->max : search.found;
}
