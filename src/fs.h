/* SPDX-License-Identifier: MIT */
/* The entry point of every file request; os/fs.h has the rules F1-F3. */
#ifndef UV_FS_H_
#define UV_FS_H_

#include "os/fs.h"

/* Starts a request. Returns the result (no callback), 0 (queued; the
 * callback will run) or UV_E* (refused; the callback will not run). */
int uv__fs_start(uv_loop_t* loop,
                 uv_fs_t* req,
                 const struct uv__fs_args* args,
                 uv_fs_cb cb);

/* Implements uv_cancel() for file requests. */
int uv__fs_cancel(uv_fs_t* req);

#endif /* UV_FS_H_ */
