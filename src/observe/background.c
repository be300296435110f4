/* SPDX-License-Identifier: MIT */
#include "observe/background.h"
#include "os/thread.h"

int uv__background_start(struct uv__background* b, uv_thread_cb entry) {
  b->is_ending = 0;
  int err = uv_mutex_init(&b->lock);
  if (err != 0)
    return err;
  err = uv_cond_init(&b->changed);
  if (err != 0)
    goto err_destroy_lock;
  err = uv__thread_os_start_own(&b->thread, entry);
  if (err != 0)
    goto err_destroy_cond;
  return 0;

err_destroy_cond:
  uv_cond_destroy(&b->changed);
err_destroy_lock:
  uv_mutex_destroy(&b->lock);
  return err;
}

void uv__background_stop(struct uv__background* b) {
  uv_mutex_lock(&b->lock);
  b->is_ending = 1;
  uv_cond_signal(&b->changed);
  uv_mutex_unlock(&b->lock);
  uv_thread_join(&b->thread);
  uv_cond_destroy(&b->changed);
  uv_mutex_destroy(&b->lock);
}

int uv__background_sleep(struct uv__background* b, unsigned ms) {
  uv_mutex_lock(&b->lock);
  if (!b->is_ending)
    (void) uv_cond_timedwait(&b->changed, &b->lock, (uint64_t) ms * 1000000);
  int is_ending = b->is_ending;
  uv_mutex_unlock(&b->lock);
  return is_ending;
}
