/* SPDX-License-Identifier: MIT */
/* State of poller/kqueue.c: the interest in each fd, what of it is registered
 * with the kernel, and the meaning of events. Makes no system calls. */
#ifndef UV_UNIX_POLLER_KQUEUE_INTEREST_H_
#define UV_UNIX_POLLER_KQUEUE_INTEREST_H_

#include "loop/state.h"
#include "unix/poller/select-thread.h"

#include <sys/types.h>
#include <sys/event.h>
#include <sys/time.h>

/* Changes per call. */
#define UV__KQSET_CHANGES_MAX 256

/* State of one fd. */
struct uv__kqset_entry {
  unsigned short want;    /* interest, POLL* */
  unsigned short on_eof;  /* meaning of EV_EOF: POLLHUP or POLLRDHUP */
  unsigned char known;    /* registered filters, by index */
  unsigned char edge;     /* those of them that were added with EV_CLEAR */
  unsigned char changed;  /* in the queue of changes */
  unsigned char failed;   /* queued to be reported as POLLERR */
  unsigned char selected; /* refused by the kernel; in select-thread.c */
  unsigned char oob;      /* in select-thread.c for POLLPRI */
  int place;              /* index of its event in the batch, plus one */
};

/* What reports POLLPRI. */
enum uv__kqset_oob { UV__OOB_UNKNOWN, UV__OOB_KERNEL, UV__OOB_SELECT };

struct uv__kqset {
  struct uv__kqset_entry* entries; /* by fd */
  int* changed;                    /* fds, each at most once */
  unsigned size;                   /* of both */
  unsigned changed_count;
  unsigned children;             /* number of watched children */
  struct uv__selector* selector; /* for devices; NULL: there are none */
  enum uv__kqset_oob oob;        /* determined on first use */
  int has_pipe;                  /* no EVFILT_USER: woken through wake-fd.c */
  int queue;                     /* loop->backend_fd, for wake() */
  int owner;                     /* the process that created the queue */
  struct kevent changes[UV__KQSET_CHANGES_MAX];
  struct kevent events[UV__BATCH_MAX];
};

/* The entry of an fd; NULL if there is none. */
struct uv__kqset_entry* uv__kqset_find(const struct uv__kqset* set,
                                       uintptr_t fd);

/* Creates the entry: 0 or UV_ENOMEM. */
int uv__kqset_reserve(struct uv__kqset* set, unsigned fd);

/* Removes all fds (P7). */
void uv__kqset_clear(struct uv__kqset* set);

/* Marks an fd, which has an entry, as changed; the next wait updates the
 * kernel. */
void uv__kqset_mark_changed(struct uv__kqset* set, int fd);

/* Writes the changes for one fd: adds wanted filters, removes registered ones
 * that are not wanted. Returns how many, two per filter at most. */
int uv__kqset_describe(struct uv__kqset_entry* entry,
                       int fd,
                       struct kevent* out);

/* Moves pending changes to set->changes, as many as fit; returns how many.
 * Failed ones stay, for uv__kqset_report_failed(). */
int uv__kqset_take_changes(struct uv__kqset* set);

/* Handles EV_ERROR for a change. Removing a filter that does not exist, or
 * adding one that is no longer wanted, is not a failure. */
void uv__kqset_handle_error(struct uv__kqset* set, const struct kevent* event);

/* Are there failures to report? */
int uv__kqset_has_failed(const struct uv__kqset* set);

/* Adds the event of an fd to the `n` in `out`; returns the new count. Two
 * filters of one fd make one event. */
int uv__kqset_report(struct uv__kqset* set,
                     const struct kevent* event,
                     struct uv__event* out,
                     int n);

/* Adds bits that were found by other means. */
int uv__kqset_report_bits(struct uv__kqset* set,
                          int fd,
                          unsigned bits,
                          struct uv__event* out,
                          int n);

/* Adds failures as POLLERR (P4), up to `max` events in total. */
int uv__kqset_report_failed(struct uv__kqset* set,
                            struct uv__event* out,
                            int n,
                            int max);

/* Ends the batch; resets the state for the next one. */
void uv__kqset_report_end(struct uv__kqset* set,
                          const struct uv__event* out,
                          int n);

#endif /* UV_UNIX_POLLER_KQUEUE_INTEREST_H_ */
