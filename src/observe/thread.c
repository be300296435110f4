/* SPDX-License-Identifier: MIT */
#include "observe/thread.h"
#include "observe/hooks.h"
#include "observe/trace/writer.h"
#include "os/thread.h"
#include "util/alloc.h"

/* Slots that are fetched in advance. */
#define AHEAD 4

static struct uv__observe_thread* threads; /* atomic: all of them */
static unsigned count;                     /* atomic: how many */
static uv_key_t self_key;
static int has_key; /* atomic */

struct uv__observe_thread* uv__observe_threads(void) {
  /* Acquire: the structures. Pairs with make_thread(). */
  return uv__load_acquire(&threads);
}

/* Context: the thread that ends. */
static void leave_thread(void* data) {
  struct uv__observe_thread* thread = data;

  /* Release: its records. Pairs with claim_thread(). */
  uv__store_release(&thread->state, UV__THREAD_LEFT);
}

int uv__observe_threads_init(void) {
  if (has_key)
    return 0;
  int err = uv__thread_os_key_create(&self_key, leave_thread);
  /* Release: the key. Pairs with uv__observe_thread_self(). */
  uv__store_release(&has_key, err == 0);
  return err;
}

void uv__observe_threads_shutdown(void) {
  if (uv__exchange(&has_key, 0))
    uv_key_delete(&self_key);
}

static int is_ring_read(const struct uv__observe_thread* thread) {
  return uv__load_acquire(&thread->read) == uv__load_acquire(&thread->written);
}

/* One that another thread left, and the writer has read. */
static struct uv__observe_thread* claim_thread(void) {
  for (struct uv__observe_thread* t = uv__observe_threads(); t; t = t->next) {
    unsigned state = uv__load_acquire(&t->state);
    if (state == UV__THREAD_OWNED || !is_ring_read(t))
      continue;
    /* Acquire: what its last owner did. Pairs with leave_thread(). */
    if (uv__cas_strong(&t->state, &state, UV__THREAD_OWNED))
      return t;
  }
  return NULL;
}

static struct uv__observe_thread* make_thread(void) {
  struct uv__observe_thread* thread;

  if (uv__fetch_add(&count, 1) >= UV__OBSERVE_THREADS_MAX)
    goto err_uncount;
  thread = uv__calloc(1, sizeof(*thread));
  if (thread == NULL)
    goto err_uncount;

  thread->state = UV__THREAD_OWNED;
  thread->next = uv__load_relaxed(&threads);
  while (!uv__cas_weak(&threads, &thread->next, thread))
    continue;
  return thread;

err_uncount:
  uv__fetch_sub(&count, 1);
  return NULL;
}

UV__NOINLINE static struct uv__observe_thread* begin_thread(void) {
  struct uv__observe_thread* thread = claim_thread();

  if (thread == NULL)
    thread = make_thread();
  if (thread == NULL)
    return NULL;
  if (uv__thread_os_key_set(&self_key, thread) != 0) {
    uv__store_release(&thread->state, UV__THREAD_FREE);
    return NULL;
  }
  thread->flow = 0;
  uv__free(thread->about); /* of another thread's handles */
  thread->about = NULL;
  uv__store_relaxed(&thread->running.begin_ns, 0);
  uv__store_relaxed(&thread->loop, NULL);
  uv__store_relaxed(&thread->number, 0);
  uv__store_relaxed(&thread->tid, uv__thread_os_id());
  return thread;
}

struct uv__observe_thread* uv__observe_thread_self(void) {
  /* Acquire: the key. Pairs with uv__observe_threads_init(). */
  if (!uv__load_acquire(&has_key))
    return NULL; /* the library has shut down meanwhile */
  struct uv__observe_thread* thread = uv_key_get(&self_key);

  return thread != NULL ? thread : begin_thread();
}

UV__NOINLINE static struct uv__record* make_ring(
    struct uv__observe_thread* thread) {
  struct uv__record* ring = NULL;

  /* Aligned, so that a record is in one line of the cache. */
  thread->memory = uv__malloc_array(UV__TRACE_RING + 1, sizeof(*ring));
  if (thread->memory != NULL) {
    uintptr_t address = (uintptr_t) thread->memory + sizeof(*ring) - 1;
    ring = (struct uv__record*) (address - address % sizeof(*ring));
  }
  /* Release: pairs with uv__observe_thread_at(). */
  uv__store_release(&thread->ring, ring);
  return ring;
}

