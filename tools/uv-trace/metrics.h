/* SPDX-License-Identifier: MIT */
/* One version of the file of UV_METRICS: OpenMetrics text. Untrusted, too. */
#ifndef UV_TRACE_METRICS_H_
#define UV_TRACE_METRICS_H_

#include <stddef.h>

/* Room for a label's value; longer ones are cut. */
#define METRICS_LABEL 512

/* name{label="value",...} value */
struct sample {
  const char* key; /* name and labels as they are in the file */
  double value;
};

struct metrics {
  char* text;
  struct sample* samples; /* in the order of their keys */
  size_t count;
};

/* Reads a file. Returns 0, then metrics_close(); or an errno: EINVAL if it is
 * not OpenMetrics, or not whole. */
int metrics_read(struct metrics* metrics, const char* path);

/* The same of a text, which it frees. */
int metrics_parse(struct metrics* metrics, char* text);
void metrics_close(struct metrics* metrics);

/* The value of a key, or 0. */
double metrics_value(const struct metrics* metrics, const char* key);

/* Whether the sample has this name. */
int sample_is(const struct sample* sample, const char* name);

/* The label's value, or "". */
const char* sample_label(const struct sample* sample,
                         const char* label,
                         char text[METRICS_LABEL]);

/* The number of values of a histogram since `before` (which may be empty), of
 * the samples whose label has this value; and the bound that `share` of
 * them do not exceed, in seconds. */
double metrics_percentile(const struct metrics* now,
                          const struct metrics* before,
                          const char* name,
                          const char* label,
                          const char* value,
                          double share,
                          double* count);

#endif /* UV_TRACE_METRICS_H_ */
