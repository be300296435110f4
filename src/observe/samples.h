/* SPDX-License-Identifier: MIT */
/* Stacks of a callback that blocks, one per look of the watchdog, for the
 * trace. Addresses until it has ended; then all are named at once, because the
 * names of generated code are in a file. Context: the watchdog's thread. */
#ifndef UV_OBSERVE_SAMPLES_H_
#define UV_OBSERVE_SAMPLES_H_

#include "observe/symbols.h"
#include "observe/thread.h"

struct uv__sample;

/* All zero is an empty one. */
struct uv__samples {
  struct uv__sample* all; /* NULL until the first */
  size_t count;
};

/* The thread runs the callback, and is there, the innermost frame first; the
 * sample stands for `ns`. Without a trace nothing is kept. */
void uv__samples_add(struct uv__samples* samples,
                     struct uv__symbols* symbols,
                     uint64_t tid,
                     const struct uv__running* running,
                     const void* const* frames,
                     size_t count,
                     uint64_t ns);

/* The thread's callback has ended: its samples go into the trace. */
void uv__samples_end(struct uv__samples* samples,
                     struct uv__symbols* symbols,
                     uint64_t tid);

void uv__samples_free(struct uv__samples* samples);

#endif /* UV_OBSERVE_SAMPLES_H_ */
