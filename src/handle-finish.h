/* SPDX-License-Identifier: MIT */
/* The end of a handle, for the close phase in a platform's handle-class.c.
 * Inline, because programs close handles by the thousand. */
#ifndef UV_HANDLE_FINISH_H_
#define UV_HANDLE_FINISH_H_

#include "observe/callback.h"
#include "os/handle-class.h"

/* Was its memory left alone since uv_close()? It is read anyway. */
static inline int uv__handle_waits_for_close(const uv_handle_t* handle) {
  return (unsigned) handle->type < UV_HANDLE_TYPE_MAX &&
         (handle->flags & (UV__CLOSING | UV__CLOSED)) == UV__CLOSING;
}

/* Finishes a handle taken from loop->closing_handles: clears these flags and
 * runs close_cb, which may free the handle. H5: the loop is a parameter because
 * it is not read from the handle. */
static inline void uv__handle_finish(uv_loop_t* loop,
                                     uv_handle_t* handle,
                                     unsigned clear) {
  if (uv__unlikely(!uv__handle_waits_for_close(handle)))
    uv__misuse_end(UV__RULE_REUSED, handle);
  const struct uv__handle_class* class = &uv__handle_classes[handle->type];

  if (class->finish != NULL && class->finish(handle) == UV__FINISH_AGAIN) {
    uv__handle_push_closing(loop, handle);
    return;
  }

  handle->flags |= UV__CLOSED;
  handle->flags &= ~clear;
  uv__queue_unlink(&handle->handle_queue);

  /* Last: the callback may free the handle. */
  if (handle->close_cb != NULL)
    uv__call_close(loop, handle);
}

#endif /* UV_HANDLE_FINISH_H_ */
