/* SPDX-License-Identifier: MIT */
/* Chooses the poller of a loop. */
#include "os/poller.h"
#include "unix/os.h"
#include "util/env.h"

#include <string.h>

/* Longer than any name. */
#define NAME_SIZE 16

extern const struct uv__poller uv__poller_epoll;
extern const struct uv__poller uv__poller_kqueue;
extern const struct uv__poller uv__poller_poll;
extern const struct uv__poller uv__poller_select;

const struct uv__poller* const uv__poller_os_list[] = {
#if UV__HAVE_EPOLL
  &uv__poller_epoll,
#endif
#if UV__HAVE_KQUEUE
  &uv__poller_kqueue,
#endif
  &uv__poller_poll,   &uv__poller_select, NULL,
};

const struct uv__poller* uv__poller_os_find(const char* name) {
  for (size_t i = 0; uv__poller_os_list[i] != NULL; i++)
    if (strcmp(uv__poller_os_list[i]->name, name) == 0)
      return uv__poller_os_list[i];
  return NULL;
}

const struct uv__poller* uv__poller_os_choose(void) {
  char name[NAME_SIZE];
  const struct uv__poller* poller = NULL;

  if (uv__env_get("UV_POLLER", name, sizeof(name)) == 0)
    poller = uv__poller_os_find(name);
  return poller != NULL ? poller : uv__poller_os_list[0];
}
