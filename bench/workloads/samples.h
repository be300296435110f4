/* SPDX-License-Identifier: MIT */
/* Latencies of a run, and their percentiles. */
#ifndef SAMPLES_H_
#define SAMPLES_H_

#include "bench.h"

struct samples {
  uint32_t* ns;
  uint64_t count;
  uint64_t max; /* room */
};

/* Room for so many. Touches it, so that no page fault is measured. */
void samples_init(struct samples* samples, uint64_t max);

/* Adds one; anything above 4.2 s counts as that. */
void samples_add(struct samples* samples, uint64_t ns);

/* Notes the median, the percentile `high_percent` and the maximum in
 * microseconds under these names, and frees the room. */
void samples_note(struct samples* samples,
                  const char* median,
                  const char* high,
                  unsigned high_percent,
                  const char* max);

#endif /* SAMPLES_H_ */
