/* SPDX-License-Identifier: MIT */
/* UVX_LOOPS_PIN: each thread of the managed loops stays on one of the
 * processors that the caller of uvx_loops_run() may use; more loops than
 * processors begin again with the first.
 *
 * On some systems a thread that a pinned one makes is pinned with it. So that
 * this is not what happens to the workers of the pool, the caller has them made
 * while it is not pinned. */
#include "loops.h"
#include "util/alloc.h"

#include <string.h>

/* The `index`-th processor of a mask that is not empty. */
static int find_processor(const char* mask, int size, unsigned index) {
  unsigned count = 0;

  for (int i = 0; i < size; i++)
    count += mask[i] != 0;
  for (int i = 0; i < size; i++)
    if (mask[i] != 0 && index-- % count == 0)
      return i;
  return 0;
}

static int pin_thread(const uvx_loops_t* loops,
                      uv_thread_t* thread,
                      unsigned index) {
  int size = uv_cpumask_size();
  char* mask = uv__calloc(1, (size_t) size);

  if (mask == NULL)
    return UV_ENOMEM;
  mask[find_processor(loops->processors, size, index)] = 1;
  int err = uv_thread_setaffinity(thread, mask, NULL, (size_t) size);
  uv__free(mask);
  return err;
}

static void give_back_processors(uvx_loops_t* loops) {
  uv_thread_t self = uv_thread_self();

  /* Refused only if these processors are gone. */
  (void) uv_thread_setaffinity(&self, loops->processors, NULL,
                               (size_t) uv_cpumask_size());
}

void uv__loops_unpin(uvx_loops_t* loops) {
  if (loops->processors == NULL)
    return;
  give_back_processors(loops);
  uv__free(loops->processors);
  loops->processors = NULL;
}

static int note_processors(uvx_loops_t* loops) {
  int size = uv_cpumask_size();
  uv_thread_t self = uv_thread_self();

  if (size < 0)
    return size;
  loops->processors = uv__calloc(1, (size_t) size);
  if (loops->processors == NULL)
    return UV_ENOMEM;
  int err = uv_thread_getaffinity(&self, loops->processors, (size_t) size);
  if (err != 0) {
    uv__free(loops->processors);
    loops->processors = NULL;
  }
  return err;
}

static void do_nothing(uv_work_t* req) {
  (void) req;
}

int uv__loops_pin(uvx_loops_t* loops) {
  if ((loops->flags & UVX_LOOPS_PIN) == 0)
    return 0;
  uv_thread_t self = uv_thread_self();
  int err = note_processors(loops);
  if (err != 0)
    return err;

  err = pin_thread(loops, &self, 0);
  for (unsigned i = 1; i < loops->count && err == 0; i++)
    err = pin_thread(loops, &loops->slots[i].thread, i);
  if (err != 0) {
    uv__loops_unpin(loops);
    return err;
  }
  give_back_processors(loops);
  /* Without memory or threads for that, later ones are pinned. */
  (void) uv_queue_work(loops->slots[0].loop, &loops->first_work, do_nothing,
                       NULL);
  (void) pin_thread(loops, &self, 0); /* succeeded before */
  return 0;
}
