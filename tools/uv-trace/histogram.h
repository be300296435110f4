/* SPDX-License-Identifier: MIT */
/* Durations: count, sum, largest, and percentiles that are at most 1/1024
 * off. Memory only for the powers of two that occur. */
#ifndef UV_TRACE_HISTOGRAM_H_
#define UV_TRACE_HISTOGRAM_H_

#include <stdint.h>

#define HISTOGRAM_BITS 9
#define HISTOGRAM_PARTS (1 << HISTOGRAM_BITS)
#define HISTOGRAM_POWERS (64 - HISTOGRAM_BITS + 1)

struct histogram {
  uint64_t count;
  uint64_t sum;
  uint64_t max;
  uint64_t* parts[HISTOGRAM_POWERS]; /* NULL: nothing there yet */
};

/* All zero is an empty histogram. */
void histogram_close(struct histogram* h);
void histogram_add(struct histogram* h, uint64_t value);

/* The value that `share` (0 to 1) of all values do not exceed; 0 if empty. */
uint64_t histogram_percentile(const struct histogram* h, double share);

/* Calls `each` with the range and count of each bucket that is not empty. */
void histogram_each(
    const struct histogram* h,
    void (*each)(uint64_t low, uint64_t high, uint64_t count, void* arg),
    void* arg);

#endif /* UV_TRACE_HISTOGRAM_H_ */
