/* SPDX-License-Identifier: MIT */
/* Error numbers: on unix a code is a negated errno. */
#include "util/base.h"

/* UV_E* codes pass unchanged. Context: any. */
int uv_translate_sys_error(int sys_errno) {
  return sys_errno <= 0 ? sys_errno : -sys_errno;
}

int uv_fs_get_system_error(const uv_fs_t* req) {
  return (int) -req->result;
}
