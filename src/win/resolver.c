/* SPDX-License-Identifier: MIT */
/* Name resolution with the system's resolver, in both directions.
 *
 * The query is converted to 16-bit text for the call. The result is copied into
 * a block of ours, because its strings must be UTF-8; uv_freeaddrinfo() frees
 * that block.
 */
#include "os/resolver.h"
#include "os/addr.h"
#include "util/alloc.h"
#include "win/sock.h"
#include "win/wide.h"

#include <string.h>

/* ---- errors: Winsock's; some of them have aliases named EAI_* ---- */

static const struct {
  int sys_error;
  int err;
} eai_rows[] = {
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

/* Translates the return value of a resolver function to UV_EAI_*; 0 for 0. */
static int eai_error(int sys_error) {
  if (sys_error == 0)
    return 0;
  for (size_t i = 0; i < ARRAY_SIZE(eai_rows); i++)
    if (eai_rows[i].sys_error == sys_error)
      return eai_rows[i].err;
  return uv_translate_sys_error(sys_error);
}

/* Alignment of addresses and names in the block. */
#define ALIGNMENT sizeof(void*)

static size_t align_size(size_t size) {
  return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- getaddrinfo: result ---- */

/* The UTF-8 size of the canonical name with its NUL, or 0 if there is none. */
static size_t name_size(const struct addrinfoW* from) {
  if (from->ai_canonname == NULL)
    return 0;
  return uv_utf16_length_as_wtf8((const uint16_t*) from->ai_canonname, -1) + 1;
}

static size_t answer_size(const struct addrinfoW* list) {
  size_t size = 0;

  for (; list != NULL; list = list->ai_next)
    size += align_size(sizeof(struct addrinfo)) + align_size(list->ai_addrlen) +
            align_size(name_size(list));
  return size;
}

/* Copies one element to `at`; returns where the next one goes. */
static char* copy_element(char* at, const struct addrinfoW* from) {
  struct addrinfo* to = (struct addrinfo*) (void*) at;
  size_t name_room = name_size(from);

  memset(to, 0, sizeof(*to));
  to->ai_flags = from->ai_flags;
  to->ai_family = from->ai_family;
  to->ai_socktype = from->ai_socktype;
  to->ai_protocol = from->ai_protocol;
  to->ai_addrlen = from->ai_addrlen;
  at += align_size(sizeof(*to));

  if (from->ai_addrlen > 0) {
    to->ai_addr = (struct sockaddr*) (void*) at;
    memcpy(at, from->ai_addr, from->ai_addrlen);
    at += align_size(from->ai_addrlen);
  }
  if (name_room > 0) {
    to->ai_canonname = at;
    size_t len = name_room - 1;
    (void) uv_utf16_to_wtf8((const uint16_t*) from->ai_canonname, -1,
                            &to->ai_canonname, &len); /* measured before */
    at += align_size(name_room);
  }
  return at;
}

/* 0 or UV_EAI_MEMORY. */
static int copy_answer(const struct addrinfoW* list, struct addrinfo** out) {
  struct addrinfo** link = out;
  char* at = uv__malloc(answer_size(list));

  if (at == NULL)
    return UV_EAI_MEMORY;
  for (; list != NULL; list = list->ai_next) {
    *link = (struct addrinfo*) (void*) at;
    link = &(*link)->ai_next;
    at = copy_element(at, list);
  }
  return 0;
}

/* Frees what a list consists of: one block. */
void uv_freeaddrinfo(struct addrinfo* ai) {
  uv__free(ai);
}

/* ---- getaddrinfo: copies of a result ---- */

/* Seen with Wine: AI_V4MAPPED | AI_ADDRCONFIG. Not seen with Windows. */
int uv__addrinfo_os_default_flags(void) {
  return -1;
}

/* Programs free lists with uv_freeaddrinfo(), as documented. */
int uv__addrinfo_os_can_copy(void) {
  return 1;
}

/* The size of a list that was made by copy_answer(). */
static size_t list_size(const struct addrinfo* list) {
  size_t size = 0;

  for (; list != NULL; list = list->ai_next) {
    size += align_size(sizeof(*list)) + align_size(list->ai_addrlen);
    if (list->ai_canonname != NULL)
      size += align_size(strlen(list->ai_canonname) + 1);
  }
  return size;
}

/* The place in the copy of what is at `at` in the list; NULL for NULL. */
static void* moved(const struct addrinfo* list,
                   struct addrinfo* copy,
                   const void* at) {
  if (at == NULL)
    return NULL;
  return (char*) copy + ((const char*) at - (const char*) list);
}

struct addrinfo* uv__addrinfo_os_copy(const struct addrinfo* list) {
  size_t size = list_size(list);
  struct addrinfo* copy = size == 0 ? NULL : uv__malloc(size);

  if (copy == NULL)
    return NULL;
  memcpy(copy, list, size);
  for (struct addrinfo* at = copy; at != NULL; at = at->ai_next) {
    at->ai_addr = moved(list, copy, at->ai_addr);
    at->ai_canonname = moved(list, copy, at->ai_canonname);
    at->ai_next = moved(list, copy, at->ai_next);
  }
  return copy;
}

/* ---- getaddrinfo: query ---- */

/* Length of `text` in units with its NUL, 0 for NULL, or UV_EINVAL. */
static ssize_t wide_size(const char* text) {
  return text == NULL ? 0 : uv__wide_size(text);
}

int uv__addrinfo_os_check(const struct uv__addr_query* query) {
  int err = uv__winsock_startup();
  if (err != 0)
    return err;
  return wide_size(query->service) < 0 || wide_size(query->host) < 0 ? UV_EINVAL
                                                                     : 0;
}

static WCHAR* append_wide(WCHAR** at, const char* text, size_t units) {
  WCHAR* to = *at;

  if (text == NULL)
    return NULL;
  uv_wtf8_to_utf16(text, (uint16_t*) to, units);
  *at += units;
  return to;
}

/* A query in the system's form; `text` has the host and the service. */
struct wide_query {
  const struct addrinfoW* hints;
  const WCHAR* host;
  const WCHAR* service;
  struct addrinfoW hints_copy;
  WCHAR text[1];
};

/* The caller frees it; NULL: no memory. */
static struct wide_query* wide_query_new(const struct uv__addr_query* query) {
  size_t service_units = (size_t) wide_size(query->service); /* checked */
  size_t host_units = (size_t) wide_size(query->host);
  struct wide_query* wide = uv__calloc(
      1, sizeof(*wide) + (service_units + host_units) * sizeof(WCHAR));

  if (wide == NULL)
    return NULL;
  WCHAR* at = wide->text;
  wide->service = append_wide(&at, query->service, service_units);
  wide->host = append_wide(&at, query->host, host_units);
  if (query->hints == NULL)
    return wide;

  wide->hints_copy.ai_flags = query->hints->ai_flags;
  wide->hints_copy.ai_family = query->hints->ai_family;
  wide->hints_copy.ai_socktype = query->hints->ai_socktype;
  wide->hints_copy.ai_protocol = query->hints->ai_protocol;
  wide->hints = &wide->hints_copy;
  return wide;
}

int uv__addrinfo_os_resolve(const struct uv__addr_query* query,
                            struct addrinfo** list) {
  struct addrinfoW* answer = NULL;
  struct wide_query* wide = wide_query_new(query);

  if (wide == NULL)
    return UV_EAI_MEMORY;
  int err =
      eai_error(GetAddrInfoW(wide->host, wide->service, wide->hints, &answer));
  uv__free(wide);
  if (err == 0 && answer != NULL)
    err = copy_answer(answer, list);
  if (answer != NULL)
    FreeAddrInfoW(answer);
  return err;
}

/* ---- getnameinfo ---- */

/* Converts `wide` to UTF-8: 0 or UV_EAI_OVERFLOW. */
static int name_put(const WCHAR* wide, char* buffer, size_t size) {
  return uv__wide_put(wide, -1, buffer, &size) == 0 ? 0 : UV_EAI_OVERFLOW;
}

int uv__nameinfo_os_resolve(const struct sockaddr* addr,
                            int flags,
                            char* host,
                            char* service) {
  WCHAR wide_host[NI_MAXHOST];
  WCHAR wide_service[NI_MAXSERV];

  int err = uv__winsock_startup();
  if (err == 0)
    err = eai_error(GetNameInfoW(addr, (socklen_t) uv__addr_os_len(addr),
                                 wide_host, ARRAY_SIZE(wide_host), wide_service,
                                 ARRAY_SIZE(wide_service), flags));
  if (err == 0)
    err = name_put(wide_host, host, NI_MAXHOST);
  if (err == 0)
    err = name_put(wide_service, service, NI_MAXSERV);
  return err;
}
