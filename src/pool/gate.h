/* SPDX-License-Identifier: MIT */
/* Gates: while one is closed, no function that the program queued on one of its
 * loops begins, in any pool. What else is queued goes on.
 *
 * A worker that comes to such an item sets it aside and looks at the next.
 * Opening brings these items back to the front of their queues, in their order.
 * Taking an item costs no more for it: closed gates are one bit of the word
 * that workers test before they take anything.
 *
 * All of it is guarded by the registry's lock (registry.h). Context: any. */
#ifndef UV_POOL_GATE_H_
#define UV_POOL_GATE_H_

#include "pool/pool.h"

struct uv__gate {
  struct uv__gate* next; /* of the closed ones */
  /* Is it one of the gate's loops? Compares addresses: the loop may have been
   * closed. Called with locks held. */
  int (*has_loop)(const struct uv__gate* gate, const uv_loop_t* loop);
};

/* From the return on, functions of its loops begin at most where a worker was
 * on its way to one; uv__gate_wait() waits for these. */
void uv__gate_close(struct uv__gate* gate);
/* Waits until none of them runs: 0 or UV_ETIMEDOUT (uv__registry_wait()). The
 * gate is closed. */
int uv__gate_wait(const struct uv__gate* gate, uint64_t deadline_ns);
void uv__gate_open(struct uv__gate* gate);

/* Is any? With the lock. */
int uv__gate_is_closed(void);
/* In the child of a fork: none is. Without the lock. */
void uv__gate_reset(void);

/* Takes an item from a pool whose gate word is not 0, or returns NULL. Called
 * with the pool's lock, which it releases in between. Context: worker. */
struct uv__work* uv__gate_take(struct uv__pool* pool, int* is_slow);

#endif /* UV_POOL_GATE_H_ */
