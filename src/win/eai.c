/* SPDX-License-Identifier: MIT */
/* Resolver errors. Windows returns Winsock's, and names some of them EAI_*. */
#include "win/eai.h"
#include "base.h"

static const struct {
  int sys_error;
  int err;
} rows[] = {
  { WSAEAFNOSUPPORT, UV_EAI_FAMILY },
  { WSAEINVAL, UV_EAI_BADFLAGS },
  { WSAESOCKTNOSUPPORT, UV_EAI_SOCKTYPE },
  { WSAHOST_NOT_FOUND, UV_EAI_NONAME },
  { WSANO_DATA, UV_EAI_NODATA },
  { WSANO_RECOVERY, UV_EAI_FAIL },
  { WSATRY_AGAIN, UV_EAI_AGAIN },
  { WSATYPE_NOT_FOUND, UV_EAI_SERVICE },
  { WSA_NOT_ENOUGH_MEMORY, UV_EAI_MEMORY },
};

int uv__eai_error(int sys_error) {
  if (sys_error == 0)
    return 0;
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
    if (rows[i].sys_error == sys_error)
      return rows[i].err;
  return uv_translate_sys_error(sys_error);
}
