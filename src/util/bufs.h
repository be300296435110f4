/* SPDX-License-Identifier: MIT */
/* The limit on the size of a write request. Context: any. */
#ifndef UV_UTIL_BUFS_H_
#define UV_UTIL_BUFS_H_

#include "util/base.h"

/* Bytes: what one call moves on Linux (write(2), NOTES), and as in libuv the
 * limit of uv_write, uv_udp_send, uv_fs_write, uv_fs_sendfile and the like.
 * More is UV_EINVAL rather than a short write, because results are ints. */
#define UV__WRITE_BYTES_MAX 0x7ffff000u

/* Stores the total size of the buffers, if it is within the limit; returns 0 if
 * it is not. */
static inline int uv__bufs_measure(const uv_buf_t* bufs,
                                   unsigned int nbufs,
                                   size_t* size) {
  size_t room = UV__WRITE_BYTES_MAX;

  for (unsigned int i = 0; i < nbufs; i++) {
    if (bufs[i].len > room)
      return 0;
    room -= bufs[i].len;
  }
  *size = UV__WRITE_BYTES_MAX - room;
  return 1;
}

/* Is the total size of the buffers within the limit? */
static inline int uv__bufs_fit(const uv_buf_t* bufs, unsigned int nbufs) {
  size_t size;

  return uv__bufs_measure(bufs, nbufs, &size);
}

#endif /* UV_UTIL_BUFS_H_ */
