/* SPDX-License-Identifier: MIT */
#include "observe/metrics/histogram.h"
#include "util/atomic.h"

/* log2 of the upper bounds of the first and of the last finite bucket. */
#define FIRST_BITS 10
#define LAST_BITS 36
#define PART_BITS 2

static_assert(UVX_HISTOGRAM_PARTS == 1 << PART_BITS, "parts of an octave");
static_assert(UVX_HISTOGRAM_BUCKETS ==
                  (LAST_BITS - FIRST_BITS) * UVX_HISTOGRAM_PARTS + 2,
              "all octaves, and the two ends");

static unsigned top_bit(uint64_t number) {
  unsigned bit = 0;

  for (unsigned step = 32; step != 0; step /= 2) {
    if (number >> step != 0) {
      number >>= step;
      bit += step;
    }
  }
  return bit;
}

size_t uv__histogram_bucket(uint64_t ns) {
  if (ns >> FIRST_BITS == 0)
    return 0;
  if (ns >> LAST_BITS != 0)
    return UVX_HISTOGRAM_BUCKETS - 1;

  unsigned bit = top_bit(ns);
  unsigned part = (unsigned) (ns >> (bit - PART_BITS)) % UVX_HISTOGRAM_PARTS;
  return 1 + (bit - FIRST_BITS) * UVX_HISTOGRAM_PARTS + part;
}

uint64_t uv__histogram_bound(size_t bucket) {
  if (bucket >= UVX_HISTOGRAM_BUCKETS - 1)
    return UINT64_MAX;

  /* Bucket 0 ends where the first part of the first octave begins. */
  unsigned bit = FIRST_BITS + (unsigned) bucket / UVX_HISTOGRAM_PARTS;
  uint64_t part = bucket % UVX_HISTOGRAM_PARTS;
  return ((uint64_t) 1 << bit) + (part << (bit - PART_BITS));
}

static void add_alone(uint64_t* number, uint64_t n) {
  uv__store_relaxed(number, uv__load_relaxed(number) + n);
}

void uv__histogram_add(uvx_histogram_t* histogram, uint64_t ns) {
  add_alone(&histogram->buckets[uv__histogram_bucket(ns)], 1);
  add_alone(&histogram->sum_ns, ns);
  if (ns > uv__load_relaxed(&histogram->max_ns))
    uv__store_relaxed(&histogram->max_ns, ns);
  add_alone(&histogram->count, 1);
}

void uv__histogram_add_shared(uvx_histogram_t* histogram, uint64_t ns) {
  uint64_t max = uv__load_relaxed(&histogram->max_ns);

  uv__fetch_add(&histogram->buckets[uv__histogram_bucket(ns)], 1);
  uv__fetch_add(&histogram->sum_ns, ns);
  while (ns > max && !uv__cas_weak(&histogram->max_ns, &max, ns))
    continue;
  uv__fetch_add(&histogram->count, 1);
}

void uv__histogram_merge(uvx_histogram_t* to, const uvx_histogram_t* from) {
  for (size_t i = 0; i < UVX_HISTOGRAM_BUCKETS; i++)
    add_alone(&to->buckets[i], uv__load_relaxed(&from->buckets[i]));
  add_alone(&to->sum_ns, uv__load_relaxed(&from->sum_ns));
  uint64_t max_ns = uv__load_relaxed(&from->max_ns);
  if (max_ns > uv__load_relaxed(&to->max_ns))
    uv__store_relaxed(&to->max_ns, max_ns);
  add_alone(&to->count, uv__load_relaxed(&from->count));
}

void uv__histogram_read(uvx_histogram_t* to, const uvx_histogram_t* from) {
  uint64_t count = 0;

  /* The count is what the buckets hold, whatever is added meanwhile. */
  for (size_t i = 0; i < UVX_HISTOGRAM_BUCKETS; i++) {
    to->buckets[i] = uv__load_relaxed(&from->buckets[i]);
    count += to->buckets[i];
  }
  to->count = count;
  to->sum_ns = uv__load_relaxed(&from->sum_ns);
  to->max_ns = uv__load_relaxed(&from->max_ns);
}

uint64_t uvx_histogram_percentile(const uvx_histogram_t* histogram,
                                  double percent) {
  double rank = percent / 100 * (double) histogram->count;
  uint64_t seen = 0;

  if (histogram->count == 0)
    return 0;
  for (size_t i = 0; i < UVX_HISTOGRAM_BUCKETS; i++) {
    seen += histogram->buckets[i];
    if (seen != 0 && (double) seen >= rank) {
      uint64_t bound = uv__histogram_bound(i);
      return bound < histogram->max_ns ? bound : histogram->max_ns;
    }
  }
  return histogram->max_ns;
}
