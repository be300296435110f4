/* SPDX-License-Identifier: MIT */
/* Control messages of recvmsg(2). Context: any. */
#ifndef UV_UNIX_CMSG_H_
#define UV_UNIX_CMSG_H_

#include <sys/socket.h>

/* CMSG_NXTHDR(), expanded only here: in musl, clang warns about its comparison
 * of signed and unsigned numbers. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
static inline struct cmsghdr* uv__cmsg_next(struct msghdr* msg,
                                            struct cmsghdr* cmsg) {
  return CMSG_NXTHDR(msg, cmsg);
}
#pragma GCC diagnostic pop

#endif /* UV_UNIX_CMSG_H_ */
