/* SPDX-License-Identifier: MIT */
/* A kqueue for Linux, for tests only: what queue.c and the filters share.
 *
 * A queue is an epoll instance, so that its fd can be polled, with one epoll
 * instance inside per kind of filter: there an fd has one entry with its own
 * way of triggering. Behaviour is that of kqueue(2) and kevent(2) of FreeBSD 14
 * and macOS where it differs: EVFILT_EXCEPT.
 *
 * Known gaps: EVFILT_SIGNAL and EVFILT_AIO are not there; EVFILT_READ and
 * EVFILT_WRITE refuse regular files (EPERM); the socket error in fflags is
 * always ECONNRESET, because reading the true one would take it away.
 *
 * The kernels differ in what they do with a child near its end; the environment
 * variable KQUEUE_SHIM_CHILDREN chooses. Unset: NOTE_EXIT comes when it can be
 * waited for, and at once for one that is a zombie (FreeBSD). "gone": a zombie
 * is not found, ESRCH (macOS, OpenBSD); it is waited for until it is one.
 * "early-gone": NOTE_EXIT comes while the child runs, and then it is not found;
 * "early-silent": it can be added again, and nothing comes of it. "refused":
 * EACCES (OpenBSD, of a program with the set-user-ID bit).
 * KQUEUE_SHIM_REFUSE_DEVICES: terminals are EINVAL (macOS).
 * KQUEUE_SHIM_NO_EXCEPT: there is no EVFILT_EXCEPT (FreeBSD, NetBSD).
 * KQUEUE_SHIM_SYSTEM: calls of the C library behave as on "freebsd", "openbsd"
 * or "macos", see libc.c; "freebsd" includes KQUEUE_SHIM_NO_EXCEPT, "openbsd"
 * is an older one that has no EVFILT_USER, on "macos" EVFILT_EXCEPT also comes
 * for what makes a socket readable.
 */
#ifndef KQUEUE_SHIM_H_
#define KQUEUE_SHIM_H_

#include <sys/event.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The epoll instances of a queue. */
enum shim_set {
  SHIM_READ,
  SHIM_WRITE,
  SHIM_EXCEPT,
  SHIM_OTHER, /* user, timer, proc: an fd of ours each */
  SHIM_VNODE, /* the inotify fd, and the eventfd for what was left over */
  SHIM_SETS
};

/* One event that is registered. */
struct shim_knote {
  struct shim_knote* next; /* in the same bucket */
  struct kevent want;      /* as registered; flags without actions */
  int enabled;
  int own_fd; /* SHIM_OTHER: eventfd, timerfd, pidfd; -1 */
  int is_socket;
  int is_fifo;
  int is_device; /* refused with KQUEUE_SHIM_REFUSE_DEVICES, as macOS may */
  dev_t dev;     /* what the fd was when it was registered */
  ino_t ino;
  /* EVFILT_VNODE */
  int wd;
  int parent_wd; /* of a directory: where its removal is seen; -1 */
  unsigned seen; /* NOTE_* that happened; of EVFILT_EXCEPT, NOTE_OOB */
  uint64_t nlink;
  int64_t size;
};

#define SHIM_BUCKETS 1024

struct shim_queue {
  struct shim_queue* next;
  int fd;
  int sets[SHIM_SETS];
  int inotify_fd; /* -1 until the first EVFILT_VNODE */
  int left_fd;    /* eventfd: there are vnode events that had no room */
  unsigned turn;  /* which set comes first, so that none starves */
  struct shim_knote* buckets[SHIM_BUCKETS];
};

/* queue.c */
struct shim_knote* shim_find(struct shim_queue* queue,
                             uintptr_t ident,
                             short filter);
void shim_remove(struct shim_queue* queue, struct shim_knote* knote);

/* Is this fd a queue of this process? */
int shim_is_queue(int fd);

/* Moves a descriptor of the shim's own above the standard streams: a kernel's
 * queue takes one number only. -1 if `fd` is, or it cannot be moved; errno. */
int shim_above_stdio(int fd);

/* libc.c: fstat(2) itself: takes no lock, does not treat queues specially. */
int shim_stat(int fd, struct stat* st);

/* libc.c: does KQUEUE_SHIM_SYSTEM name this system? */
int shim_acts_as(const char* system);

/* urgent.c: is an urgent byte of this socket ahead, or the next to be read,
 * whether or not it was taken? */
int shim_is_before_mark(int fd);

/* fd-filters.c: EVFILT_READ, EVFILT_WRITE, EVFILT_EXCEPT. All return 0 or an
 * errno. `is_new`: the knote is not in the set yet. */
enum shim_set shim_fd_set(short filter);
int shim_fd_identify(struct shim_knote* knote);
/* Is the fd still the file that was registered? */
int shim_fd_same(const struct shim_knote* knote);
int shim_fd_arm(struct shim_queue* queue, struct shim_knote* knote);
void shim_fd_disarm(struct shim_queue* queue, struct shim_knote* knote);
/* From an epoll mask to an event; 0 if there is none. */
int shim_fd_event(struct shim_knote* knote, unsigned mask, struct kevent* out);

/* own-filters.c: EVFILT_USER, EVFILT_TIMER, EVFILT_PROC. */
int shim_own_add(struct shim_queue* queue,
                 struct shim_knote* knote,
                 const struct kevent* change,
                 int is_new);
void shim_own_remove(struct shim_queue* queue, struct shim_knote* knote);
int shim_own_arm(struct shim_queue* queue, struct shim_knote* knote, int on);
int shim_own_event(struct shim_knote* knote, struct kevent* out);

/* vnode-filter.c */
int shim_vnode_add(struct shim_queue* queue, struct shim_knote* knote);
void shim_vnode_remove(struct shim_queue* queue, struct shim_knote* knote);
/* Reads inotify events into the knotes. */
void shim_vnode_collect(struct shim_queue* queue);
int shim_vnode_event(struct shim_knote* knote, struct kevent* out);

#endif /* KQUEUE_SHIM_H_ */
