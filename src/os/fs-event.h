/* SPDX-License-Identifier: MIT */
/* Watching a path for changes: what the platform supplies to fs-event.c, which
 * checks arguments and state and keeps a copy of the path.
 */
#ifndef UV_OS_FS_EVENT_H_
#define UV_OS_FS_EVENT_H_

#include "handle.h"
#include "uv/ext.h"

enum uv__close_result uv__fs_event_close(uv_handle_t* handle);

/* Implemented by the platform. */

/* Initialises the private fields. */
void uv__fs_event_os_init(uv_fs_event_t* handle);

/* Starts watching handle->path, with handle->cb set. The handle is active: the
 * filter may stop it, which is no error. 0, or UV_E* with nothing left behind.
 */
int uv__fs_event_os_start(uv_fs_event_t* handle, unsigned int flags);

/* Stops watching; handle->path is still valid. Callbacks call this too, also
 * for other handles on the same path. */
void uv__fs_event_os_stop(uv_fs_event_t* handle);

/* For recursive watching on this system; the handle is not active. UV_ENOTSUP
 * if the system asks nobody. */
int uv__fs_event_os_filter(uv_fs_event_t* handle, uvx_fs_event_filter_cb cb);

/* The directories of an active handle that are not watched yet. */
size_t uv__fs_event_os_unscanned(const uv_fs_event_t* handle);

#endif /* UV_OS_FS_EVENT_H_ */
