/* SPDX-License-Identifier: MIT */
/* Resolving names and addresses with the system's resolver.
 *
 * Systems number and name the errors differently, hence a list of pairs instead
 * of an index. Copies of a result come from the C library's malloc(), whatever
 * the program replaced: programs call plain freeaddrinfo() on them.
 */
#include "unix/resolver.h"
#include "os/addr.h"
#include "os/resolver.h"
#include "unix/os.h"
#include "util/atomic.h"

#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

struct eai_pair {
  int native;
  int uv;
};

static const struct eai_pair eai_pairs[] = {
#ifdef EAI_ADDRFAMILY
  { EAI_ADDRFAMILY, UV_EAI_ADDRFAMILY },
#endif
  { EAI_AGAIN, UV_EAI_AGAIN },
  { EAI_BADFLAGS, UV_EAI_BADFLAGS },
#ifdef EAI_BADHINTS
  { EAI_BADHINTS, UV_EAI_BADHINTS },
#endif
#ifdef EAI_CANCELED
  { EAI_CANCELED, UV_EAI_CANCELED },
#endif
  { EAI_FAIL, UV_EAI_FAIL },
  { EAI_FAMILY, UV_EAI_FAMILY },
  { EAI_MEMORY, UV_EAI_MEMORY },
#ifdef EAI_NODATA
  { EAI_NODATA, UV_EAI_NODATA },
#endif
  { EAI_NONAME, UV_EAI_NONAME },
#ifdef EAI_OVERFLOW
  { EAI_OVERFLOW, UV_EAI_OVERFLOW },
#endif
#ifdef EAI_PROTOCOL
  { EAI_PROTOCOL, UV_EAI_PROTOCOL },
#endif
  { EAI_SERVICE, UV_EAI_SERVICE },
  { EAI_SOCKTYPE, UV_EAI_SOCKTYPE },
};

int uv__eai_error(int eai) {
  if (eai == 0)
    return 0;
  if (eai == EAI_SYSTEM && errno != 0) /* errno 0: unknown failure */
    return -errno;
  for (size_t i = 0; i < ARRAY_SIZE(eai_pairs); i++)
    if (eai_pairs[i].native == eai)
      return eai_pairs[i].uv;
  return UV_EAI_FAIL; /* newer than this table */
}

int uv__addrinfo_os_check(const struct uv__addr_query* query) {
  (void) query; /* anything may be asked */
  return 0;
}

int uv__addrinfo_os_resolve(const struct uv__addr_query* query,
                            struct addrinfo** list) {
  struct addrinfo* found = NULL;

  errno = 0; /* so that EAI_SYSTEM sees no stale value */
  int eai = getaddrinfo(query->host, query->service, query->hints, &found);
  if (eai == 0)
    *list = found;
  return uv__eai_error(eai);
}

#if UV__HAVE_ADDRINFO_COPY
/* What glibc assumes without hints. */
int uv__addrinfo_os_default_flags(void) {
  return AI_V4MAPPED | AI_ADDRCONFIG;
}

/* Returns where the object with `function` is mapped; NULL: no such object. */
static const void* base_of(void (*function)(void)) {
  void* address;
  Dl_info info;

  static_assert(sizeof(address) == sizeof(function), "as in POSIX");
  memcpy(&address, &function, sizeof(address));
  return dladdr(address, &info) == 0 ? NULL : info.dli_fbase;
}

/* A program, or a library that it preloads, may bring a freeaddrinfo() that
 * frees what its own getaddrinfo() makes. Nobody brings a gai_strerror(). */
int uv__addrinfo_os_can_copy(void) {
  static int answer; /* atomic: 0 until known, 1: yes, 2: no */
  int known = uv__load_relaxed(&answer);

  if (known == 0) {
    const void* libc = base_of((void (*)(void)) gai_strerror);
    known = base_of((void (*)(void)) freeaddrinfo) == libc ? 1 : 2;
    uv__store_relaxed(&answer, known);
  }
  return known == 1;
}

/* Copies one element: its address follows it in the same block, its name is a
 * block of its own. That is what glibc's freeaddrinfo() expects. */
static struct addrinfo* copy_element(const struct addrinfo* from) {
  struct addrinfo* to = malloc(sizeof(*to) + from->ai_addrlen);

  if (to == NULL)
    return NULL;
  *to = *from;
  to->ai_next = NULL;
  if (from->ai_addr != NULL) {
    to->ai_addr = (struct sockaddr*) (void*) (to + 1);
    memcpy(to->ai_addr, from->ai_addr, from->ai_addrlen);
  }
  if (from->ai_canonname != NULL) {
    to->ai_canonname = strdup(from->ai_canonname);
    if (to->ai_canonname == NULL) {
      free(to);
      return NULL;
    }
  }
  return to;
}

struct addrinfo* uv__addrinfo_os_copy(const struct addrinfo* list) {
  struct addrinfo* copy = NULL;
  struct addrinfo** end = &copy;

  for (; list != NULL; list = list->ai_next) {
    *end = copy_element(list);
    if (*end == NULL) {
      uv_freeaddrinfo(copy);
      return NULL;
    }
    end = &(*end)->ai_next;
  }
  return copy;
}
#else
int uv__addrinfo_os_default_flags(void) {
  return -1;
}

int uv__addrinfo_os_can_copy(void) {
  return 0;
}

struct addrinfo* uv__addrinfo_os_copy(const struct addrinfo* list) {
  (void) list;
  return NULL;
}
#endif

void uv_freeaddrinfo(struct addrinfo* ai) {
  if (ai != NULL)
    freeaddrinfo(ai);
}

int uv__nameinfo_os_resolve(const struct sockaddr* addr,
                            int flags,
                            char* host,
                            char* service) {
  errno = 0; /* so that EAI_SYSTEM sees no stale value */
  int eai = getnameinfo(addr, (socklen_t) uv__addr_os_len(addr), host,
                        NI_MAXHOST, service, NI_MAXSERV, flags);
  return uv__eai_error(eai);
}
