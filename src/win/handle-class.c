/* SPDX-License-Identifier: MIT */
/* The table of handle types on Windows. */
#include "os/handle-class.h"
#include "handle-finish.h"
#include "win/async.h"
#include "win/fs.h"
#include "win/pipe.h"
#include "win/poll-handle.h"
#include "win/process.h"
#include "win/signal.h"
#include "win/tcp.h"
#include "win/tty.h"
#include "win/udp.h"

/* close, finish, get_fd. Missing types are abstract. */
const struct uv__handle_class uv__handle_classes[UV_HANDLE_TYPE_MAX] = {
  [UV_ASYNC] = { uv__async_close, NULL, NULL },
  [UV_CHECK] = { uv__check_close, NULL, NULL },
  [UV_FS_EVENT] = { uv__fs_event_win_close, NULL, NULL },
  [UV_FS_POLL] = { uv__fs_poll_close, NULL, NULL },
  [UV_IDLE] = { uv__idle_close, NULL, NULL },
  [UV_NAMED_PIPE] = { uv__pipe_close, uv__pipe_finish, uv__pipe_fileno },
  [UV_POLL] = { uv__poll_handle_close, NULL, uv__poll_handle_fileno },
  [UV_PREPARE] = { uv__prepare_close, NULL, NULL },
  [UV_PROCESS] = { uv__process_close, uv__process_finish, NULL },
  [UV_SIGNAL] = { uv__signal_close, uv__signal_finish, NULL },
  [UV_TCP] = { uv__tcp_close, uv__stream_finish, uv__tcp_fileno },
  [UV_TIMER] = { uv__timer_close, NULL, NULL },
  [UV_TTY] = { uv__tty_close, uv__tty_finish, uv__tty_fileno },
  [UV_UDP] = { uv__udp_close, NULL, uv__udp_fileno },
};

/* Takes one handle at a time: the others keep the loop alive until it is their
 * turn, and one that a callback closes comes next. A handle keeps its
 * reference. All of this is as in libuv on Windows. */
void uv__handle_os_run_closing(uv_loop_t* loop) {
  while (loop->closing_handles != NULL) {
    uv_handle_t* handle = loop->closing_handles;
    loop->closing_handles = handle->next_closing;
    uv__handle_finish(loop, handle, 0);
  }
}
