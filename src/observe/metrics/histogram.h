/* SPDX-License-Identifier: MIT */
/* Log-linear histograms of durations: uvx_histogram_t, filled by one thread or
 * by several, read by any.
 *
 * Each power of two of nanoseconds is divided into UVX_HISTOGRAM_PARTS equal
 * parts, so that a bucket is at most a quarter wider than where it begins. The
 * first bucket is for all below 1,024 ns, the last for all from 68.7 s on.
 */
#ifndef UV_OBSERVE_METRICS_HISTOGRAM_H_
#define UV_OBSERVE_METRICS_HISTOGRAM_H_

#include "util/base.h"
#include "uv/ext.h"

/* The bucket of a duration. */
size_t uv__histogram_bucket(uint64_t ns);
/* Where a bucket ends: the first duration that is not in it; UINT64_MAX for the
 * last one. */
uint64_t uv__histogram_bound(size_t bucket);

/* Adds a duration. Context: the only thread that adds. */
void uv__histogram_add(uvx_histogram_t* histogram, uint64_t ns);
/* Context: any. */
void uv__histogram_add_shared(uvx_histogram_t* histogram, uint64_t ns);
/* Adds all durations of `from`. Context: the only thread that adds to `to`. */
void uv__histogram_merge(uvx_histogram_t* to, const uvx_histogram_t* from);
/* A copy of what others may be adding to. */
void uv__histogram_read(uvx_histogram_t* to, const uvx_histogram_t* from);

#endif /* UV_OBSERVE_METRICS_HISTOGRAM_H_ */
