/* SPDX-License-Identifier: MIT */
/* Control messages of UDP: see udp-control.h.
 *
 * An IPv6 socket that is not restricted to IPv6 also carries IPv4. On Linux it
 * then takes and sends the messages of IPPROTO_IP, but IPV6_PKTINFO also with
 * IPv4 datagrams. Elsewhere it has no options of IPPROTO_IP, and datagrams to
 * mapped addresses have no options.
 *
 * A message that the kernel had no room for is missing or shorter than its
 * header says; the parser takes what is complete.
 */
#include "unix/udp-control.h"
#include "unix/cmsg.h"
#include "unix/fd.h"
#include "unix/sock.h"
#include "unix/udp-names.h"

#include <string.h>

static_assert(sizeof(struct uv__udp_options) <= 32, "fits into a request");

/* ---- sending ---- */

static void control_add(union uv__udp_control_out* control,
                        size_t* used,
                        int level,
                        int type,
                        const void* value,
                        size_t size) {
  struct cmsghdr header;
  char* at = control->room + *used;

  assert(*used + CMSG_SPACE(size) <= sizeof(control->room));
  memset(at, 0, CMSG_SPACE(size));
  memset(&header, 0, sizeof(header));
  header.cmsg_level = level;
  header.cmsg_type = type;
  header.cmsg_len = CMSG_LEN(size);
  memcpy(at, &header, sizeof(header));
  memcpy(at + CMSG_LEN(0), value, size);
  *used += CMSG_SPACE(size);
}

#if UV__HAVE_IP_TOS_MESSAGE
static int add_tos4(union uv__udp_control_out* control, size_t* used, int tos) {
  uv__ip_tos_t value = (uv__ip_tos_t) tos;

  control_add(control, used, IPPROTO_IP, IP_TOS, &value, sizeof(value));
  return 0;
}
#else
static int add_tos4(union uv__udp_control_out* control, size_t* used, int tos) {
  (void) control;
  (void) used;
  (void) tos;
  return UV_ENOTSUP;
}
#endif

static int add_tos(union uv__udp_control_out* control,
                   size_t* used,
                   int tos,
                   enum uv__udp_path path) {
  if (path != UV__UDP_PATH_V6)
    return add_tos4(control, used, tos);
  control_add(control, used, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
  return 0;
}

static int is_mapped(const uint8_t address[16]) {
  static const uint8_t prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255 };

  return memcmp(address, prefix, sizeof(prefix)) == 0;
}

#ifdef IP_PKTINFO
static int add_source4(union uv__udp_control_out* control,
                       size_t* used,
                       struct in_addr src,
                       const struct uv__udp_options* options) {
  struct in_pktinfo value;

  memset(&value, 0, sizeof(value));
  value.ipi_spec_dst = src;
  value.ipi_ifindex = options->ifindex;
  control_add(control, used, IPPROTO_IP, IP_PKTINFO, &value, sizeof(value));
  return 0;
}
#else
static int add_source4(union uv__udp_control_out* control,
                       size_t* used,
                       struct in_addr src,
                       const struct uv__udp_options* options) {
  if (options->ifindex != 0)
    return UV_ENOTSUP;
  control_add(control, used, IPPROTO_IP, IP_SENDSRCADDR, &src, sizeof(src));
  return 0;
}
#endif

static int add_pktinfo4(union uv__udp_control_out* control,
                        size_t* used,
                        const struct uv__udp_options* options) {
  struct in_addr src;
  const uint8_t* bytes = options->src;

  memset(&src, 0, sizeof(src));
  if (options->is_src_v6) {
    if (!is_mapped(bytes))
      return UV_EINVAL;
    bytes += 12;
  }
  if (options->has_src)
    memcpy(&src, bytes, sizeof(src));
  return add_source4(control, used, src, options);
}

static int add_pktinfo6(union uv__udp_control_out* control,
                        size_t* used,
                        const struct uv__udp_options* options) {
  struct in6_pktinfo value;

  if (options->has_src && (!options->is_src_v6 || is_mapped(options->src)))
    return UV_EINVAL;
  memset(&value, 0, sizeof(value));
  memcpy(&value.ipi6_addr, options->src, sizeof(value.ipi6_addr));
  value.ipi6_ifindex = options->ifindex;
  control_add(control, used, IPPROTO_IPV6, IPV6_PKTINFO, &value, sizeof(value));
  return 0;
}

static int add_pktinfo(union uv__udp_control_out* control,
                       size_t* used,
                       const struct uv__udp_options* options,
                       enum uv__udp_path path) {
  if (path == UV__UDP_PATH_V6)
    return add_pktinfo6(control, used, options);
  return add_pktinfo4(control, used, options);
}

