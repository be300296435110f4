/* SPDX-License-Identifier: MIT */
/* Network interfaces and their addresses.
 *
 * getifaddrs() returns one entry per address and one per link. The result has
 * an entry for each IPv4 and IPv6 address of an interface that is up and
 * running, with the hardware address of its link. It is one block: the entries,
 * then their names. Context: any.
 */
#include "unix/sock.h"
#include "os/system.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "util/alloc.h"
#include "util/out-string.h"

#include <limits.h>
#include <net/if.h>
#include <string.h>

#if UV__HAVE_AF_PACKET
# include <netpacket/packet.h>
#endif
#if UV__HAVE_AF_LINK
# include <net/if_dl.h>
#endif

static int is_usable(const struct ifaddrs* entry) {
  unsigned int wanted = IFF_UP | IFF_RUNNING;
  return entry->ifa_addr != NULL && (entry->ifa_flags & wanted) == wanted;
}

static int is_internet(const struct ifaddrs* entry) {
  if (!is_usable(entry))
    return 0;
  int family = entry->ifa_addr->sa_family;
  return family == AF_INET || family == AF_INET6;
}

/* Bytes of the hardware address of a link entry, or NULL for others. */
#if UV__HAVE_AF_PACKET
static const void* link_address(const struct ifaddrs* entry) {
  if (!is_usable(entry) || entry->ifa_addr->sa_family != AF_PACKET)
    return NULL;
  return ((const struct sockaddr_ll*) (const void*) entry->ifa_addr)->sll_addr;
}
#elif UV__HAVE_AF_LINK
static const void* link_address(const struct ifaddrs* entry) {
  if (!is_usable(entry) || entry->ifa_addr->sa_family != AF_LINK)
    return NULL;
  const struct sockaddr_dl* link;
  link = (const struct sockaddr_dl*) (const void*) entry->ifa_addr;
  return link->sdl_alen < 6 ? NULL : LLADDR(link);
}
#else
static const void* link_address(const struct ifaddrs* entry) {
  (void) entry;
  return NULL;
}
#endif

/* An alias ("eth0:1") has no link of its own. */
static int same_device(const char* name, const char* device) {
  size_t len = strcspn(name, ":");
  return strncmp(name, device, len) == 0 && device[len] == '\0';
}

static const void* link_find(const struct ifaddrs* list, const char* name) {
  for (const struct ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    const void* bytes = link_address(entry);
    if (bytes != NULL && same_device(name, entry->ifa_name))
      return bytes;
  }
  return NULL;
}

/* Copies an IPv4 or IPv6 address; `to` has room for either and is zero. */
static void address_copy(void* to, const struct sockaddr* from, int family) {
  if (from == NULL)
    return;
  size_t size = sizeof(struct sockaddr_in);
  if (family == AF_INET6)
    size = sizeof(struct sockaddr_in6);
  memcpy(to, from, size);
}

static void entry_fill(uv_interface_address_t* to,
                       const struct ifaddrs* from,
                       const struct ifaddrs* list) {
  int family = from->ifa_addr->sa_family;
  memset(to, 0, sizeof(*to));
  address_copy(&to->address, from->ifa_addr, family);
  address_copy(&to->netmask, from->ifa_netmask, family);
  to->is_internal = (from->ifa_flags & IFF_LOOPBACK) != 0;

  const void* hardware = link_find(list, from->ifa_name);
  if (hardware != NULL)
    memcpy(to->phys_addr, hardware, sizeof(to->phys_addr));
}

static int entries_build(const struct ifaddrs* list,
                         uv_interface_address_t** addresses,
                         int* count) {
  size_t total = 0;
  size_t bytes = 0;
  for (const struct ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    if (!is_internet(entry))
      continue;
    total++;
    bytes += strlen(entry->ifa_name) + 1;
  }
  if (total == 0)
    return 0;
  if (total > INT_MAX)
    return UV_E2BIG;

  uv_interface_address_t* block = uv__malloc(total * sizeof(*block) + bytes);
  if (block == NULL)
    return UV_ENOMEM;

  char* text = (char*) (block + total);
  uv_interface_address_t* to = block;
  for (const struct ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    if (!is_internet(entry))
      continue;
    entry_fill(to, entry, list);
    size_t size = strlen(entry->ifa_name) + 1;
    to->name = memcpy(text, entry->ifa_name, size);
    text += size;
    to++;
  }
  *addresses = block;
  *count = (int) total;
  return 0;
}

int uv__os_interface_addresses(uv_interface_address_t** addresses, int* count) {
  struct ifaddrs* list = NULL;
  if (getifaddrs(&list) != 0)
    return uv__errno();
  int err = entries_build(list, addresses, count);
  freeifaddrs(list);
  return err;
}

int uv__os_if_indextoname(unsigned int ifindex, char* buffer, size_t* size) {
  char name[IF_NAMESIZE];
  if (if_indextoname(ifindex, name) == NULL)
    return uv__errno();
  return uv__out_string_put(name, strnlen(name, sizeof(name)), buffer, size);
}

/* Scoped IPv6 addresses name their interface on unix. */
int uv__os_if_indextoiid(unsigned int ifindex, char* buffer, size_t* size) {
  return uv__os_if_indextoname(ifindex, buffer, size);
}

/* The scope of a link-local address on an interface that is up, or 0. */
static uint32_t link_scope(const struct ifaddrs* entry) {
  if (!(entry->ifa_flags & IFF_UP) || entry->ifa_addr == NULL ||
      entry->ifa_addr->sa_family != AF_INET6)
    return 0;
  const struct sockaddr_in6* addr =
      (const struct sockaddr_in6*) (const void*) entry->ifa_addr;
  return IN6_IS_ADDR_LINKLOCAL(&addr->sin6_addr) ? addr->sin6_scope_id : 0;
}

uint32_t uv__ifaddrs_link_scope(const struct ifaddrs* list) {
  uint32_t loopback = 0;

  for (const struct ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    uint32_t scope = link_scope(entry);
    if (scope != 0 && !(entry->ifa_flags & IFF_LOOPBACK))
      return scope;
    if (loopback == 0)
      loopback = scope;
  }
  return loopback;
}
