/* SPDX-License-Identifier: MIT */
/* The order in which async handles are called.
 *
 * Every handle of a loop has a position in a list, and a number that grows
 * along the list, so that two handles can be compared. Handles that wait to be
 * called are kept as a few sorted runs: adding one costs O(log n), and so does
 * finding the first.
 */
#ifndef UV_UNIX_ASYNC_ORDER_H_
#define UV_UNIX_ASYNC_ORDER_H_

#include "util/base.h"
#include "util/queue.h"

/* Enough for any number of handles that fit into memory. */
#define UV__ASYNC_RUNS 32

/* Run i is initialised if its bit in `mask` is set, and holds what 2^i
 * additions brought; it may be empty by now. */
struct uv__async_runs {
  uint32_t mask;
  struct uv__queue run[UV__ASYNC_RUNS];
};

/* The reserved words of a handle: [0] links the stack of sent handles and
 * NULL-terminated chains; [1] and [2] link a list of waiting handles; [3] is
 * the number. */
static inline uv_async_t** uv__async_link(uv_async_t* handle) {
  return (uv_async_t**) &handle->u.reserved[0];
}

static inline struct uv__queue* uv__async_node(uv_async_t* handle) {
  return (struct uv__queue*) &handle->u.reserved[1];
}

static inline uv_async_t* uv__async_at(struct uv__queue* node) {
  return container_of(node, uv_async_t, u.reserved[1]);
}

static inline uintptr_t uv__async_number(const uv_async_t* handle) {
  return (uintptr_t) handle->u.reserved[3];
}

/* Inserts a handle into the list after `at`, which is another
 * handle's `queue`, or the list itself for the front. */
void uv__async_list_insert(struct uv__queue* list,
                           struct uv__queue* at,
                           uv_async_t* handle);

/* The number of the handle at a position; 0 for the list itself. */
static inline uintptr_t uv__async_list_number(const struct uv__queue* list,
                                              const struct uv__queue* at) {
  if (at == list)
    return 0;
  return uv__async_number(container_of(at, uv_async_t, queue));
}

/* Adds the handles of a chain, in any order. */
void uv__async_runs_add(struct uv__async_runs* runs, uv_async_t* chain);

/* Merges all runs into one. */
void uv__async_runs_join(struct uv__async_runs* runs);

/* Removes and returns the handle with the lowest number, or NULL. */
uv_async_t* uv__async_runs_take_any(struct uv__async_runs* runs);
static inline uv_async_t* uv__async_runs_take(struct uv__async_runs* runs) {
  if (runs->mask == 0)
    return NULL;
  if (runs->mask == 1 && !uv__queue_empty(&runs->run[0]))
    return uv__async_at(uv__queue_pop_front(&runs->run[0]));
  return uv__async_runs_take_any(runs);
}

#endif /* UV_UNIX_ASYNC_ORDER_H_ */
