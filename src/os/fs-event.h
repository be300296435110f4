/* SPDX-License-Identifier: MIT */
/* Watching a path for changes.
 *
 * fs-event.c checks arguments and state and keeps a copy of the path. The
 * platform detects changes and calls handle->cb.
 */
#ifndef UV_OS_FS_EVENT_H_
#define UV_OS_FS_EVENT_H_

#include "handle.h"

enum uv__close_result uv__fs_event_close(uv_handle_t* handle);

/* Implemented by the platform. */

/* Puts the private fields into the state of a handle that watches nothing. */
void uv__fs_event_os_init(uv_fs_event_t* handle);

/* Begins to watch handle->path: 0 or UV_E*, with nothing left behind. */
int uv__fs_event_os_start(uv_fs_event_t* handle, unsigned int flags);

/* Ends it; handle->path is still there. Called from callbacks too, also from
 * those of other handles of the same path. */
void uv__fs_event_os_stop(uv_fs_event_t* handle);

#endif /* UV_OS_FS_EVENT_H_ */
