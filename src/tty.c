/* SPDX-License-Identifier: MIT */
/* TTY API: argument checks. */
#include "os/tty.h"

int uv_tty_init(uv_loop_t* loop, uv_tty_t* tty, uv_file fd, int unused) {
  (void) unused; /* "readable" is ignored: the terminal's own mode decides */
  if (loop == NULL || tty == NULL)
    return UV_EINVAL;

  return uv__tty_os_init(loop, tty, fd);
}

static int is_mode(uv_tty_mode_t mode) {
  switch (mode) {
  case UV_TTY_MODE_NORMAL:
  case UV_TTY_MODE_RAW:
  case UV_TTY_MODE_IO:
  case UV_TTY_MODE_RAW_VT:
    return 1;
  }
  return 0;
}

int uv_tty_set_mode(uv_tty_t* tty, uv_tty_mode_t mode) {
  if (tty == NULL || !is_mode(mode))
    return UV_EINVAL;

  return uv__tty_os_set_mode(tty, mode);
}

int uv_tty_get_winsize(uv_tty_t* tty, int* width, int* height) {
  if (tty == NULL || width == NULL || height == NULL)
    return UV_EINVAL;

  return uv__tty_os_get_winsize(tty, width, height);
}
