/* SPDX-License-Identifier: MIT */
/* UDP for protocols such as QUIC: what the platform supplies to udp-options.c.
 * Arguments have been checked. Functions return 0 (or a count) or UV_E*;
 * UV_ENOTSUP where the system, or this kind of socket, cannot do it.
 */
#ifndef UV_OS_UDP_OPTIONS_H_
#define UV_OS_UDP_OPTIONS_H_

#include "os/udp.h"
#include "uv/ext.h"

/* The options of one datagram: uvx_udp_send_options_t, checked. Small enough to
 * be kept in a request. */
struct uv__udp_options {
  unsigned flags; /* UVX_UDP_TOS, UVX_UDP_PKTINFO, UVX_UDP_SEGMENT */
  unsigned ifindex;
  uint16_t segment_size;
  uint8_t tos;
  uint8_t is_src_v6; /* src is an IPv6 address, perhaps of an IPv4 host */
  uint8_t has_src;   /* otherwise the system chooses it */
  uint8_t src[16];   /* in network order; IPv4: the first four bytes */
};

/* Of the loop: the datagrams whose recv_cb runs, innermost first. A nested run
 * makes more than one. */
struct uv__udp_message {
  const uv_udp_t* handle;
  const void* arrival; /* of the platform; NULL: the call is about no datagram,
                        * but an error or an empty queue */
  struct uv__udp_message* outer;
};

/* Stores the options of a datagram, which were checked before. */
void uv__udp_options_copy(struct uv__udp_options* to,
                          const uvx_udp_send_options_t* from);

/* The i-th of an array whose elements may be larger than those of this version.
 */
static inline const uvx_udp_send_options_t* uv__udp_options_at(
    const uvx_udp_send_options_t* array,
    unsigned int i) {
  return (const void*) ((const char*) array + i * array->size);
}

/* UV_EBADF: no socket. */
int uv__udp_os_set_tos(uv_udp_t* handle, int tos);
int uv__udp_os_set_dontfrag(uv_udp_t* handle, int on);

/* Of a connected handle; sets *mtu on success. */
int uv__udp_os_get_mtu(const uv_udp_t* handle, size_t* mtu);

/* From the next datagram on, recv_cb can ask for what `mask` names. After an
 * error all is as before. UV_EBADF: no socket. */
int uv__udp_os_set_recv_info(uv_udp_t* handle, unsigned mask);

/* Fills *info, which is zero except for its size, from an `arrival`. */
void uv__udp_os_read_info(const void* arrival, uvx_udp_recv_info_t* info);

/* As uv__udp_os_send(), with options. */
int uv__udp_os_send_with(uv_udp_send_t* req,
                         const struct uv__datagram* datagram,
                         const struct uv__udp_options* options);

/* As uv__udp_os_send_many(), with an array of options. */
int uv__udp_os_send_many_with(uv_udp_t* handle,
                              uv_buf_t** bufs,
                              unsigned int* nbufs,
                              struct sockaddr** addrs,
                              const uvx_udp_send_options_t* options,
                              unsigned int count);

#endif /* UV_OS_UDP_OPTIONS_H_ */
