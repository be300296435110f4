/* SPDX-License-Identifier: MIT */
/* idle, prepare and check handles: three lists of the loop, one mechanism.
 * A newly started handle goes to the front, so callbacks run last-in first-out.
 */
#include "loop-watcher.h"
#include "loop/loop.h"
#include "misuse.h"
#include "observe/callback.h"
#include "os/handle-class.h"

/* The node of a handle is in its list, or the round of watcher_run(), exactly
 * while the handle is active.
 *
 * Returns 1 if this call started the handle, 0 if it was already started (it
 * keeps its callback), or UV_EINVAL. */
static int watcher_start(uv_handle_t* handle,
                         struct uv__queue* node,
                         struct uv__queue* list,
                         int has_cb) {
  if (uv__is_active(handle))
    return 0; /* whatever the callback */
  if (!has_cb || uv__is_closing(handle))
    return UV_EINVAL;

  uv__handle_start(handle);
  uv__queue_push_front(list, node);
  return 1;
}

static int watcher_stop(uv_handle_t* handle, struct uv__queue* node) {
  if (!uv__is_active(handle))
    return 0;
  uv__handle_stop(handle);
  uv__queue_unlink(node);
  return 0;
}

/* Runs every handle that is started now once, unless an earlier callback stops
 * it.
 */
static void watcher_run(struct uv__queue* list,
                        void (*call)(struct uv__queue* node)) {
  struct uv__queue round;
  uv__queue_move(&round, list);

  while (!uv__queue_empty(&round)) {
    struct uv__queue* node = uv__queue_shift(&round);
    uv__queue_push_back(list, node);
    call(node);
  }
}

int uv_idle_init(uv_loop_t* loop, uv_idle_t* handle) {
  uv__handle_init(loop, uv__base(handle), UV_IDLE);
  handle->idle_cb = NULL;
  return 0;
}

int uv_idle_start(uv_idle_t* handle, uv_idle_cb cb) {
  int r = watcher_start(uv__base(handle), &handle->queue,
                        &handle->loop->idle_handles, cb != NULL);
  if (r < 0)
    return uv__misuse_refuse(UV__RULE_IDLE_START, handle, r);
  if (r == 1) {
    handle->idle_cb = cb;
    uv__loop_changed(handle->loop);
  }
  return 0;
}

int uv_idle_stop(uv_idle_t* handle) {
  return watcher_stop(uv__base(handle), &handle->queue);
}

static void call_idle(struct uv__queue* node) {
  uv_idle_t* handle = container_of(node, uv_idle_t, queue);
  uv__call_idle(handle);
}

void uv__run_idle(uv_loop_t* loop) {
  watcher_run(&loop->idle_handles, call_idle);
}

enum uv__close_result uv__idle_close(uv_handle_t* handle) {
  assert(handle->type == UV_IDLE);
  uv_idle_stop((uv_idle_t*) handle);
  return UV__CLOSE_DONE;
}

int uv_prepare_init(uv_loop_t* loop, uv_prepare_t* handle) {
  uv__handle_init(loop, uv__base(handle), UV_PREPARE);
  handle->prepare_cb = NULL;
  return 0;
}

int uv_prepare_start(uv_prepare_t* handle, uv_prepare_cb cb) {
  int r = watcher_start(uv__base(handle), &handle->queue,
                        &handle->loop->prepare_handles, cb != NULL);
  if (r == 1)
    handle->prepare_cb = cb;
  else if (r < 0)
    return uv__misuse_refuse(UV__RULE_PREPARE_START, handle, r);
  return 0;
}

int uv_prepare_stop(uv_prepare_t* handle) {
  return watcher_stop(uv__base(handle), &handle->queue);
}

static void call_prepare(struct uv__queue* node) {
  uv_prepare_t* handle = container_of(node, uv_prepare_t, queue);
  uv__call_prepare(handle);
}

void uv__run_prepare(uv_loop_t* loop) {
  watcher_run(&loop->prepare_handles, call_prepare);
}

enum uv__close_result uv__prepare_close(uv_handle_t* handle) {
  assert(handle->type == UV_PREPARE);
  uv_prepare_stop((uv_prepare_t*) handle);
  return UV__CLOSE_DONE;
}

int uv_check_init(uv_loop_t* loop, uv_check_t* handle) {
  uv__handle_init(loop, uv__base(handle), UV_CHECK);
  handle->check_cb = NULL;
  return 0;
}

int uv_check_start(uv_check_t* handle, uv_check_cb cb) {
  int r = watcher_start(uv__base(handle), &handle->queue,
                        &handle->loop->check_handles, cb != NULL);
  if (r == 1)
    handle->check_cb = cb;
  else if (r < 0)
    return uv__misuse_refuse(UV__RULE_CHECK_START, handle, r);
  return 0;
}

int uv_check_stop(uv_check_t* handle) {
  return watcher_stop(uv__base(handle), &handle->queue);
}

static void call_check(struct uv__queue* node) {
  uv_check_t* handle = container_of(node, uv_check_t, queue);
  uv__call_check(handle);
}

void uv__run_check(uv_loop_t* loop) {
  watcher_run(&loop->check_handles, call_check);
}

enum uv__close_result uv__check_close(uv_handle_t* handle) {
  assert(handle->type == UV_CHECK);
  uv_check_stop((uv_check_t*) handle);
  return UV__CLOSE_DONE;
}
