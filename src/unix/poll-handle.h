/* SPDX-License-Identifier: MIT */
/* uv_poll_t: the functions that io.c and handle-class.c call. */
#ifndef UV_UNIX_POLL_HANDLE_H_
#define UV_UNIX_POLL_HANDLE_H_

#include "os/poll-handle.h"
#include "unix/io.h"

/* io.c: the fd of a poll handle is ready. */
void uv__poll_handle_io(uv_loop_t* loop, uv__io_t* w, unsigned events);

enum uv__close_result uv__poll_handle_close(uv_handle_t* handle);
int uv__poll_handle_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

#endif /* UV_UNIX_POLL_HANDLE_H_ */
