/* SPDX-License-Identifier: MIT */
/* Terminals: what tty.c asks of the platform. The rest of
 * what a terminal does is a stream's.
 */
#ifndef UV_OS_TTY_H_
#define UV_OS_TTY_H_

#include "handle.h"

/* Sets the handle up on the terminal behind fd. On failure (UV_EINVAL: it is
 * none) the handle is in no list of the loop and fd is the caller's. */
int uv__tty_os_init(uv_loop_t* loop, uv_tty_t* tty, uv_file fd);

/* `mode` is one of the enumeration's. 0 or UV_E*, then nothing has changed. */
int uv__tty_os_set_mode(uv_tty_t* tty, uv_tty_mode_t mode);

/* Columns and lines; stored on success only. */
int uv__tty_os_get_winsize(const uv_tty_t* tty, int* width, int* height);

#endif /* UV_OS_TTY_H_ */
