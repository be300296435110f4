/* SPDX-License-Identifier: MIT */
/* The system's error numbers: on Unix a code is a negated errno. */
#include "base.h"

/* Codes that are UV_E* already pass unchanged. Context: any. */
int uv_translate_sys_error(int sys_errno) {
  return sys_errno <= 0 ? sys_errno : -sys_errno;
}

int uv_fs_get_system_error(const uv_fs_t* req) {
  return (int) -req->result;
}
