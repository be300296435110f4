/* SPDX-License-Identifier: MIT */
/* uv_buf_t as the kernel's iovec: the public ABI gives both the same layout. */
#ifndef UV_UNIX_IOVEC_H_
#define UV_UNIX_IOVEC_H_

#include "util/base.h"

#include <limits.h>
#include <sys/uio.h>

/* Buffers per call. */
#ifdef IOV_MAX
# define UV__IOV_MAX IOV_MAX
#else
# define UV__IOV_MAX 16 /* what POSIX guarantees */
#endif

static_assert(sizeof(uv_buf_t) == sizeof(struct iovec), "same layout");
static_assert(offsetof(uv_buf_t, base) == offsetof(struct iovec, iov_base),
              "same layout");
static_assert(offsetof(uv_buf_t, len) == offsetof(struct iovec, iov_len),
              "same layout");

/* Not const: msghdr.msg_iov is not, although sendmsg(2) changes nothing. */
static inline struct iovec* uv__iovec(const uv_buf_t* bufs) {
  return (struct iovec*) bufs;
}

#endif /* UV_UNIX_IOVEC_H_ */
