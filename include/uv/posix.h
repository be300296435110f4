/* SPDX-License-Identifier: MIT */
/* What systems with nothing better than poll(2) add to the structures in
 * uv/unix.h.
 */
#ifndef UV_POSIX_H
#define UV_POSIX_H

struct pollfd;

/* The array handed to poll(2): entries in use, entries allocated, and whether
 * it is being walked right now.
 */
#define UV_PLATFORM_LOOP_FIELDS                                               \
  struct pollfd* poll_fds;                                                    \
  size_t poll_fds_used;                                                       \
  size_t poll_fds_size;                                                       \
  unsigned char poll_fds_iterating;

#endif /* UV_POSIX_H */
