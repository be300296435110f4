/* SPDX-License-Identifier: MIT */
/* What FreeBSD, OpenBSD, NetBSD and DragonFly add to the structures in
 * uv/unix.h.
 */
#ifndef UV_BSD_H
#define UV_BSD_H

#define UV_HAVE_KQUEUE 1

/* Events kqueue reported for reading and for writing. */
#define UV_IO_PRIVATE_PLATFORM_FIELDS                                         \
  int rcount;                                                                 \
  int wcount;

/* Watches the descriptor of the file for EVFILT_VNODE. */
#define UV_PLATFORM_FS_EVENT_FIELDS                                           \
  uv__io_t event_watcher;

#endif /* UV_BSD_H */
