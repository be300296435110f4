/* SPDX-License-Identifier: MIT */
/* Random bytes from the system. Context: any | worker. */
#include "os/random.h"
#include "win/error.h"
#include "win/winapi.h"

/* BCRYPT_USE_SYSTEM_PREFERRED_RNG. */
#define PREFERRED_RNG 0x2

static int random_fill(unsigned char* buf, ULONG len) {
  const struct uv__winapi* api = uv__winapi();

  if (api->BCryptGenRandom != NULL)
    return uv__status_error(
        api->BCryptGenRandom(NULL, buf, len, PREFERRED_RNG));
  if (api->RtlGenRandom != NULL)
    return api->RtlGenRandom(buf, len) ? 0 : UV_EIO;
  return UV_ENOSYS;
}

int uv__random_os_fill(void* buf, size_t buflen) {
  /* The caller limits lengths to less than 2 GiB. */
  return buflen == 0 ? 0 : random_fill(buf, (ULONG) buflen);
}
