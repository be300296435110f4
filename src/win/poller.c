/* SPDX-License-Identifier: MIT */
/* Which poller a loop gets: there is one. */
#include "os/poller.h"

#include <string.h>

extern const struct uv__poller uv__poller_iocp;

const struct uv__poller* const uv__poller_os_list[] = {
  &uv__poller_iocp,
  NULL,
};

const struct uv__poller* uv__poller_os_find(const char* name) {
  return strcmp(name, uv__poller_iocp.name) == 0 ? &uv__poller_iocp : NULL;
}

const struct uv__poller* uv__poller_os_choose(void) {
  return &uv__poller_iocp;
}
