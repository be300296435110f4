/* SPDX-License-Identifier: MIT */
/* The builder and the parser of UDP's control messages. Expected bytes come
 * from the system's own macros; hostile input is in memory of its exact size,
 * so that the sanitizers see any byte read behind it. */
#include "unit.h"

#include "unix/udp-control.h"
#include "unix/cmsg.h"
#include "unix/udp-names.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static struct msghdr message_of(void* control, size_t len) {
  struct msghdr msg;

  memset(&msg, 0, sizeof(msg));
  msg.msg_control = len > 0 ? control : NULL;
  msg.msg_controllen = (socklen_t) len;
  return msg;
}

/* The only message of this level and type. */
static const void* find(struct msghdr* msg, int level, int type, size_t size) {
  const void* found = NULL;

  for (struct cmsghdr* c = CMSG_FIRSTHDR(msg); c != NULL;
       c = uv__cmsg_next(msg, c))
    if (c->cmsg_level == level && c->cmsg_type == type) {
      CHECK(found == NULL);
      CHECK(c->cmsg_len == CMSG_LEN(size));
      found = CMSG_DATA(c);
    }
  return found;
}

static struct uv__udp_options options_of(unsigned flags, const char* src) {
  struct uv__udp_options options;

  memset(&options, 0, sizeof(options));
  options.flags = flags;
  options.tos = 0x2e;
  options.segment_size = 1200;
  if (src != NULL) {
    options.has_src = 1;
    options.is_src_v6 = strchr(src, ':') != NULL;
    CHECK(inet_pton(options.is_src_v6 ? AF_INET6 : AF_INET, src, options.src) ==
          1);
  }
  return options;
}

UNIT_TEST(udp_control_nothing_asked_is_nothing_sent) {
  union uv__udp_control_out control;
  struct uv__udp_options options = options_of(0, NULL);

  for (int path = UV__UDP_PATH_V4; path <= UV__UDP_PATH_MAPPED; path++)
    CHECK(uv__udp_control_fill(&control, &options, (enum uv__udp_path) path) ==
          0);
}

UNIT_TEST(udp_control_of_ipv6) {
  union uv__udp_control_out control;
  struct uv__udp_options options =
      options_of(UVX_UDP_TOS | UVX_UDP_PKTINFO, "2001:db8::7");
  int tos;
  struct in6_pktinfo pktinfo;

  options.ifindex = 3;
  int len = uv__udp_control_fill(&control, &options, UV__UDP_PATH_V6);
  CHECK(len > 0);
  struct msghdr msg = message_of(&control, (size_t) len);
  memcpy(&tos, find(&msg, IPPROTO_IPV6, IPV6_TCLASS, sizeof(tos)), sizeof(tos));
  CHECK(tos == 0x2e);
  memcpy(&pktinfo, find(&msg, IPPROTO_IPV6, IPV6_PKTINFO, sizeof(pktinfo)),
         sizeof(pktinfo));
  CHECK_MEM(options.src, &pktinfo.ipi6_addr, 16);
  CHECK(pktinfo.ipi6_ifindex == 3);
}

UNIT_TEST(udp_control_source_of_other_family) {
  union uv__udp_control_out control;
  struct uv__udp_options v4 = options_of(UVX_UDP_PKTINFO, "10.0.0.1");
  struct uv__udp_options v6 = options_of(UVX_UDP_PKTINFO, "::1");
  struct uv__udp_options mapped =
      options_of(UVX_UDP_PKTINFO, "::ffff:10.0.0.1");

  CHECK(uv__udp_control_fill(&control, &v6, UV__UDP_PATH_V4) == UV_EINVAL);
  CHECK(uv__udp_control_fill(&control, &v4, UV__UDP_PATH_V6) == UV_EINVAL);
  CHECK(uv__udp_control_fill(&control, &mapped, UV__UDP_PATH_V6) == UV_EINVAL);
  CHECK(uv__udp_control_fill(&control, &v4, UV__UDP_PATH_V4) > 0);
  CHECK(uv__udp_control_fill(&control, &mapped, UV__UDP_PATH_V4) > 0);
}

UNIT_TEST(udp_control_of_mapped_addresses) {
  union uv__udp_control_out control;
  struct uv__udp_options options =
      options_of(UVX_UDP_TOS | UVX_UDP_PKTINFO, "::ffff:10.0.0.1");
  int len = uv__udp_control_fill(&control, &options, UV__UDP_PATH_MAPPED);

  if (!UV__HAVE_MAPPED_OPTIONS) {
    CHECK(len == UV_ENOTSUP);
    return;
  }
  struct msghdr msg = message_of(&control, (size_t) len);
  CHECK(find(&msg, IPPROTO_IP, IP_TOS, sizeof(int)) != NULL);
  CHECK(find(&msg, IPPROTO_IPV6, IPV6_TCLASS, sizeof(int)) == NULL);
}

