/* SPDX-License-Identifier: MIT */
/* Async handles on Windows: a send posts the handle's own request to the port.
 *
 * So callbacks run in the order of the sends, between the other requests that
 * completed at the time, and programs that embed a loop see a packet per send.
 * `pending` is set from the first send until the request is taken from the
 * pending list: sends in between are merged, and there is never more than one
 * request in the port.
 *
 * uv_close() of a handle with a request in the port waits for it. A sender does
 * not touch the handle or the loop after it has posted, and before that its
 * request is still to come, so closing needs no other synchronisation.
 *
 * Context: uv_async_send() any; the rest is the loop's thread.
 */
#include "win/async.h"
#include "loop/state.h"
#include "observe/callback.h"
#include "os/async.h"
#include "util/atomic.h"
#include "util/wait.h"
#include "win/overlapped.h"

void uv__async_os_init_loop(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  state->shared.busy = 0;
  /* Not used here; loop/check.c looks at them. */
  uv__queue_init(&state->asyncs.list);
  uv__queue_init(&state->asyncs.ready);
}

/* A worker needs only a few more instructions to leave the loop. */
void uv__async_os_close_loop(uv_loop_t* loop) {
  /* Pairs with uv__work_push_done(). */
  const unsigned* busy = &uv__loop_state(loop)->shared.busy;

  for (unsigned turn = 0; uv__load_acquire(busy) != 0; turn++)
    uv__wait_turn(turn);
}

/* Never called: there is no fork. */
void uv__async_os_fork(uv_loop_t* loop) {
  (void) loop;
}

int uv_async_init(uv_loop_t* loop, uv_async_t* handle, uv_async_cb async_cb) {
  uv__handle_init(loop, uv__base(handle), UV_ASYNC);
  uv__req_init_own(&handle->async_req, UV_WAKEUP, handle);
  handle->async_cb = async_cb;
  handle->pending = 0;
  uv__handle_start(uv__base(handle));
  return 0;
}

int uv_async_send(uv_async_t* handle) {
  /* Release: what the sender wrote is visible to the callback. Pairs with the
   * exchange in uv__async_done(), also for senders that find it already set. */
  if (uv__fetch_or(&handle->pending, 1) != 0)
    return 0;
  uv__hook_async_sent(handle);

  uv__req_post(handle->loop, &handle->async_req);
  return 0;
}

void uv__async_done(uv_handle_t* base, uv_req_t* req) {
  uv_async_t* handle = (uv_async_t*) base;

  (void) req;
  if (uv__is_closing(base)) {
    uv__handle_close_later_done(base);
    return;
  }
  /* Cleared before the callback, so that a send during it causes another call.
   * Pairs with uv_async_send(). */
  uv__exchange(&handle->pending, 0);
  if (handle->async_cb != NULL)
    uv__call_async(handle);
}

enum uv__close_result uv__async_close(uv_handle_t* base) {
  uv_async_t* handle = (uv_async_t*) base;

  uv__handle_stop(base);
  /* Stays set, so that later sends do nothing. */
  return uv__fetch_or(&handle->pending, 1) != 0 ? UV__CLOSE_LATER
                                                : UV__CLOSE_DONE;
}
