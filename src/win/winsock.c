/* SPDX-License-Identifier: MIT */
/* Winsock is started once and stays until the process ends. */
#include "win/winsock.h"

static uv_once_t startup_once = UV_ONCE_INIT;
static int startup_error;

static void start_up(void) {
  WSADATA data;
  int sys_error = WSAStartup(MAKEWORD(2, 2), &data);

  startup_error = sys_error == 0 ? 0 : uv_translate_sys_error(sys_error);
}

int uv__winsock_startup(void) {
  uv_once(&startup_once, start_up);
  return startup_error;
}
