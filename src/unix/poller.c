/* SPDX-License-Identifier: MIT */
/* Which poller a loop gets. */
#include "poller.h"
#include "unix/os.h"

#include <stdlib.h>
#include <string.h>

extern const struct uv__poller uv__poller_epoll;
extern const struct uv__poller uv__poller_kqueue;
extern const struct uv__poller uv__poller_poll;
extern const struct uv__poller uv__poller_select;

const struct uv__poller* const uv__pollers[] = {
#if UV__HAVE_EPOLL
  &uv__poller_epoll,
#endif
#if UV__HAVE_KQUEUE
  &uv__poller_kqueue,
#endif
  &uv__poller_poll,
  &uv__poller_select,
  NULL,
};

const struct uv__poller* uv__poller_find(const char* name) {
  for (size_t i = 0; uv__pollers[i] != NULL; i++)
    if (strcmp(uv__pollers[i]->name, name) == 0)
      return uv__pollers[i];
  return NULL;
}

const struct uv__poller* uv__poller_choose(void) {
  const char* name = getenv("UV_POLLER");
  const struct uv__poller* poller = NULL;

  if (name != NULL)
    poller = uv__poller_find(name);
  return poller != NULL ? poller : uv__pollers[0];
}
