/* SPDX-License-Identifier: MIT */
#ifndef UV_FS_POLL_H_
#define UV_FS_POLL_H_

#include "handle.h"

/* Answers "after" until the timers of all its pollers are closed. */
enum uv__close_answer uv__fs_poll_close(uv_handle_t* handle);

#endif /* UV_FS_POLL_H_ */
