/* SPDX-License-Identifier: MIT */
/* Which slice of a thread is inside which.
 *
 * A trace has slices in the order in which they end, so that what is inside
 * comes first. They are held back until enough are there, and come out with
 * the outer one first.
 */
#ifndef UV_TRACE_NEST_H_
#define UV_TRACE_NEST_H_

#include <stddef.h>
#include <stdint.h>

enum slice_kind { SLICE_PHASE, SLICE_CALLBACK, SLICE_WORK };

struct slice {
  uint64_t begin_ns;
  uint64_t end_ns;
  uint64_t flow;   /* a request's number, an async handle's address, or 0 */
  uint64_t serial; /* of the nest */
  uint32_t name;
  uint32_t detail;
  uint32_t track;
  uint32_t node;  /* for who receives it: inner ones find it in their parent */
  uint32_t depth; /* 0: outermost */
  enum slice_kind kind;
  int is_async; /* `flow` is an address */
};

struct nest {
  struct slice* slices;
  size_t count;
  size_t room;
  uint64_t serial;
};

/* All zero is an empty nest; one for each thread. */
void nest_close(struct nest* nest);
void nest_add(struct nest* nest, const struct slice* slice);

/* The slice added last, or NULL. */
struct slice* nest_last(struct nest* nest);

/* Passes on all slices; `parent` is NULL for the outermost. */
void nest_flush(struct nest* nest,
                void (*each)(struct slice* slice,
                             const struct slice* parent,
                             void* arg),
                void* arg);

#endif /* UV_TRACE_NEST_H_ */
