/* SPDX-License-Identifier: MIT */
/* Name resolution with the system's resolver, in both directions.
 *
 * A getaddrinfo request owns one block (alloc) with copies of the hints, the
 * service and the host name in 16-bit form. The result is copied into a
 * separate block, because its strings must be UTF-8; uv_freeaddrinfo() frees
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

/* ---- getaddrinfo: request ---- */

void uv__getaddrinfo_os_resolve(uv_getaddrinfo_t* req) {
  struct addrinfoW* answer = NULL;
  int sys_error =
      GetAddrInfoW(req->node, req->service, req->addrinfow, &answer);

  req->retcode = eai_error(sys_error);
  if (req->retcode == 0 && answer != NULL)
    req->retcode = copy_answer(answer, &req->addrinfo);
  if (answer != NULL)
    FreeAddrInfoW(answer);
}

void uv__getaddrinfo_os_drop(uv_getaddrinfo_t* req) {
  uv__free(req->alloc);
  req->alloc = NULL;
  req->addrinfow = NULL;
  req->node = NULL;
  req->service = NULL;
}

/* Length of `text` in units with its NUL, 0 for NULL, or UV_EINVAL. */
static ssize_t wide_size(const char* text) {
  return text == NULL ? 0 : uv__wide_size(text);
}

static WCHAR* append_wide(WCHAR** at, const char* text, size_t units) {
  WCHAR* to = *at;

  if (text == NULL)
    return NULL;
  uv_wtf8_to_utf16(text, (uint16_t*) to, units);
  *at += units;
  return to;
}

int uv__getaddrinfo_os_pack(uv_getaddrinfo_t* req,
                            const char* host,
                            const char* service,
                            const struct addrinfo* hints) {
  int err = uv__winsock_startup();
  if (err != 0)
    return err;

  ssize_t service_units = wide_size(service);
  ssize_t host_units = wide_size(host);
  if (service_units < 0 || host_units < 0)
    return UV_EINVAL;

  size_t units = (size_t) service_units + (size_t) host_units;
  struct addrinfoW* block = uv__malloc(sizeof(*block) + units * sizeof(WCHAR));
  if (block == NULL)
    return UV_ENOMEM;
  WCHAR* at = (WCHAR*) (block + 1);
  req->alloc = block;
  req->addrinfow = NULL;
  req->service = append_wide(&at, service, (size_t) service_units);
  req->node = append_wide(&at, host, (size_t) host_units);
  if (hints == NULL)
    return 0;

  memset(block, 0, sizeof(*block));
  block->ai_flags = hints->ai_flags;
  block->ai_family = hints->ai_family;
  block->ai_socktype = hints->ai_socktype;
  block->ai_protocol = hints->ai_protocol;
  req->addrinfow = block;
  return 0;
}

void uv_freeaddrinfo(struct addrinfo* ai) {
  uv__free(ai);
}

/* ---- getnameinfo ---- */

/* Converts `wide` to UTF-8: 0 or UV_EAI_OVERFLOW. */
static int name_put(const WCHAR* wide, char* buffer, size_t size) {
  return uv__wide_put(wide, -1, buffer, &size) == 0 ? 0 : UV_EAI_OVERFLOW;
}

void uv__getnameinfo_os_resolve(uv_getnameinfo_t* req) {
  const struct sockaddr* addr = (const struct sockaddr*) &req->storage;
  WCHAR host[NI_MAXHOST];
  WCHAR service[NI_MAXSERV];

  req->retcode = uv__winsock_startup();
  if (req->retcode == 0)
    req->retcode = eai_error(GetNameInfoW(
        addr, (socklen_t) uv__addr_os_len(addr), host, ARRAY_SIZE(host),
        service, ARRAY_SIZE(service), req->flags));
  if (req->retcode == 0)
    req->retcode = name_put(host, req->host, sizeof(req->host));
  if (req->retcode == 0)
    req->retcode = name_put(service, req->service, sizeof(req->service));
}
