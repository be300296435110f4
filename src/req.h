/* SPDX-License-Identifier: MIT */
/* The life of a request: registered with its loop from submission until just
 * before its callback runs. A registered request keeps the loop alive.
 */
#ifndef UV_REQ_H_
#define UV_REQ_H_

#include "util/base.h"

static inline void uv__req_register(uv_loop_t* loop) {
  loop->active_reqs.count++;
}

static inline void uv__req_unregister(uv_loop_t* loop) {
  assert(loop->active_reqs.count > 0);
  loop->active_reqs.count--;
}

/* Sets the type and registers. `req` points to any request type. */
static inline void uv__req_start(uv_loop_t* loop, void* req, uv_req_type type) {
  ((uv_req_t*) req)->type = type;
  uv__req_register(loop);
}

#endif /* UV_REQ_H_ */
