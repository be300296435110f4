/* SPDX-License-Identifier: MIT */
/* addr.c: whole socket addresses, zones included. */
#include "unit.h"

#include "os/addr.h"

#include <stdio.h>
#include <string.h>

#if TEST_POSIX
# include "unix/sock.h"

# include <net/if.h>
# include <sys/un.h>
#endif

UNIT_TEST(addr_ip4) {
  struct sockaddr_in addr;
  char text[16];

  memset(&addr, 0x55, sizeof(addr));
  CHECK_EQ(0, uv_ip4_addr("192.168.0.1", 0x1234, &addr));
  CHECK_EQ(AF_INET, addr.sin_family);
  CHECK_EQ(0x1234, ntohs(addr.sin_port));
  CHECK_EQ(0xC0A80001u, ntohl(addr.sin_addr.s_addr));
  CHECK_MEM("\0\0\0\0\0\0\0\0", addr.sin_zero, 8);
  CHECK_EQ(0, uv_ip4_name(&addr, text, sizeof(text)));
  CHECK_STR("192.168.0.1", text);
  CHECK_EQ(UV_ENOSPC, uv_ip4_name(&addr, text, 11));

  CHECK_EQ(UV_EINVAL, uv_ip4_addr("255", 1, &addr));
  CHECK_EQ(AF_INET, addr.sin_family); /* complete anyway */
  CHECK_EQ(0, addr.sin_addr.s_addr);
  CHECK_EQ(UV_EINVAL, uv_ip4_addr("::1", 1, &addr));
  CHECK_EQ(UV_EINVAL, uv_ip4_addr(NULL, 1, &addr));
  CHECK_EQ(UV_EINVAL, uv_ip4_addr("1.2.3.4", 1, NULL));
}

UNIT_TEST(addr_ip6) {
  struct sockaddr_in6 addr;
  char text[46];

  memset(&addr, 0x55, sizeof(addr));
  CHECK_EQ(0, uv_ip6_addr("fe80::1", 65535, &addr));
  CHECK_EQ(AF_INET6, addr.sin6_family);
  CHECK_EQ(65535, ntohs(addr.sin6_port));
  CHECK_EQ(0, addr.sin6_flowinfo);
  CHECK_EQ(0, addr.sin6_scope_id);
  CHECK_EQ(0, uv_ip6_name(&addr, text, sizeof(text)));
  CHECK_STR("fe80::1", text);
  CHECK_EQ(UV_ENOSPC, uv_ip6_name(&addr, text, 7));

  CHECK_EQ(UV_EINVAL, uv_ip6_addr("zz", 1, &addr));
  CHECK_EQ(AF_INET6, addr.sin6_family);
  CHECK_EQ(0, addr.sin6_scope_id);
  CHECK_EQ(UV_EINVAL, uv_ip6_addr("1.2.3.4", 1, &addr));
  CHECK_EQ(UV_EINVAL, uv_ip6_addr(NULL, 1, &addr));
  CHECK_EQ(UV_EINVAL, uv_ip6_addr("::", 1, NULL));
}

static uint32_t scope_of(const char* zone) {
  char text[128];
  struct sockaddr_in6 addr;
  snprintf(text, sizeof(text), "fe80::1%%%s", zone);
  CHECK_ROW(uv_ip6_addr(text, 0, &addr) == 0, text);
  CHECK_EQ(0xFE, addr.sin6_addr.s6_addr[0]);
  CHECK_EQ(1, addr.sin6_addr.s6_addr[15]);
  return addr.sin6_scope_id;
}

UNIT_TEST(addr_ip6_zone_number) {
  CHECK_EQ(0, scope_of(""));
  CHECK_EQ(0, scope_of("0"));
  CHECK_EQ(7, scope_of("7"));
  CHECK_EQ(7, scope_of("007"));
  CHECK_EQ(4294967295u, scope_of("4294967295"));
  CHECK_EQ(0, scope_of("4294967296"));
  CHECK_EQ(0, scope_of("99999999999999999999999999"));
  CHECK_EQ(0, scope_of("1x"));
  CHECK_EQ(0, scope_of("-1"));
  CHECK_EQ(0, scope_of("+1"));
  CHECK_EQ(0, scope_of(" 1"));
  CHECK_EQ(0, scope_of("0x1"));
  CHECK_EQ(0, scope_of("no-such-interface"));
  CHECK_EQ(0, scope_of("a-name-longer-than-any-interface-may-have-0123456789"));
}

