/* SPDX-License-Identifier: MIT */
/* Network interfaces and their addresses.
 *
 * The system lists adapters with their addresses; the result has an entry for
 * each address of an adapter that is up. It is one block: the entries, then the
 * names of the adapters. Context: any.
 */
#include "os/system.h"
#include "util/alloc.h"
#include "util/out-string.h"
#include "win/error.h"
#include "win/sock.h"
#include "win/wide.h"

#include <iphlpapi.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Adapters may appear between two calls: retry this often. */
#define TRIES_MAX 8
#define FIRST_GUESS (16 * 1024)

typedef IP_ADAPTER_ADDRESSES adapter_t;
typedef IP_ADAPTER_UNICAST_ADDRESS unicast_t;

/* The caller frees the list. NULL: there is none. */
static int adapters_get(adapter_t** out) {
  const ULONG flags = GAA_FLAG_SKIP_ANYCAST | GAA_FLAG_SKIP_MULTICAST |
                      GAA_FLAG_SKIP_DNS_SERVER;
  ULONG size = FIRST_GUESS;

  for (int tries = 0; tries < TRIES_MAX; tries++) {
    adapter_t* list = uv__malloc(size);
    if (list == NULL)
      return UV_ENOMEM;

    ULONG sys_error = GetAdaptersAddresses(AF_UNSPEC, flags, NULL, list, &size);
    if (sys_error == ERROR_SUCCESS) {
      *out = list;
      return 0;
    }
    uv__free(list);
    if (sys_error == ERROR_NO_DATA ||
        sys_error == ERROR_ADDRESS_NOT_ASSOCIATED) {
      *out = NULL;
      return 0;
    }
    if (sys_error != ERROR_BUFFER_OVERFLOW)
      return uv_translate_sys_error((int) sys_error);
  }
  return UV_ENOBUFS;
}

static int is_listed(const adapter_t* adapter) {
  return adapter->OperStatus == IfOperStatusUp &&
         adapter->FirstUnicastAddress != NULL;
}

/* `bits` ones, then zeros, in `size` bytes. */
static void mask_fill(unsigned char* mask, size_t size, unsigned int bits) {
  for (size_t i = 0; i < size; i++) {
    unsigned int here = bits > 8 ? 8 : bits;
    mask[i] = (unsigned char) (0xFF00u >> here);
    bits -= here;
  }
}

static void entry_fill(uv_interface_address_t* to,
                       const adapter_t* adapter,
                       const unicast_t* unicast) {
  const struct sockaddr* addr = unicast->Address.lpSockaddr;
  unsigned int prefix = unicast->OnLinkPrefixLength;

  memset(to, 0, sizeof(*to));
  to->is_internal = adapter->IfType == IF_TYPE_SOFTWARE_LOOPBACK;
  if (adapter->PhysicalAddressLength == sizeof(to->phys_addr))
    memcpy(to->phys_addr, adapter->PhysicalAddress, sizeof(to->phys_addr));

  if (addr->sa_family == AF_INET6) {
    memcpy(&to->address, addr, sizeof(struct sockaddr_in6));
    to->netmask.netmask6.sin6_family = AF_INET6;
    mask_fill((unsigned char*) &to->netmask.netmask6.sin6_addr,
              sizeof(to->netmask.netmask6.sin6_addr), prefix);
  } else {
    memcpy(&to->address, addr, sizeof(struct sockaddr_in));
    to->netmask.netmask4.sin_family = AF_INET;
    mask_fill((unsigned char*) &to->netmask.netmask4.sin_addr,
              sizeof(to->netmask.netmask4.sin_addr), prefix);
  }
}

struct extent {
  size_t entries;
  size_t bytes; /* of names */
};

static size_t name_size(const adapter_t* adapter) {
  const uint16_t* name = (const uint16_t*) adapter->FriendlyName;
  return uv_utf16_length_as_wtf8(name, -1) + 1;
}

static struct extent addresses_measure(const adapter_t* list) {
  struct extent extent = { 0, 0 };

  for (const adapter_t* a = list; a != NULL; a = a->Next) {
    if (!is_listed(a))
      continue;
    extent.bytes += name_size(a);
    for (const unicast_t* u = a->FirstUnicastAddress; u != NULL; u = u->Next)
      extent.entries++;
  }
  return extent;
}

static void address_fill(uv_interface_address_t* to,
                         const adapter_t* list,
                         char* text) {
  for (const adapter_t* a = list; a != NULL; a = a->Next) {
    if (!is_listed(a))
      continue;
    size_t size = name_size(a);
    size_t room = size;
    (void) uv__wide_put(a->FriendlyName, -1, text, &room); /* measured */
    for (const unicast_t* u = a->FirstUnicastAddress; u != NULL; u = u->Next) {
      entry_fill(to, a, u);
      to->name = text;
      to++;
    }
    text += size;
  }
}

int uv__os_interface_addresses(uv_interface_address_t** addresses, int* count) {
  adapter_t* list = NULL;
  int err = adapters_get(&list);
  if (err != 0)
    return err;

  struct extent extent = addresses_measure(list);
  if (extent.entries > INT_MAX) {
    err = UV_E2BIG;
  } else if (extent.entries > 0) {
    size_t table = extent.entries * sizeof(**addresses);
    *addresses = uv__malloc(table + extent.bytes);
    err = *addresses == NULL ? UV_ENOMEM : 0;
  }
  if (err == 0 && extent.entries > 0) {
    address_fill(*addresses, list, (char*) (*addresses + extent.entries));
    *count = (int) extent.entries;
  }
  uv__free(list);
  return err;
}

int uv__os_if_indextoname(unsigned int ifindex, char* buffer, size_t* size) {
  NET_LUID luid;
  ULONG sys_error = ConvertInterfaceIndexToLuid(ifindex, &luid);
  if (sys_error != 0)
    return uv_translate_sys_error((int) sys_error); /* ENOENT, as in libuv */

  WCHAR name[NDIS_IF_MAX_STRING_SIZE + 1];
  sys_error = ConvertInterfaceLuidToNameW(&luid, name, ARRAY_SIZE(name));
  if (sys_error != 0)
    return uv_translate_sys_error((int) sys_error);
  return uv__wide_put(name, -1, buffer, size);
}

/* Scoped IPv6 addresses use the interface's number. */
int uv__os_if_indextoiid(unsigned int ifindex, char* buffer, size_t* size) {
  char text[16];
  int len = snprintf(text, sizeof(text), "%u", ifindex);
  return uv__out_string_put(text, (size_t) len, buffer, size);
}
