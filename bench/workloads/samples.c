/* SPDX-License-Identifier: MIT */
#include "samples.h"

void samples_init(struct samples* samples, uint64_t max) {
  samples->ns = bench_alloc(max, sizeof(*samples->ns));
  memset(samples->ns, 1, max * sizeof(*samples->ns));
  samples->count = 0;
  samples->max = max;
}

void samples_add(struct samples* samples, uint64_t ns) {
  CHECK(samples->count < samples->max);
  samples->ns[samples->count++] = ns > UINT32_MAX ? UINT32_MAX : (uint32_t) ns;
}

static int compare_ns(const void* a, const void* b) {
  uint32_t x = *(const uint32_t*) a;
  uint32_t y = *(const uint32_t*) b;

  return (x > y) - (x < y);
}

/* Of sorted samples, in microseconds. */
static double percentile(const struct samples* samples, unsigned percent) {
  uint64_t index = samples->count * percent / 100;

  if (index == samples->count)
    index--;
  return samples->ns[index] / 1000.0;
}

void samples_note(struct samples* samples,
                  const char* median,
                  const char* high,
                  unsigned high_percent,
                  const char* max) {
  CHECK(samples->count > 0);
  qsort(samples->ns, samples->count, sizeof(*samples->ns), compare_ns);
  bench_note(median, percentile(samples, 50));
  bench_note(high, percentile(samples, high_percent));
  bench_note(max, percentile(samples, 100));
  free(samples->ns);
}
