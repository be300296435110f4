/* SPDX-License-Identifier: MIT */
/* What kqueue/kqueue.c knows: the interest in each fd, which of it the kernel
 * was told, and what its answers mean. No system call is made here. */
#ifndef UV_UNIX_KQUEUE_SET_H_
#define UV_UNIX_KQUEUE_SET_H_

#include "loop-state.h"
#include "unix/kqueue/select-thread.h"

#include <sys/types.h>
#include <sys/event.h>
#include <sys/time.h>

/* Changes told in one call. */
#define UV__KQSET_CHANGES_MAX 256

/* What is known of an fd. */
struct uv__kqset_entry {
  unsigned short want;   /* interest, POLL* */
  unsigned short on_eof; /* what the end of data means: POLLHUP or POLLRDHUP */
  unsigned char known;   /* filters the kernel was told of, by index */
  unsigned char edge;    /* those of them that were added with EV_CLEAR */
  unsigned char changed; /* in the queue of changes */
  unsigned char failed;  /* in that queue to be reported as POLLERR */
  unsigned char selected; /* refused by the kernel, select-thread.c has it */
  unsigned char oob;     /* select-thread.c has it for POLLPRI */
  int place;             /* its event in the batch being made, plus one */
};

/* Who is asked for POLLPRI. */
enum uv__kqset_oob { UV__OOB_UNKNOWN, UV__OOB_KERNEL, UV__OOB_SELECT };

struct uv__kqset {
  struct uv__kqset_entry* entries; /* by fd */
  int* changed;                    /* fds, each at most once */
  unsigned size;                   /* of both */
  unsigned changed_count;
  unsigned children;               /* whose end is awaited */
  struct uv__selector* selector;   /* for devices; NULL: there are none */
  enum uv__kqset_oob oob;          /* not known before somebody wants it */
  int has_pipe; /* no EVFILT_USER here: woken through self-pipe.c */
  int owner;    /* the process that made the queue */
  struct kevent changes[UV__KQSET_CHANGES_MAX];
  struct kevent events[UV__BATCH_MAX];
};

/* The entry of an fd; NULL if there is none. */
struct uv__kqset_entry* uv__kqset_find(const struct uv__kqset* set,
                                       uintptr_t fd);

/* Makes one: 0 or UV_ENOMEM. */
int uv__kqset_reserve(struct uv__kqset* set, unsigned fd);

/* Forgets all fds (P7). */
void uv__kqset_clear(struct uv__kqset* set);

/* Has the kernel told about the fd, which has an entry, at the next wait. */
void uv__kqset_note_change(struct uv__kqset* set, int fd);

/* Describes one fd: what is wanted is added, what was known and is not wanted
 * is removed. Returns how many changes, two per filter at most. */
int uv__kqset_describe(struct uv__kqset_entry* entry,
                       int fd,
                       struct kevent* out);

/* Moves what changed into set->changes, as much as there is room for; returns
 * how many. Failed ones stay, for uv__kqset_report_failed(). */
int uv__kqset_take_changes(struct uv__kqset* set);

/* The kernel's answer to a change, EV_ERROR. To remove what is not there, or to
 * add what nobody wants any more, is no failure. */
void uv__kqset_note_error(struct uv__kqset* set, const struct kevent* event);

/* Is there a failure to be reported? */
int uv__kqset_has_failed(const struct uv__kqset* set);

/* Adds the event of an fd to the `n` in `out`; returns how many there are now:
 * two filters of one fd are one event. */
int uv__kqset_report(struct uv__kqset* set,
                     const struct kevent* event,
                     struct uv__event* out,
                     int n);

/* Adds what other means found out about an fd. */
int uv__kqset_report_bits(struct uv__kqset* set,
                          int fd,
                          unsigned bits,
                          struct uv__event* out,
                          int n);

/* Adds failures, as POLLERR (P4), up to `max` in all. */
int uv__kqset_report_failed(struct uv__kqset* set,
                            struct uv__event* out,
                            int n,
                            int max);

/* The batch is complete; the next one starts anew. */
void uv__kqset_report_end(struct uv__kqset* set,
                          const struct uv__event* out,
                          int n);

#endif /* UV_UNIX_KQUEUE_SET_H_ */
