/* SPDX-License-Identifier: MIT */
/* What Linux adds to the structures in uv/unix.h. */
#ifndef UV_LINUX_H
#define UV_LINUX_H

/* inotify: one descriptor per loop, opened by the first uv_fs_event_start(). */
#define UV_PLATFORM_LOOP_FIELDS                                               \
  uv__io_t inotify_read_watcher;                                              \
  void* inotify_watchers;                                                     \
  int inotify_fd;

/* The handles of one watch descriptor form a list. */
#define UV_PLATFORM_FS_EVENT_FIELDS                                           \
  struct uv__queue watchers;                                                  \
  int wd;

#endif /* UV_LINUX_H */
