/* SPDX-License-Identifier: MIT */
/* The handle classes of unix. */
#include "os/handle-class.h"
#include "handle-finish.h"
#include "os/fs-event.h"
#include "unix/async.h"
#include "unix/poll-handle.h"
#include "unix/process.h"
#include "unix/signal.h"
#include "unix/stream.h"
#include "unix/udp.h"

/* close, finish, get_fd. The missing types are abstract. */
const struct uv__handle_class uv__handle_classes[UV_HANDLE_TYPE_MAX] = {
  [UV_ASYNC] = { uv__async_close, NULL, NULL },
  [UV_CHECK] = { uv__check_close, NULL, NULL },
  [UV_FS_EVENT] = { uv__fs_event_close, NULL, NULL },
  [UV_FS_POLL] = { uv__fs_poll_close, NULL, NULL },
  [UV_IDLE] = { uv__idle_close, NULL, NULL },
  [UV_NAMED_PIPE] = { uv__pipe_close, uv__stream_finish, uv__stream_fileno },
  [UV_POLL] = { uv__poll_handle_close, NULL, uv__poll_handle_fileno },
  [UV_PREPARE] = { uv__prepare_close, NULL, NULL },
  [UV_PROCESS] = { uv__process_close, NULL, NULL },
  [UV_SIGNAL] = { uv__signal_close, uv__signal_finish, NULL },
  [UV_TCP] = { uv__tcp_close, uv__stream_finish, uv__stream_fileno },
  [UV_TIMER] = { uv__timer_close, NULL, NULL },
  [UV_TTY] = { uv__tty_close, uv__stream_finish, uv__stream_fileno },
  [UV_UDP] = { uv__udp_close, uv__udp_finish, uv__udp_fileno },
};

/* Takes all handles at once: those that a callback closes are reported in the
 * next iteration. uv_has_ref() of a closed handle is 0. */
void uv__handle_os_run_closing(uv_loop_t* loop) {
  uv_handle_t* handle = loop->closing_handles;
  loop->closing_handles = NULL;

  while (handle != NULL) {
    uv_handle_t* next = handle->next_closing;
    uv__handle_finish(loop, handle, UV__REF);
    handle = next;
  }
}
