/* SPDX-License-Identifier: MIT */
/* Watching paths through a service of the system instead of open files: what
 * fs-event-kqueue.c asks first. Systems without one answer UV_ENOTSUP. */
#ifndef UV_UNIX_FSEVENTS_H_
#define UV_UNIX_FSEVENTS_H_

#include "base.h"
#include "unix/os.h"

#if UV__HAVE_FSEVENTS

/* darwin/fsevents.c. As the uv__fs_event_os_* functions of fs-event.h;
 * uv__fsevents_start() answers UV_ENOTSUP if it leaves the path to kqueue. */
void uv__fsevents_init(uv_fs_event_t* handle);
int uv__fsevents_start(uv_fs_event_t* handle, unsigned int flags);
void uv__fsevents_stop(uv_fs_event_t* handle);
void uv__fsevents_init_loop(uv_loop_t* loop);
void uv__fsevents_close_loop(uv_loop_t* loop);
int uv__fsevents_fork(uv_loop_t* loop);

#else

static inline void uv__fsevents_init(uv_fs_event_t* handle) {
  (void) handle;
}

static inline int uv__fsevents_start(uv_fs_event_t* handle,
                                     unsigned int flags) {
  (void) handle;
  (void) flags;
  return UV_ENOTSUP;
}

static inline void uv__fsevents_stop(uv_fs_event_t* handle) {
  (void) handle;
}

static inline void uv__fsevents_init_loop(uv_loop_t* loop) {
  (void) loop;
}

static inline void uv__fsevents_close_loop(uv_loop_t* loop) {
  (void) loop;
}

static inline int uv__fsevents_fork(uv_loop_t* loop) {
  (void) loop;
  return 0;
}

#endif

#endif /* UV_UNIX_FSEVENTS_H_ */