static size_t count_unread(const struct uv__observe_thread* thread) {
  /* Acquire: the reader is done with the slots. Pairs with
   * uv__observe_thread_consume(). */
  return uv__load_relaxed(&thread->written) - uv__load_acquire(&thread->read);
}

/* Has the owner look at `read` again after this many records. */
static void set_check_at(struct uv__observe_thread* thread, size_t records) {
  thread->check_at = uv__load_relaxed(&thread->written) + records;
}

/* Finds room for another record, and says when to look again; `read` is in a
 * line of the reader's cache. Returns 0 if there is none. */
UV__NOINLINE static int find_room(struct uv__observe_thread* thread) {
  size_t used = count_unread(thread);

  /* Acquire: what the writer is woken with. Pairs with uv__observe_start(). */
  if (used >= UV__TRACE_RING / 4 &&
      (uv__load_acquire(&uv__observers) & UV__OBSERVE_TRACE)) /* who reads */
    uv__trace_writer_wake();
  set_check_at(thread, uv__min_size(UV__TRACE_BLOCK, UV__TRACE_RING - used));
  return used != UV__TRACE_RING;
}

void uv__observe_thread_add(struct uv__observe_thread* thread,
                            const struct uv__record* record) {
  struct uv__record* ring = uv__load_relaxed(&thread->ring);
  size_t written = uv__load_relaxed(&thread->written);

  if (ring == NULL)
    ring = make_ring(thread);
  if (ring == NULL || (written == thread->check_at && !find_room(thread))) {
    uv__store_relaxed(&thread->dropped, uv__load_relaxed(&thread->dropped) + 1);
    return;
  }

  written = uv__load_relaxed(&thread->written);
  ring[written % UV__TRACE_RING] = *record;
  /* The reader had the slots after it last: have the next ones fetched. */
  uv__prefetch_write(&ring[(written + AHEAD) % UV__TRACE_RING]);
  /* Release: the record. Pairs with uv__observe_thread_ready(). */
  uv__store_release(&thread->written, written + 1);
}

size_t uv__observe_thread_ready(const struct uv__observe_thread* thread) {
  /* Acquire: pairs with uv__observe_thread_add(). */
  return uv__load_acquire(&thread->written) - uv__load_relaxed(&thread->read);
}

const struct uv__record* uv__observe_thread_at(
    const struct uv__observe_thread* thread,
    size_t i) {
  size_t slot = uv__load_relaxed(&thread->read) + i;

  return &uv__load_acquire(&thread->ring)[slot % UV__TRACE_RING];
}

void uv__observe_thread_consume(struct uv__observe_thread* thread,
                                size_t count) {
  /* Release: they were read. Pairs with count_unread(). */
  uv__store_release(&thread->read, uv__load_relaxed(&thread->read) + count);
}

int uv__observe_thread_running(const struct uv__observe_thread* thread,
                               struct uv__running* out) {
  const struct uv__running* from = &thread->running;
  unsigned sequence = uv__load_acquire(&thread->sequence);

  if (sequence % 2 != 0)
    return 0;
  /* Acquire: all of these come before the second load of the sequence. */
  out->begin_ns = uv__load_acquire(&from->begin_ns);
  out->loop = uv__load_acquire(&from->loop);
  out->object = uv__load_acquire(&from->object);
  out->symbol = uv__load_acquire(&from->symbol);
  out->what = uv__load_acquire(&from->what);
  out->phase = uv__load_acquire(&from->phase);
  return uv__load_relaxed(&thread->sequence) == sequence;
}

void uv__observe_threads_fork(void) {
  const void* self = uv_key_get(&self_key);

  for (struct uv__observe_thread* t = uv__observe_threads(); t; t = t->next) {
    if (t != self)
      uv__store_relaxed(&t->state, UV__THREAD_FREE);
    uv__store_relaxed(&t->read, uv__load_relaxed(&t->written));
    t->reported_dropped = uv__load_relaxed(&t->dropped);
    t->named_tid = 0;
    t->counts.loop = NULL;
    if (t == self)
      uv__store_relaxed(&t->tid, uv__thread_os_id());
  }
}