#if TEST_POSIX
UNIT_TEST(addr_ip6_zone_name) {
  unsigned count = 0;
  struct if_nameindex* all = if_nameindex();
  if (all == NULL)
    SKIP("the system lists no network interfaces");

  for (struct if_nameindex* i = all; i->if_index != 0; i++, count++)
    CHECK_EQ(i->if_index, scope_of(i->if_name));
  if_freenameindex(all);
  if (count == 0)
    SKIP("there is no network interface");
}
#endif

/* The longest possible address keeps its zone. */
UNIT_TEST(addr_ip6_longest_with_zone) {
  struct sockaddr_in6 addr;
  CHECK_EQ(0, uv_ip6_addr("1111:2222:3333:4444:5555:6666:255.255.255.255%9", 0,
                          &addr));
  CHECK_EQ(9, addr.sin6_scope_id);
  CHECK_EQ(0x66, addr.sin6_addr.s6_addr[11]);
  CHECK_EQ(255, addr.sin6_addr.s6_addr[15]);
}

UNIT_TEST(addr_ip_name) {
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } addr;
  char text[46];

  CHECK_EQ(0, uv_ip4_addr("1.2.3.4", 1, &addr.v4));
  CHECK_EQ(0, uv_ip_name(&addr.any, text, sizeof(text)));
  CHECK_STR("1.2.3.4", text);
  CHECK_EQ(0, uv_ip6_addr("::ffff:1.2.3.4", 1, &addr.v6));
  CHECK_EQ(0, uv_ip_name(&addr.any, text, sizeof(text)));
  CHECK_STR("::ffff:1.2.3.4", text);
  addr.any.sa_family = AF_UNIX;
  CHECK_EQ(UV_EAFNOSUPPORT, uv_ip_name(&addr.any, text, sizeof(text)));
  CHECK_EQ(UV_EINVAL, uv_ip_name(NULL, text, sizeof(text)));
}

UNIT_TEST(addr_len) {
  struct sockaddr addr = { .sa_family = AF_INET };
  CHECK_EQ(sizeof(struct sockaddr_in), uv__addr_os_len(&addr));
  addr.sa_family = AF_INET6;
  CHECK_EQ(sizeof(struct sockaddr_in6), uv__addr_os_len(&addr));
#if TEST_POSIX
  addr.sa_family = AF_UNIX;
  CHECK_EQ(sizeof(struct sockaddr_un), uv__addr_os_len(&addr));
#endif
  addr.sa_family = AF_UNSPEC;
  CHECK_EQ(0, uv__addr_os_len(&addr));
}

#if TEST_POSIX
/* An entry with a link-local address, or with ::1 for scope 0. */
static struct ifaddrs make_entry(struct sockaddr_in6* addr,
                                 unsigned flags,
                                 uint32_t scope) {
  struct ifaddrs entry;

  memset(&entry, 0, sizeof(entry));
  CHECK_EQ(0, uv_ip6_addr(scope != 0 ? "fe80::1" : "::1", 0, addr));
  addr->sin6_scope_id = scope;
  entry.ifa_flags = flags;
  entry.ifa_addr = (struct sockaddr*) addr;
  return entry;
}

/* Loopback counts like any other interface if there is no other: FreeBSD's has
 * a link-local address. */
UNIT_TEST(addr_link_local_scope) {
  struct sockaddr_in6 addrs[5];
  struct ifaddrs list[6];

  list[0] = make_entry(&addrs[0], IFF_UP | IFF_LOOPBACK, 0);
  list[1] = make_entry(&addrs[1], IFF_UP | IFF_LOOPBACK, 1);
  list[2] = make_entry(&addrs[2], 0, 2); /* down */
  memset(&list[3], 0, sizeof(list[3]));
  list[3].ifa_flags = IFF_UP; /* no address */
  list[4] = make_entry(&addrs[3], IFF_UP, 3);
  list[5] = make_entry(&addrs[4], IFF_UP, 4);

  CHECK_EQ(0, uv__ifaddrs_link_scope(NULL));
  CHECK_EQ(0, uv__ifaddrs_link_scope(&list[0]));
  for (int i = 0; i < 3; i++)
    list[i].ifa_next = &list[i + 1];
  CHECK_EQ(1, uv__ifaddrs_link_scope(list));
  list[3].ifa_next = &list[4];
  list[4].ifa_next = &list[5];
  CHECK_EQ(3, uv__ifaddrs_link_scope(list));
}
#endif