static int add_segment(union uv__udp_control_out* control,
                       size_t* used,
                       uint16_t size) {
  if (UV__UDP_SEGMENT == UV__NO_NAME)
    return UV_ENOTSUP;
  control_add(control, used, UV__SOL_UDP, UV__UDP_SEGMENT, &size, sizeof(size));
  return 0;
}

int uv__udp_control_fill(union uv__udp_control_out* control,
                         const struct uv__udp_options* options,
                         enum uv__udp_path path) {
  size_t used = 0;
  int err = 0;

  if (path == UV__UDP_PATH_MAPPED && !UV__HAVE_MAPPED_OPTIONS &&
      (options->flags & (UVX_UDP_TOS | UVX_UDP_PKTINFO)))
    return UV_ENOTSUP;
  if (options->flags & UVX_UDP_TOS)
    err = add_tos(control, &used, options->tos, path);
  if (err == 0 && (options->flags & UVX_UDP_PKTINFO))
    err = add_pktinfo(control, &used, options, path);
  if (err == 0 && (options->flags & UVX_UDP_SEGMENT))
    err = add_segment(control, &used, options->segment_size);
  return err != 0 ? err : (int) used;
}

/* ---- receiving ---- */

/* The value of a message: one byte, or an int. Returns 0 if it is neither. */
static int read_number(const char* value, size_t size, int* out) {
  if (size >= sizeof(int)) {
    memcpy(out, value, sizeof(int));
    return 1;
  }
  *out = size > 0 ? *(const unsigned char*) value : 0;
  return size > 0;
}

static int read_tos(const char* value, size_t size, uvx_udp_recv_info_t* info) {
  return read_number(value, size, &info->tos);
}

static int read_ttl(const char* value, size_t size, uvx_udp_recv_info_t* info) {
  return read_number(value, size, &info->ttl);
}

static int read_segment(const char* value,
                        size_t size,
                        uvx_udp_recv_info_t* info) {
  int number;

  if (!read_number(value, size, &number) || number <= 0)
    return 0;
  info->segment_size = (size_t) number;
  return 1;
}

static int read_dst4(const char* value,
                     size_t size,
                     uvx_udp_recv_info_t* info) {
  struct sockaddr_in* dst = (struct sockaddr_in*) &info->dst;

  if (size < sizeof(dst->sin_addr))
    return 0;
  dst->sin_family = AF_INET;
  memcpy(&dst->sin_addr, value, sizeof(dst->sin_addr));
  return 1;
}

#ifdef IP_PKTINFO
# define UV__IP_DST_MESSAGE IP_PKTINFO

static int read_pktinfo4(const char* value,
                         size_t size,
                         uvx_udp_recv_info_t* info) {
  struct in_pktinfo pktinfo;

  if (size < sizeof(pktinfo))
    return 0;
  memcpy(&pktinfo, value, sizeof(pktinfo));
  info->ifindex = (unsigned) pktinfo.ipi_ifindex;
  return read_dst4((const char*) &pktinfo.ipi_addr, sizeof(pktinfo.ipi_addr),
                   info);
}
#else
# define UV__IP_DST_MESSAGE IP_RECVDSTADDR
# define read_pktinfo4 read_dst4
#endif

static int read_pktinfo6(const char* value,
                         size_t size,
                         uvx_udp_recv_info_t* info) {
  struct sockaddr_in6* dst = (struct sockaddr_in6*) &info->dst;
  struct in6_pktinfo pktinfo;

  if (size < sizeof(pktinfo))
    return 0;
  memcpy(&pktinfo, value, sizeof(pktinfo));
  info->ifindex = (unsigned) pktinfo.ipi6_ifindex;
  dst->sin6_family = AF_INET6;
  dst->sin6_addr = pktinfo.ipi6_addr;
  if (IN6_IS_ADDR_LINKLOCAL(&dst->sin6_addr))
    dst->sin6_scope_id = info->ifindex;
  return 1;
}

/* The messages. A system has one of the two names that IPv4 has for some. */
static const struct {
  int level;
  int type;
  unsigned bit;
  int (*read)(const char* value, size_t size, uvx_udp_recv_info_t* info);
} messages[] = {
  { IPPROTO_IP, IP_TOS, UVX_UDP_TOS, read_tos },
  { IPPROTO_IP, UV__IP_RECVTOS, UVX_UDP_TOS, read_tos },
  { IPPROTO_IP, IP_TTL, UVX_UDP_TTL, read_ttl },
  { IPPROTO_IP, UV__IP_RECVTTL, UVX_UDP_TTL, read_ttl },
  { IPPROTO_IP, UV__IP_DST_MESSAGE, UVX_UDP_PKTINFO, read_pktinfo4 },
  { IPPROTO_IPV6, IPV6_TCLASS, UVX_UDP_TOS, read_tos },
  { IPPROTO_IPV6, IPV6_HOPLIMIT, UVX_UDP_TTL, read_ttl },
  { IPPROTO_IPV6, IPV6_PKTINFO, UVX_UDP_PKTINFO, read_pktinfo6 },
  { UV__SOL_UDP, UV__UDP_GRO, UVX_UDP_SEGMENT, read_segment },
};

