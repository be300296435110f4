/* SPDX-License-Identifier: MIT */
/* Sockets that a service manager passes at start (systemd's socket activation):
 * LISTEN_FDS of them, from descriptor 3 on, for the process LISTEN_PID, called
 * as LISTEN_FDNAMES says, with a colon between two names. See sd_listen_fds(3).
 *
 * Context: any. */
#include "os/listener.h"
#include "util/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_FD 3
/* Of LISTEN_FDNAMES: more than an environment can hold. */
#define NAMES_SIZE_MAX (1u << 24)

/* A variable that is a number: UV_ENOENT, or UV_EINVAL. */
static int get_number(const char* variable, long* number) {
  char text[32];
  size_t size = sizeof(text);
  char* end;

  int err = uv_os_getenv(variable, text, &size);
  if (err != 0)
    return err == UV_ENOENT ? err : UV_EINVAL;
  if (text[0] < '0' || text[0] > '9')
    return UV_EINVAL;
  *number = strtol(text, &end, 10);
  return *end == '\0' && *number <= INT_MAX ? 0 : UV_EINVAL;
}

/* How many there are for this process. */
static int get_total(int* total) {
  long pid;
  long count;

  int err = get_number("LISTEN_PID", &pid);
  if (err != 0)
    return err;
  if (pid != (long) uv_os_getpid())
    return UV_ENOENT; /* they were our parent's */
  err = get_number("LISTEN_FDS", &count);
  if (err != 0)
    return err;
  if (count < 1)
    return UV_ENOENT;
  if (count > INT_MAX - FIRST_FD)
    return UV_EINVAL;
  *total = (int) count;
  return 0;
}

/* Allocates LISTEN_FDNAMES. */
static int get_names(char** names) {
  char first[256];
  size_t size = sizeof(first);

  int err = uv_os_getenv("LISTEN_FDNAMES", first, &size);
  if (err == 0) {
    *names = uv__strdup(first);
    return *names == NULL ? UV_ENOMEM : 0;
  }
  if (err != UV_ENOBUFS || size > NAMES_SIZE_MAX)
    return err;
  char* text = uv__malloc(size);
  if (text == NULL)
    return UV_ENOMEM;
  err = uv_os_getenv("LISTEN_FDNAMES", text, &size);
  if (err != 0)
    uv__free(text);
  else
    *names = text;
  return err;
}

/* Is the name at `*at` this one? Moves on to the next, or to NULL. */
static int take_name(const char** at, const char* name) {
  const char* end = strchr(*at, ':');
  size_t len = end == NULL ? strlen(*at) : (size_t) (end - *at);
  int is_equal = strlen(name) == len && memcmp(*at, name, len) == 0;

  *at = end == NULL ? NULL : end + 1;
  return is_equal;
}

/* Stores the sockets called `name`; `names` is NULL if there are no names. */
static int collect(int total,
                   const char* names,
                   const char* name,
                   uv_os_sock_t* socks,
                   unsigned* count) {
  unsigned room = *count;
  unsigned n = 0;

  for (int i = 0; i < total; i++) {
    uv_os_sock_t sock = UV__NO_SOCK;
    if (name != NULL && names == NULL)
      return UV_EINVAL; /* fewer names than sockets */
    int is_wanted = name == NULL || take_name(&names, name);
    /* Also those that are not asked for are closed by exec. */
    int kind = uv__listener_os_inherit(FIRST_FD + i, &sock);
    if (kind < 0)
      return kind;
    if (kind == 0 || !is_wanted)
      continue;
    if (n < room)
      socks[n] = sock;
    n++;
  }
  if (n == 0)
    return UV_ENOENT;
  *count = n;
  return n > room ? UV_ENOBUFS : 0;
}

int uvx_inherited_sockets(const char* name,
                          uv_os_sock_t* socks,
                          unsigned* count) {
  char* names = NULL;
  int total = 0;

  if (count == NULL || (socks == NULL && *count != 0))
    return UV_EINVAL;
  if (!uv__listener_os_can_inherit())
    return UV_ENOTSUP;
  int err = get_total(&total);
  if (err == 0 && name != NULL)
    err = get_names(&names);
  if (err != 0)
    return err;
  err = collect(total, names, name, socks, count);
  uv__free(names);
  return err;
}
