/* SPDX-License-Identifier: MIT */
/* What macOS and iOS add to the structures in uv/unix.h. */
#ifndef UV_DARWIN_H
#define UV_DARWIN_H

#if defined(__APPLE__) && defined(__MACH__)
# include <mach/mach.h>
# include <mach/semaphore.h>
# include <mach/task.h>
# include <TargetConditionals.h>
/* Unnamed POSIX semaphores do not exist here. */
# define UV_PLATFORM_SEM_T semaphore_t
#endif

#define UV_HAVE_KQUEUE 1

/* Events kqueue reported for reading and for writing. */
#define UV_IO_PRIVATE_PLATFORM_FIELDS                                         \
  int rcount;                                                                 \
  int wcount;

/* The thread that runs the CFRunLoop for FSEvents, and what it is sent. */
#define UV_PLATFORM_LOOP_FIELDS                                               \
  uv_thread_t cf_thread;                                                      \
  void* _cf_reserved;                                                         \
  void* cf_state;                                                             \
  uv_mutex_t cf_mutex;                                                        \
  uv_sem_t cf_sem;                                                            \
  struct uv__queue cf_signals;

/* kqueue watches single files with event_watcher; FSEvents watches directories
 * with the cf_ fields. cf_mutex protects cf_events and cf_error.
 */
#define UV_PLATFORM_FS_EVENT_FIELDS                                           \
  uv__io_t event_watcher;                                                     \
  char* realpath;                                                             \
  int realpath_len;                                                           \
  int cf_flags;                                                               \
  uv_async_t* cf_cb;                                                          \
  struct uv__queue cf_events;                                                 \
  struct uv__queue cf_member;                                                 \
  int cf_error;                                                               \
  uv_mutex_t cf_mutex;

/* Set while a select(2) thread stands in for kqueue, which cannot watch some
 * devices (ttys above all).
 */
#define UV_STREAM_PRIVATE_PLATFORM_FIELDS                                     \
  void* select;

#endif /* UV_DARWIN_H */
