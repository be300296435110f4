/* SPDX-License-Identifier: MIT */
/* What is read out of the list of getifaddrs(). */
#ifndef UV_UNIX_IFADDRS_H_
#define UV_UNIX_IFADDRS_H_

#include <ifaddrs.h>
#include <stdint.h>

/* The scope to reach a link-local peer by: the first interface that is up and
 * has such an address itself, loopback only if there is no other. 0 if there is
 * none. Context: any. */
uint32_t uv__ifaddrs_link_scope(const struct ifaddrs* list);

#endif /* UV_UNIX_IFADDRS_H_ */
