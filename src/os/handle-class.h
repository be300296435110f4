/* SPDX-License-Identifier: MIT */
/* What each handle type is on this platform. */
#ifndef UV_OS_HANDLE_CLASS_H_
#define UV_OS_HANDLE_CLASS_H_

#include "handle.h"

/* The close functions of types that are the same everywhere and have no header
 * of their own. */
enum uv__close_result uv__fs_poll_close(uv_handle_t* handle);

/* Indexed by uv_handle_type; no close() where the type is abstract. One array
 * per platform, in its handle-class.c. */
extern const struct uv__handle_class uv__handle_classes[UV_HANDLE_TYPE_MAX];

/* The close phase: finishes the handles in loop->closing_handles. libuv's
 * platforms differ in what a close callback sees of the handles that wait for
 * theirs, and in when a handle that it closes is reported. */
void uv__handle_os_run_closing(uv_loop_t* loop);

/* SO_SNDBUF or SO_RCVBUF of a TCP, UDP or pipe handle: stored if *value is 0,
 * else set. 0, UV_EBADF without a socket, UV_E*. */
int uv__handle_os_buffer_size(uv_handle_t* handle, int option, int* value);

#endif /* UV_OS_HANDLE_CLASS_H_ */
