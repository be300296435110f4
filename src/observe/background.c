/* SPDX-License-Identifier: MIT */
#include "observe/background.h"
#include "observe/hooks.h"
#include "os/thread.h"

/* In a forked child those of the parent may be in any state. */
static int make_lock(struct uv__background* b) {
  unsigned process = uv__observe_generation() + 1;

  if (b->made_in == process)
    return 0;
  int err = uv_mutex_init(&b->lock);
  if (err != 0)
    return err;
  err = uv_cond_init(&b->changed);
  if (err != 0)
    uv_mutex_destroy(&b->lock);
  else
    b->made_in = process;
  return err;
}

int uv__background_start(struct uv__background* b, uv_thread_cb entry) {
  int err = make_lock(b);

  if (err != 0)
    return err;
  b->is_ending = 0;
  b->is_woken = 0;
  return uv__thread_os_start_own(&b->thread, entry);
}

void uv__background_stop(struct uv__background* b) {
  uv_mutex_lock(&b->lock);
  b->is_ending = 1;
  uv_cond_signal(&b->changed);
  uv_mutex_unlock(&b->lock);
  uv_thread_join(&b->thread);
}

int uv__background_sleep(struct uv__background* b, unsigned ms) {
  uv_mutex_lock(&b->lock);
  if (!b->is_ending && !b->is_woken)
    (void) uv_cond_timedwait(&b->changed, &b->lock, (uint64_t) ms * 1000000);
  int is_ending = b->is_ending;
  b->is_woken = 0;
  uv_mutex_unlock(&b->lock);
  return is_ending;
}

void uv__background_wake(struct uv__background* b) {
  uv_mutex_lock(&b->lock);
  b->is_woken = 1;
  uv_cond_signal(&b->changed);
  uv_mutex_unlock(&b->lock);
}