/* Adds a message; returns the length with it. */
static size_t put(char* room,
                  size_t used,
                  int level,
                  int type,
                  const void* value,
                  size_t size) {
  struct cmsghdr header;

  memset(room + used, 0, CMSG_SPACE(size));
  memset(&header, 0, sizeof(header));
  header.cmsg_level = level;
  header.cmsg_type = type;
  header.cmsg_len = CMSG_LEN(size);
  memcpy(room + used, &header, sizeof(header));
  memcpy(room + used + CMSG_LEN(0), value, size);
  return used + CMSG_SPACE(size);
}

static uvx_udp_recv_info_t parse(const void* control, size_t len) {
  uvx_udp_recv_info_t info;
  struct msghdr msg = message_of((void*) control, len);

  memset(&info, 0, sizeof(info));
  uv__udp_control_parse(&msg, &info);
  return info;
}

/* One byte or an int, as systems differ. */
UNIT_TEST(udp_control_numbers_of_both_sizes) {
  char room[256];
  unsigned char byte = 0xfe;
  int number = 0xb8;

  size_t used = put(room, 0, IPPROTO_IP, IP_TOS, &byte, 1);
  used = put(room, used, IPPROTO_IPV6, IPV6_HOPLIMIT, &number, sizeof(number));
  uvx_udp_recv_info_t info = parse(room, used);
  CHECK(info.valid == (UVX_UDP_TOS | UVX_UDP_TTL));
  CHECK(info.tos == 0xfe);
  CHECK(info.ttl == 0xb8);

  used = put(room, 0, IPPROTO_IP, IP_TOS, &number, sizeof(number));
  used = put(room, used, IPPROTO_IP, IP_TTL, &byte, 1);
  info = parse(room, used);
  CHECK(info.valid == (UVX_UDP_TOS | UVX_UDP_TTL));
  CHECK(info.tos == 0xb8);
  CHECK(info.ttl == 0xfe);
}

UNIT_TEST(udp_control_skips_what_it_does_not_know) {
  char room[256];
  int number = 9;

  size_t used = put(room, 0, SOL_SOCKET, 12345, "xyz", 3);
  used = put(room, used, IPPROTO_IPV6, IPV6_TCLASS, &number, sizeof(number));
  used = put(room, used, 12345, IP_TTL, &number, sizeof(number));
  uvx_udp_recv_info_t info = parse(room, used);
  CHECK(info.valid == UVX_UDP_TOS);
  CHECK(info.tos == 9);
  CHECK(info.ttl == 0);
  CHECK(parse(NULL, 0).valid == 0);
}

UNIT_TEST(udp_control_link_local_address_has_its_interface) {
  char room[128];
  struct in6_pktinfo pktinfo;

  memset(&pktinfo, 0, sizeof(pktinfo));
  CHECK(inet_pton(AF_INET6, "fe80::1", &pktinfo.ipi6_addr) == 1);
  pktinfo.ipi6_ifindex = 5;
  size_t used =
      put(room, 0, IPPROTO_IPV6, IPV6_PKTINFO, &pktinfo, sizeof(pktinfo));
  uvx_udp_recv_info_t info = parse(room, used);
  const struct sockaddr_in6* dst = (const struct sockaddr_in6*) &info.dst;
  CHECK(info.valid == UVX_UDP_PKTINFO);
  CHECK(info.ifindex == 5);
  CHECK(dst->sin6_family == AF_INET6);
  CHECK(dst->sin6_scope_id == 5);
  CHECK(dst->sin6_port == 0);
}

/* Cut off anywhere: what is complete is read, and nothing behind the end. */
UNIT_TEST(udp_control_cut_off_anywhere) {
  char room[256];
  int number = 7;
  struct in6_pktinfo pktinfo;

  memset(&pktinfo, 0, sizeof(pktinfo));
  size_t first =
      put(room, 0, IPPROTO_IPV6, IPV6_TCLASS, &number, sizeof(number));
  size_t used =
      put(room, first, IPPROTO_IPV6, IPV6_PKTINFO, &pktinfo, sizeof(pktinfo));
  for (size_t len = 0; len <= used; len++) {
    char* copy = malloc(len + (len == 0));
    unsigned want = 0;
    CHECK(copy != NULL);
    memcpy(copy, room, len);
    if (len >= CMSG_LEN(sizeof(number)))
      want |= UVX_UDP_TOS;
    if (len >= first + CMSG_LEN(sizeof(pktinfo)))
      want |= UVX_UDP_PKTINFO;
    CHECK(parse(copy, len).valid == want);
    free(copy);
  }
}

/* Lengths that cannot be. */
UNIT_TEST(udp_control_impossible_lengths) {
  static const size_t lengths[] = { 0, 1, CMSG_LEN(0) - 1, 1000,
                                    (size_t) -1 / 2 };
  char room[128];
  int number = 7;

  for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
    size_t used =
        put(room, 0, IPPROTO_IPV6, IPV6_TCLASS, &number, sizeof(number));
    struct cmsghdr* header = (struct cmsghdr*) (void*) room;
    header->cmsg_len = (socklen_t) lengths[i];
    CHECK(parse(room, used).valid == 0);
  }
}
