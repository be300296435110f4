/* SPDX-License-Identifier: MIT */
/* The control messages of UDP, for every path that sends or receives them: one
 * builder, one parser, and the options that have the kernel send them. */
#ifndef UV_UNIX_UDP_CONTROL_H_
#define UV_UNIX_UDP_CONTROL_H_

/* First: selects RFC 3542 in the headers of macOS. */
#include "unix/os.h"

#include "os/udp-options.h"

#include <netinet/in.h>
#include <sys/socket.h>

/* Room for the options of a datagram that is sent. */
union uv__udp_control_out {
  struct cmsghdr header; /* for its alignment */
  char room[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct in6_pktinfo)) +
            CMSG_SPACE(sizeof(uint16_t))];
};

/* Room for what comes with a datagram, also with an entry of the error queue,
 * which has the error besides. */
union uv__udp_control_in {
  struct cmsghdr header; /* for its alignment */
  char room[256];
};

/* By which protocol does a datagram leave? An IPv6 socket sends by IPv4 to
 * addresses that are mapped. */
enum uv__udp_path { UV__UDP_PATH_V4, UV__UDP_PATH_V6, UV__UDP_PATH_MAPPED };

/* Writes the messages for the options. Returns their length; UV_EINVAL: the
 * source address is of the other family; UV_ENOTSUP. */
int uv__udp_control_fill(union uv__udp_control_out* control,
                         const struct uv__udp_options* options,
                         enum uv__udp_path path);

/* Fills *info from the messages of a datagram. Skips what it does not know and
 * what is cut off. */
void uv__udp_control_parse(const struct msghdr* msg, uvx_udp_recv_info_t* info);

/* Changes what the kernel tells from UVX_UDP_* `before` to `after`. If it
 * refuses, everything is as before: UV_ENOTSUP or UV_E*. */
int uv__udp_control_ask(int fd, int is_v6, unsigned before, unsigned after);

#endif /* UV_UNIX_UDP_CONTROL_H_ */