static void message_read(const struct cmsghdr* header,
                         const char* value,
                         uvx_udp_recv_info_t* info) {
  size_t size = header->cmsg_len - CMSG_LEN(0);

  for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
    if (header->cmsg_level == messages[i].level &&
        header->cmsg_type == messages[i].type) {
      if (messages[i].read(value, size, info))
        info->valid |= messages[i].bit;
      return;
    }
}

void uv__udp_control_parse(const struct msghdr* msg,
                           uvx_udp_recv_info_t* info) {
  const char* at = msg->msg_control;
  size_t left = msg->msg_controllen;

  while (left >= CMSG_LEN(0)) {
    struct cmsghdr header;
    memcpy(&header, at, sizeof(header));
    if (header.cmsg_len < CMSG_LEN(0) || header.cmsg_len > left)
      return;
    message_read(&header, at + CMSG_LEN(0), info);
    size_t step = CMSG_SPACE(header.cmsg_len - CMSG_LEN(0));
    if (step >= left)
      return;
    at += step;
    left -= step;
  }
}

/* ---- what the kernel is asked for ---- */

enum { ON_V4 = 1, ON_V6 = 2, ON_MAPPED = UV__HAVE_MAPPED_OPTIONS ? ON_V6 : 0 };

static const struct {
  unsigned bit;
  int sockets; /* kinds of sockets that have it */
  int level;
  int name;
} options[] = {
  { UVX_UDP_TOS, ON_V4 | ON_MAPPED, IPPROTO_IP, UV__IP_RECVTOS },
  { UVX_UDP_TOS, ON_V6, IPPROTO_IPV6, IPV6_RECVTCLASS },
  { UVX_UDP_TTL, ON_V4 | ON_MAPPED, IPPROTO_IP, UV__IP_RECVTTL },
  { UVX_UDP_TTL, ON_V6, IPPROTO_IPV6, IPV6_RECVHOPLIMIT },
  { UVX_UDP_PKTINFO, ON_V4, IPPROTO_IP, UV__IP_RECVPKTINFO },
  { UVX_UDP_PKTINFO, ON_V4, IPPROTO_IP, UV__IP_RECVDSTADDR },
  { UVX_UDP_PKTINFO, ON_V6, IPPROTO_IPV6, IPV6_RECVPKTINFO },
  { UVX_UDP_SEGMENT, ON_V4 | ON_V6, UV__SOL_UDP, UV__UDP_GRO },
};

static int has_option(size_t i, int sockets, unsigned mask) {
  return (options[i].sockets & sockets) && (options[i].bit & mask) &&
         options[i].name != UV__NO_NAME;
}

/* The part of `mask` that this kind of socket has an option for. */
static unsigned known_options(int sockets, unsigned mask) {
  unsigned known = 0;

  for (size_t i = 0; i < ARRAY_SIZE(options); i++)
    if (has_option(i, sockets, mask))
      known |= options[i].bit;
  return known;
}

/* Sets the first `count` options that differ to what they are in `mask`. *done:
 * how many it got through. */
static int set_options(int fd,
                       int sockets,
                       unsigned differ,
                       unsigned mask,
                       size_t count,
                       size_t* done) {
  for (*done = 0; *done < count; ++*done) {
    size_t i = *done;
    if (!has_option(i, sockets, differ))
      continue;
    int err = uv__sock_set(fd, options[i].level, options[i].name,
                           (options[i].bit & mask) != 0);
    if (err != 0)
      return err;
  }
  return 0;
}

int uv__udp_control_ask(int fd, int is_v6, unsigned before, unsigned after) {
  int sockets = is_v6 ? ON_V6 : ON_V4;
  size_t done;

  if (known_options(sockets, after) != after)
    return UV_ENOTSUP;
  int err = set_options(fd, sockets, before ^ after, after, ARRAY_SIZE(options),
                        &done);
  if (err == 0)
    return 0;
  /* These were taken once, and there is nothing to do about a refusal. */
  (void) set_options(fd, sockets, before ^ after, before, done, &done);
  return err == UV_ENOPROTOOPT ? UV_ENOTSUP : err;
}
