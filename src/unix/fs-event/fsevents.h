/* SPDX-License-Identifier: MIT */
/* Watching paths through the FSEvents service instead of open files;
 * fs-event/kqueue.c tries this first. */
#ifndef UV_UNIX_FS_EVENT_FSEVENTS_H_
#define UV_UNIX_FS_EVENT_FSEVENTS_H_

#include "util/base.h"

/* fs-event/fsevents.c. Like the uv__fs_event_os_* functions of fs-event.h;
 * uv__fsevents_start() returns UV_ENOTSUP if it leaves the path to kqueue. */
void uv__fsevents_init(uv_fs_event_t* handle);
int uv__fsevents_start(uv_fs_event_t* handle, unsigned int flags);
void uv__fsevents_stop(uv_fs_event_t* handle);
void uv__fsevents_init_loop(uv_loop_t* loop);
void uv__fsevents_close_loop(uv_loop_t* loop);
int uv__fsevents_fork(uv_loop_t* loop);

#endif /* UV_UNIX_FS_EVENT_FSEVENTS_H_ */
