/* SPDX-License-Identifier: MIT */
/* Creating, configuring and closing loops; the default loop. */
#include "handle.h"
#include "loop/list.h"
#include "loop/poll.h"
#include "loop/post.h"
#include "loop/timer-heap.h"
#include "loop/wake.h"
#include "misuse.h"
#include "observe/hooks.h"
#include "os/async.h"
#include "os/loop.h"
#include "request-deadline.h"
#include "util/alloc.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

static uv_loop_t default_loop_storage;
static uv_loop_t* default_loop;

static void init_public_fields(uv_loop_t* loop) {
  void* data = loop->data; /* the user may have set it before */

  memset(loop, 0, sizeof(*loop));
  loop->data = data;
  uv__queue_init(&loop->handle_queue);
  uv__queue_init(&loop->idle_handles);
  uv__queue_init(&loop->prepare_handles);
  uv__queue_init(&loop->check_handles);
}

int uv_loop_init(uv_loop_t* loop) {
  if (loop == NULL)
    return UV_EINVAL;

  struct uv__loop_state* state = uv__calloc(1, uv__loop_os_state_size);
  if (state == NULL)
    return UV_ENOMEM;

  init_public_fields(loop);
  loop->internal_fields = state;
  state->poller = uv__poller_os_choose();
  uv__wake_init_process();
  uv__misuse_init_process();
  uv__hook_loop_begin();
  uv__hook_loop_init(loop);
  uv__loop_poll_init(loop);
  uv__timer_heap_init(&state->timers);
  uv__loop_set_runner(loop);
  uv__async_os_init_loop(loop);
  uv__post_init_loop(loop);
  uv_update_time(loop);

  int err = uv__loop_os_init(loop);
  if (err != 0)
    goto err_free_state;
  uv__loop_list_add(loop);
  return 0;

err_free_state:
  uv__hook_loop_close(loop);
  uv__free(state);
  loop->internal_fields = NULL;
  return err;
}

static int has_user_handles(const uv_loop_t* loop) {
  const struct uv__queue* head = &loop->handle_queue;

  for (const struct uv__queue* q = head->next; q != head; q = q->next) {
    const uv_handle_t* handle = container_of(q, uv_handle_t, handle_queue);
    if (!(handle->flags & UV__INTERNAL))
      return 1;
  }
  return 0;
}

/* A closed loop keeps a non-zero count of requests: it stays busy, so closing
 * or running it again does nothing. Programs do both when they exit
 * (netdata). */
static void mark_closed(uv_loop_t* loop) {
  loop->internal_fields = NULL;
  loop->active_reqs.count = UINT_MAX;
  loop->stop_flag = 1;
}

int uv__loop_is_in_use(const uv_loop_t* loop) {
  return loop->active_reqs.count > 0 || has_user_handles(loop) ||
         uv__post_is_queued(loop);
}

int uv_loop_close(uv_loop_t* loop) {
  if (uv__loop_state(loop) == NULL)
    return UV_EBUSY;
  if (uv__loop_is_in_use(loop))
    return uv__misuse_refuse_busy(loop);

  uv__loop_list_remove(loop);
  uv__async_os_close_loop(loop);
  uv__loop_os_close(loop);
  uv__deadline_close_loop(loop);
  uv__timer_heap_close(&uv__loop_state(loop)->timers);
  uv__loop_poll_close(loop);
  uv__hook_loop_close(loop);
  uv__free(loop->internal_fields);
  mark_closed(loop);

  if (loop == default_loop)
    default_loop = NULL;
  return 0;
}

uv_loop_t* uv_default_loop(void) {
  if (default_loop == NULL && uv_loop_init(&default_loop_storage) == 0)
    default_loop = &default_loop_storage;
  return default_loop;
}

uv_loop_t* uv_loop_new(void) {
  uv_loop_t* loop = uv__calloc(1, sizeof(*loop));

  if (loop != NULL && uv_loop_init(loop) != 0) {
    uv__free(loop);
    return NULL;
  }
  return loop;
}

void uv_loop_delete(uv_loop_t* loop) {
  int is_default = loop == default_loop;
  int err = uv_loop_close(loop);

  assert(err == 0);
  if (err == 0 && !is_default)
    uv__free(loop);
}

int uv_loop_fork(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  uv__hook_loop_begin();
  int err = state->poller->reopen(loop);
  if (err != 0)
    return err;
  uv__async_os_fork(loop);
  uv__post_init_loop(loop);
  state->shared.work_done = NULL;
  state->batch.count = 0;
  uv__wake_fork(loop);
  uv__hook_loop_fork(loop);
  return uv__loop_os_fork(loop);
}

int uv_loop_configure(uv_loop_t* loop, uv_loop_option option, ...) {
  struct uv__loop_state* state = uv__loop_state(loop);
  int err = 0;
  va_list ap;

  va_start(ap, option);
  switch (option) {
  case UV_LOOP_BLOCK_SIGNAL:
    err = uv__loop_os_block_signal(loop, va_arg(ap, int));
    break;
  case UV_METRICS_IDLE_TIME:
    state->flags |= UV__LOOP_IDLE_TIME;
    break;
  case UV_LOOP_USE_IO_URING_SQPOLL:
    state->flags |= UV__LOOP_WANT_SQPOLL;
    break;
  default: /* unknown, or from a newer header */
    err = UV_ENOSYS;
    break;
  }
  va_end(ap);
  return err;
}
