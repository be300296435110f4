/* SPDX-License-Identifier: MIT */
/* What systems call the control messages of UDP and their options. For one that
 * they do not have, the name is UV__NO_NAME.
 *
 * IPv6 has the same names everywhere (RFC 3542). With IPv4, systems differ in
 * the name of the message (IP_TTL or IP_RECVTTL) and in the size of its value
 * (one byte or an int).
 */
#ifndef UV_UNIX_UDP_NAMES_H_
#define UV_UNIX_UDP_NAMES_H_

#include "unix/os.h"

#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>

#define UV__NO_NAME (-1)

#ifdef IP_RECVTOS
# define UV__IP_RECVTOS IP_RECVTOS
#else
# define UV__IP_RECVTOS UV__NO_NAME
#endif

#ifdef IP_RECVTTL
# define UV__IP_RECVTTL IP_RECVTTL
#else
# define UV__IP_RECVTTL UV__NO_NAME
#endif

/* The option to get IP_PKTINFO. */
#if defined(IP_RECVPKTINFO)
# define UV__IP_RECVPKTINFO IP_RECVPKTINFO
#elif defined(IP_PKTINFO)
# define UV__IP_RECVPKTINFO IP_PKTINFO
#else
# define UV__IP_RECVPKTINFO UV__NO_NAME
#endif

/* FreeBSD and OpenBSD: the address alone. */
#if !defined(IP_PKTINFO) && defined(IP_RECVDSTADDR)
# define UV__IP_RECVDSTADDR IP_RECVDSTADDR
#else
# define UV__IP_RECVDSTADDR UV__NO_NAME
#endif

#ifdef IP_DONTFRAG
# define UV__IP_DONTFRAG IP_DONTFRAG
#else
# define UV__IP_DONTFRAG UV__NO_NAME
#endif

/* Linux. Its older C libraries lack the names. */
#if UV__HAVE_UDP_SEGMENT
# define UV__SOL_UDP IPPROTO_UDP
# define UV__UDP_SEGMENT 103
# define UV__UDP_GRO 104
#else
# define UV__SOL_UDP IPPROTO_UDP
# define UV__UDP_SEGMENT UV__NO_NAME
# define UV__UDP_GRO UV__NO_NAME
#endif

#endif /* UV_UNIX_UDP_NAMES_H_ */
