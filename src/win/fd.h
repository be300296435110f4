/* SPDX-License-Identifier: MIT */
/* C runtime descriptors that a stream takes over.
 *
 * The standard ones outlive the stream, which gets a duplicate of the handle.
 * Any other descriptor belongs to the stream from then on, and is closed
 * through the C runtime, which also frees its number.
 */
#ifndef UV_WIN_FD_H_
#define UV_WIN_FD_H_

#include "util/base.h"

#define UV__NO_FD (-1)

/* Process-wide initialisation and its end, called by loop.c. Outside, the debug
 * runtime reports. */
void uv__fd_init_process(void);
void uv__fd_cleanup(void);

/* The C runtime's _get_osfhandle(), _open_osfhandle() and _close(), without the
 * debug runtime's report for an invalid fd, by default a dialog. The first
 * returns INVALID_HANDLE_VALUE for fds without a handle. */
HANDLE uv__fd_handle(int fd);
int uv__fd_open(HANDLE handle, int flags);
int uv__fd_close(int fd);

/* The handle for `fd`, and in *owner the value for uv__fd_give_back(): 0 or
 * UV_E*. */
int uv__fd_take(uv_file fd, HANDLE* handle, int* owner);

/* Undoes uv__fd_take() for an unusable handle: `fd` stays open. */
void uv__fd_take_undo(HANDLE handle, int owner);

/* Closes it and clears both. */
void uv__fd_give_back(HANDLE* handle, int* owner);

#endif /* UV_WIN_FD_H_ */
