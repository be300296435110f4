/* SPDX-License-Identifier: MIT */
/* Buckets of the log-linear histogram: no gap, no overlap, bounded error. */
#include "unit.h"

#include "observe/metrics/histogram.h"

#include <string.h>

UNIT_TEST(histogram_buckets_meet) {
  for (size_t i = 0; i + 1 < UVX_HISTOGRAM_BUCKETS; i++) {
    uint64_t bound = uv__histogram_bound(i);
    CHECK_EQ(i, uv__histogram_bucket(bound - 1));
    CHECK_EQ(i + 1, uv__histogram_bucket(bound));
  }
  CHECK_EQ(0, uv__histogram_bucket(0));
  CHECK_EQ(1024, uv__histogram_bound(0));
  CHECK_EQ((uint64_t) 1 << 36, uv__histogram_bound(UVX_HISTOGRAM_BUCKETS - 2));
  CHECK_EQ(UVX_HISTOGRAM_BUCKETS - 1, uv__histogram_bucket(UINT64_MAX));
  CHECK(uv__histogram_bound(UVX_HISTOGRAM_BUCKETS - 1) == UINT64_MAX);
}

UNIT_TEST(histogram_percentiles) {
  uvx_histogram_t h;

  memset(&h, 0, sizeof(h));
  CHECK_EQ(0, uvx_histogram_percentile(&h, 50));
  for (uint64_t ms = 1; ms <= 100; ms++)
    uv__histogram_add(&h, ms * 1000000);
  CHECK_EQ(100, h.count);
  CHECK_EQ(UINT64_C(5050000000), h.sum_ns);
  CHECK_EQ(100000000, h.max_ns);
  for (int percent = 1; percent <= 100; percent++) {
    uint64_t ns = uvx_histogram_percentile(&h, percent);
    uint64_t true_ns = (uint64_t) percent * 1000000;
    CHECK(ns >= true_ns);
    CHECK(ns <= true_ns + true_ns / 4 + 1);
  }
  CHECK_EQ(100000000, uvx_histogram_percentile(&h, 100));
  /* More than everything is the maximum; so is what the last bucket holds. */
  CHECK_EQ(100000000, uvx_histogram_percentile(&h, 101));
  uv__histogram_add(&h, UINT64_C(1) << 50);
  CHECK_EQ(INT64_C(1) << 50, uvx_histogram_percentile(&h, 100));
}

UNIT_TEST(histogram_shared_is_the_same) {
  uvx_histogram_t alone;
  uvx_histogram_t shared;
  uvx_histogram_t copy;

  memset(&alone, 0, sizeof(alone));
  memset(&shared, 0, sizeof(shared));
  for (uint64_t ns = 1; ns < UINT64_C(1) << 40; ns = ns * 3 / 2 + 1) {
    uv__histogram_add(&alone, ns);
    uv__histogram_add_shared(&shared, ns);
  }
  CHECK_MEM(&alone, &shared, sizeof(alone));
  uv__histogram_read(&copy, &shared);
  CHECK_MEM(&alone, &copy, sizeof(alone));
}

UNIT_TEST(histogram_merge_adds_everything) {
  uvx_histogram_t one;
  uvx_histogram_t two;
  uvx_histogram_t both;

  memset(&one, 0, sizeof(one));
  memset(&two, 0, sizeof(two));
  memset(&both, 0, sizeof(both));
  for (uint64_t ns = 1; ns < UINT64_C(1) << 40; ns = ns * 3 / 2 + 1) {
    uv__histogram_add(ns % 2 == 0 ? &one : &two, ns);
    uv__histogram_add(&both, ns);
  }
  uv__histogram_merge(&one, &two);
  CHECK_MEM(&both, &one, sizeof(both));
}
