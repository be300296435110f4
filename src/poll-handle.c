/* SPDX-License-Identifier: MIT */
/* Poll handle API: readiness of a descriptor that belongs to the program.
 * Level-triggered; starting again replaces the events.
 */
#include "os/poll-handle.h"
#include "loop/check.h"
#include "misuse.h"

int uv_poll_init_socket(uv_loop_t* loop,
                        uv_poll_t* handle,
                        uv_os_sock_t socket) {
  if (loop == NULL || handle == NULL)
    return UV_EINVAL;

  int err = uv__poll_os_init(loop, handle, socket);
  if (err != 0)
    return err;
  uv__handle_init(loop, uv__base(handle), UV_POLL);
  handle->poll_cb = NULL;
  return 0;
}

int uv_poll_init(uv_loop_t* loop, uv_poll_t* handle, int fd) {
  return uv_poll_init_socket(loop, handle, uv__poll_os_socket(fd));
}

int uv_poll_start(uv_poll_t* handle, int events, uv_poll_cb cb) {
  if (uv__is_closing(uv__base(handle)) || (events & ~UV__POLL_EVENTS) ||
      (events != 0 && cb == NULL))
    return uv__misuse_refuse(UV__RULE_POLL_START, handle, UV_EINVAL);
  uv__debug_check(
      uv__loop_check_thread(handle->loop, UV__RULE_POLL_THREAD, handle));

  int err = uv__poll_os_check(handle);
  if (err != 0)
    return err;
  if (events == 0)
    return uv_poll_stop(handle);
  err = uv__poll_os_start(handle, events);
  if (err != 0)
    return err;
  handle->poll_cb = cb;
  uv__handle_start(uv__base(handle));
  return 0;
}

int uv_poll_stop(uv_poll_t* handle) {
  uv__poll_os_stop(handle);
  uv__handle_stop(uv__base(handle));
  return 0;
}
