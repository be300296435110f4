/* SPDX-License-Identifier: MIT */
/* fs_event on unix: the functions of fs-event/inotify.c and fs-event/kqueue.c
 * that the loop and io.c call. */
#ifndef UV_UNIX_FS_EVENT_FS_EVENT_H_
#define UV_UNIX_FS_EVENT_FS_EVENT_H_

#include "os/fs-event.h"

/* A new loop: nothing is watched. */
void uv__fs_event_init_loop(uv_loop_t* loop);

/* The loop is closing; all handles are stopped. */
void uv__fs_event_close_loop(uv_loop_t* loop);

/* Child side of fork: watches the paths again. Handles whose path cannot be
 * watched receive no more events; returns the first error. */
int uv__fs_event_fork(uv_loop_t* loop);

/* The handler of UV__IO_FS_EVENT watchers. */
void uv__fs_event_io(uv_loop_t* loop, uv__io_t* w, unsigned events);

#endif /* UV_UNIX_FS_EVENT_FS_EVENT_H_ */
