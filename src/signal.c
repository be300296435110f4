/* SPDX-License-Identifier: MIT */
/* Signal API: argument checks, one-shot handles. */
#include "os/signal.h"
#include "misuse.h"
#include "observe/callback.h"

int uv_signal_init(uv_loop_t* loop, uv_signal_t* handle) {
  if (loop == NULL || handle == NULL)
    return UV_EINVAL;

  uv__handle_init(loop, uv__base(handle), UV_SIGNAL);
  handle->signal_cb = NULL;
  handle->signum = 0;
  uv__signal_os_init(handle);
  return 0;
}

static int signal_start(uv_signal_t* handle,
                        uv_signal_cb cb,
                        int signum,
                        int one_shot) {
  if (cb == NULL || signum == 0 || uv__is_closing(uv__base(handle)))
    return uv__misuse_refuse(UV__RULE_SIGNAL_START, handle, UV_EINVAL);

  /* Only the callback changes, as in libuv. */
  if (handle->signum == signum) {
    handle->signal_cb = cb;
    return 0;
  }

  int err = uv__signal_os_check(signum);
  if (err != 0)
    return err;
  /* It stays stopped if the new signal is refused. */
  (void) uv_signal_stop(handle); /* cannot fail */
  err = signum < 0 ? UV_EINVAL : uv__signal_os_start(handle, signum, one_shot);
  if (err != 0)
    return err;

  handle->signal_cb = cb;
  /* Never cleared, as in libuv: a one-shot handle stays one-shot. */
  if (one_shot)
    handle->flags |= UV__SIGNAL_ONE_SHOT;
  uv__handle_start(uv__base(handle));
  return 0;
}

int uv_signal_start(uv_signal_t* handle, uv_signal_cb cb, int signum) {
  return signal_start(handle, cb, signum, 0);
}

int uv_signal_start_oneshot(uv_signal_t* handle, uv_signal_cb cb, int signum) {
  return signal_start(handle, cb, signum, 1);
}

int uv_signal_stop(uv_signal_t* handle) {
  if (handle->signum == 0)
    return 0;

  uv__signal_os_stop(handle);
  uv__handle_stop(uv__base(handle));
  return 0;
}

void uv__signal_report(uv_signal_t* handle, int signum) {
  /* Set already in a call from its own callback, by a nested uv_run(). */
  unsigned is_nested = handle->flags & UV__SIGNAL_REPORTING;

  handle->flags |= UV__SIGNAL_REPORTING;
  uv__call_signal(handle, signum);
  /* Also if the callback has started it again, as in libuv. */
  if (handle->flags & UV__SIGNAL_ONE_SHOT)
    (void) uv_signal_stop(handle); /* cannot fail */
  if (!is_nested)
    handle->flags &= ~(unsigned) UV__SIGNAL_REPORTING;
}

enum uv__finish_result uv__signal_finish(uv_handle_t* handle) {
  return handle->flags & UV__SIGNAL_REPORTING ? UV__FINISH_AGAIN
                                              : UV__FINISH_DONE;
}
