/* SPDX-License-Identifier: MIT */
#include "pool/gate.h"
#include "pool/registry.h"
#include "pool/threads.h"

static struct uv__gate* closed; /* guarded by the registry's lock */

int uv__gate_is_closed(void) {
  return closed != NULL;
}

void uv__gate_reset(void) {
  closed = NULL;
}

static int is_behind(const struct uv__gate* gate,
                     const struct uv__work_kind* kind,
                     const uv_loop_t* loop) {
  return kind->id == UV__WORK_USER && loop != NULL &&
         gate->has_loop(gate, loop);
}

static int is_behind_any(const struct uv__work* w) {
  const struct uv__gate* gate = closed;

  while (gate != NULL && !is_behind(gate, w->kind, w->loop))
    gate = gate->next;
  return gate != NULL;
}

/* A worker that was on its way when the gate was closed takes its item all the
 * same: otherwise pauses that follow each other at once could keep every
 * function from ever beginning. */
static struct uv__work* take_item(struct uv__pool* pool, int* is_slow) {
  struct uv__work_queue* queue = &pool->queue;
  struct uv__work* w = uv__work_queue_peek(queue);

  while (w != NULL && !pool->is_owed && is_behind_any(w)) {
    uv__work_queue_set_aside(queue, w);
    w = uv__work_queue_peek(queue);
  }
  return w == NULL ? NULL : uv__work_queue_take(queue, is_slow);
}

struct uv__work* uv__gate_take(struct uv__pool* pool, int* is_slow) {
  const unsigned stops = UV__GATE_HOLD | UV__GATE_SHRINK;
  struct uv__work* w = NULL;

  if (!(pool->queue.gate & UV__GATE_PAUSE))
    return NULL;
  uv__pool_unlock(pool, NULL);
  uv__registry_lock();
  uv__pool_lock(pool);
  if (!(pool->queue.gate & stops))
    w = take_item(pool, is_slow);
  pool->is_owed = 0;
  uv__registry_broadcast(); /* the worker's last item may be waited for */
  uv__registry_unlock();
  return w;
}

static void set_paused(struct uv__pool* pool, void* arg) {
  (void) arg;
  uv__pool_set_paused(pool, closed != NULL);
}

void uv__gate_close(struct uv__gate* gate) {
  uv__registry_lock();
  gate->next = closed;
  closed = gate;
  uv__registry_each(set_paused, NULL);
  uv__registry_unlock();
}

void uv__gate_open(struct uv__gate* gate) {
  struct uv__gate** at = &closed;

  uv__registry_lock();
  while (*at != gate)
    at = &(*at)->next;
  *at = gate->next;
  uv__registry_each(set_paused, NULL);
  uv__registry_unlock();
}

/* What uv__gate_wait() looks for. */
struct search {
  const struct uv__gate* gate;
  int is_busy;
};

static void look_for_runner(struct uv__pool* pool, void* arg) {
  struct search* search = arg;

  uv__pool_lock(pool);
  search->is_busy |= pool->is_owed;
  for (unsigned i = 0; i < pool->nused && !search->is_busy; i++) {
    const struct uv__worker* worker = uv__pool_place(pool, i);
    if (worker->kind != NULL)
      search->is_busy = is_behind(search->gate, worker->kind, worker->loop);
  }
  uv__pool_unlock(pool, NULL);
}

static int is_busy(const struct uv__gate* gate) {
  struct search search = { gate, 0 };

  uv__registry_each(look_for_runner, &search);
  return search.is_busy;
}

int uv__gate_wait(const struct uv__gate* gate, uint64_t deadline_ns) {
  int err = 0;

  uv__registry_lock();
  while (err == 0 && is_busy(gate))
    if (!uv__registry_wait(deadline_ns))
      err = UV_ETIMEDOUT;
  uv__registry_unlock();
  return err;
}
