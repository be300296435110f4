/* SPDX-License-Identifier: MIT */
/* Descriptors of the C runtime that become a stream's.
 *
 * The standard ones outlive the stream, which gets a copy of the handle; any
 * other is the stream's from then on and goes back through the C runtime, so
 * that its number becomes free as well.
 */
#ifndef UV_WIN_FD_H_
#define UV_WIN_FD_H_

#include "base.h"

#define UV__NO_FD (-1)

/* The C runtime's _get_osfhandle(), _open_osfhandle() and _close(), without the
 * report that its debug version makes of an fd that is not open: a dialog by
 * default. The first answers INVALID_HANDLE_VALUE for fds without a handle. */
HANDLE uv__fd_handle(int fd);
int uv__fd_open(HANDLE handle, int flags);
int uv__fd_close(int fd);

/* The handle for `fd`, and in *owner what uv__fd_give_back() needs:
 * 0 or UV_E*. */
int uv__fd_take(uv_file fd, HANDLE* handle, int* owner);

/* Undoes a take whose handle turned out to be of no use: `fd` stays open. */
void uv__fd_refuse(HANDLE handle, int owner);

/* Closes it and marks both as gone. */
void uv__fd_give_back(HANDLE* handle, int* owner);

#endif /* UV_WIN_FD_H_ */
