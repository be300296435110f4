/* SPDX-License-Identifier: MIT */
/* Which poller a loop gets: there is one. */
#include "poller.h"

#include <string.h>

extern const struct uv__poller uv__poller_iocp;

const struct uv__poller* const uv__pollers[] = { &uv__poller_iocp, NULL };

const struct uv__poller* uv__poller_find(const char* name) {
  return strcmp(name, uv__poller_iocp.name) == 0 ? &uv__poller_iocp : NULL;
}

const struct uv__poller* uv__poller_choose(void) {
  return &uv__poller_iocp;
}
