/* SPDX-License-Identifier: MIT */
/* Invariants of a whole loop, for debug builds and unit tests: O(handles). */
#ifndef UV_LOOP_CHECK_H_
#define UV_LOOP_CHECK_H_

#include "loop/state.h"
#include "misuse.h"

/* The rule that the loop breaks, or NULL: lists whose links disagree, H1, H4,
 * the order of the timer heap. Changes nothing. */
const char* uv__loop_broken_invariant(uv_loop_t* loop);

/* Says which rule is broken and ends the process; for debug builds. */
void uv__loop_check(uv_loop_t* loop);

#ifdef UV__DEBUG

/* Around uv_run(), whose thread owns the loop until it returns. A loop that is
 * not running has no owner: programs may hand it from one thread to the next,
 * as those of the pull interface do. */
void uv__loop_enter(uv_loop_t* loop);
void uv__loop_leave(uv_loop_t* loop);

/* Is this the thread that runs the loop, or is it not running? */
int uv__loop_is_own_thread(const uv_loop_t* loop);

/* Ends the process if another thread runs the loop; `object` is the rule's. */
void uv__loop_check_thread(const uv_loop_t* loop,
                           enum uv__rule rule,
                           const void* object);

/* The same if the handle's loop is none: the handle is garbage. */
void uv__loop_check_handle(const uv_handle_t* handle);

/* The same if `node` of a request is in the list already. */
void uv__check_not_queued(const struct uv__queue* head,
                          const struct uv__queue* node,
                          enum uv__rule rule,
                          const void* request);

/* The same if uvx_backend_dispatch() is called from a callback. */
void uv__loop_check_dispatch(const uv_loop_t* loop);

#else

static inline void uv__loop_enter(uv_loop_t* loop) {
  (void) loop;
}

static inline void uv__loop_leave(uv_loop_t* loop) {
  (void) loop;
}

static inline int uv__loop_is_own_thread(const uv_loop_t* loop) {
  (void) loop;
  return 1;
}

#endif

#endif /* UV_LOOP_CHECK_H_ */
