/* SPDX-License-Identifier: MIT */
/* Terminals: what the platform supplies to tty.c. Reading and writing are the
 * stream's (os/stream.h).
 */
#ifndef UV_OS_TTY_H_
#define UV_OS_TTY_H_

#include "handle.h"

/* Sets up the handle for the terminal behind fd. On failure (UV_EINVAL: not a
 * terminal) the handle is in no list of the loop and the caller keeps fd. */
int uv__tty_os_init(uv_loop_t* loop, uv_tty_t* tty, uv_file fd);

/* `mode` is valid. On failure nothing has changed. */
int uv__tty_os_set_mode(uv_tty_t* tty, uv_tty_mode_t mode);

/* Stores columns and lines, on success only. */
int uv__tty_os_get_winsize(const uv_tty_t* tty, int* width, int* height);

#endif /* UV_OS_TTY_H_ */
