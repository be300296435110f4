/* SPDX-License-Identifier: MIT */
/* Handle classes: what the platform supplies to handle.c. */
#ifndef UV_OS_HANDLE_CLASS_H_
#define UV_OS_HANDLE_CLASS_H_

#include "handle.h"

/* The classes that need nothing of the platform: timer.c, loop-watcher.c,
 * fs-poll.c. */
enum uv__close_result uv__timer_close(uv_handle_t* handle);
enum uv__close_result uv__idle_close(uv_handle_t* handle);
enum uv__close_result uv__prepare_close(uv_handle_t* handle);
enum uv__close_result uv__check_close(uv_handle_t* handle);
enum uv__close_result uv__fs_poll_close(uv_handle_t* handle);

/* Indexed by uv_handle_type; abstract types have no close(). Defined in the
 * handle-class.c of each platform. */
extern const struct uv__handle_class uv__handle_classes[UV_HANDLE_TYPE_MAX];

/* The close phase: finishes the handles in loop->closing_handles. Not shared,
 * because libuv's platforms differ in what a close callback sees of handles
 * that wait for theirs, and in when a handle that it closes is reported. */
void uv__handle_os_run_closing(uv_loop_t* loop);

/* SO_SNDBUF or SO_RCVBUF of a TCP, UDP or pipe handle: queried if *value is 0,
 * otherwise set. 0, UV_EBADF without a socket, or UV_E*. */
int uv__handle_os_buffer_size(uv_handle_t* handle, int option, int* value);

#endif /* UV_OS_HANDLE_CLASS_H_ */
