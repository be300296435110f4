/* SPDX-License-Identifier: MIT */
/* The parser of UDP's control messages, on any bytes. */
#include "fuzz.h"

#include "unix/udp-control.h"

static uvx_udp_recv_info_t parse(const void* control, size_t size) {
  uvx_udp_recv_info_t info;
  struct msghdr msg;

  memset(&info, 0, sizeof(info));
  memset(&msg, 0, sizeof(msg));
  msg.msg_control = (void*) control;
  msg.msg_controllen = size;
  uv__udp_control_parse(&msg, &info);
  return info;
}

/* What was not told is 0. */
static void check(const uvx_udp_recv_info_t* info) {
  int family = info->dst.ss_family;

  REQUIRE((info->valid & ~15u) == 0);
  REQUIRE(info->tos == 0 || (info->valid & UVX_UDP_TOS));
  REQUIRE(info->ttl == 0 || (info->valid & UVX_UDP_TTL));
  REQUIRE((info->segment_size != 0) == ((info->valid & UVX_UDP_SEGMENT) != 0));
  if (info->valid & UVX_UDP_PKTINFO)
    REQUIRE(family == AF_INET || family == AF_INET6);
  else
    REQUIRE(family == 0 && info->ifindex == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char* control = fuzz_string(data, size);
  char* exact = realloc(control, size + (size == 0));

  REQUIRE(exact != NULL);
  for (size_t len = size; len + 40 > size; len--) {
    uvx_udp_recv_info_t info = parse(exact, len);
    check(&info);
    if (len == 0)
      break;
  }
  free(exact);
  return 0;
}
