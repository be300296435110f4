/* SPDX-License-Identifier: MIT */
/* The inotify watches of a loop: a table from watch descriptors to those who
 * use them, plain handles and directories of watched trees. */
#ifndef UV_UNIX_FS_EVENT_INOTIFY_H_
#define UV_UNIX_FS_EVENT_INOTIFY_H_

#include "unix/fs-event/fs-event.h"
#include "util/queue.h"

#include <limits.h>
#include <stdint.h>
#include <sys/inotify.h>

#define UV__INOTIFY_CHANGES (IN_ATTRIB | IN_MODIFY)
#define UV__INOTIFY_RENAMES                                                    \
 (IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_MOVED_FROM |      \
  IN_MOVED_TO)
/* One mask for all: adding a watch to an inode that has one replaces it. */
#define UV__INOTIFY_MASK (UV__INOTIFY_CHANGES | UV__INOTIFY_RENAMES)

/* One inotify watch. */
struct uv__watch {
  struct uv__watch* next; /* next in the same bucket */
  int wd;
  unsigned busy; /* deliveries under way */
  int is_gone;   /* its inode is: it goes with the last delivery */
  struct uv__queue handles;
  struct uv__queue dirs; /* of struct uv__tree_dir, by `user` */
  /* During a delivery: the handles whose callback has not run yet. NULL
   * otherwise. */
  struct uv__queue* todo;
};

/* loop->inotify_watchers: the watches, hashed by wd. The kernel assigns watch
 * descriptors in sequence, so their low bits hash well. */
struct uv__watches {
  struct uv__watch** buckets;
  unsigned size; /* a power of two */
  unsigned count;
  unsigned generation; /* changes when all watches are replaced */

  /* The rest is for trees. */

  /* Bytes of events that were read so far. Compared with such positions, an
   * event is older or newer than something else. */
  uint64_t position;
  unsigned position_low; /* atomic: its lower half, for scans on workers */
  unsigned drains;       /* how often the queue was found empty */
  unsigned delivery;     /* the number of the event being delivered */
  unsigned turn;         /* of trees that are called one by one */
  struct uv__queue trees;
  struct uv__queue scans;   /* those that are out, and the one being applied */
  struct uv__queue lost;    /* those that a fork left with the parent */
  struct uv__queue orphans; /* events for watches that scans have added */
  unsigned orphan_count;
  unsigned jobs; /* scans that are out */
  unsigned last_job;
  int scan_fd; /* the scans' own copy of the descriptor, while there are any */
  unsigned scan_generation;
  int is_ending;  /* all watches go at once: none is removed by itself */
  int has_unused; /* a watch without users waits for the scans to end */
};

static inline struct uv__watches* uv__watches_of(const uv_loop_t* loop) {
  return loop->inotify_watchers;
}

/* Returns NULL without memory. */
struct uv__watches* uv__watches_new(void);
/* Frees a table without watches. */
void uv__watches_free(struct uv__watches* table);

/* Returns NULL if there is none. */
struct uv__watch* uv__watch_find(const struct uv__watches* table, int wd);
/* The same, but adds one without users. Returns NULL without memory. */
struct uv__watch* uv__watch_get(struct uv__watches* table, int wd);
/* Removes it from the table, not from the kernel. */
void uv__watch_free(struct uv__watches* table, struct uv__watch* watch);
/* Removes a watch that nobody uses any more, now or when it can (N2). */
void uv__watch_release(uv_loop_t* loop, struct uv__watch* watch);
/* Removes those that nobody uses; no scan is out. */
void uv__watches_sweep(uv_loop_t* loop);

/* Delivers an event to all that use its watch; returns 0 if a callback replaced
 * all watches. `event` stays valid. */
int uv__inotify_deliver(uv_loop_t* loop,
                        struct uv__watch* watch,
                        const struct inotify_event* event,
                        uint64_t position);

struct uv__tree;

/* Does nothing but this tree use the descriptor? */
int uv__inotify_is_only(const uv_loop_t* loop, const struct uv__tree* tree);
/* Closes the descriptor with all its watches; `end` lets go of them first. */
void uv__inotify_close(uv_loop_t* loop,
                       void (*end)(struct uv__tree* tree),
                       struct uv__tree* tree);

/* The position behind the events that are queued now. */
uint64_t uv__inotify_position(const uv_loop_t* loop);

/* The last component of a path, for events of the watched path itself. A copy,
 * because the callback may stop the handle, which frees the path. */
const char* uv__inotify_own_name(const char* path, char out[NAME_MAX + 1]);

/* Everything except changes of content or attributes is UV_RENAME. As in libuv,
 * that includes IN_ISDIR: an attribute change of a directory reports both. */
static inline int uv__inotify_events(uint32_t mask) {
  int events = 0;

  if (mask & UV__INOTIFY_CHANGES)
    events |= UV_CHANGE;
  if (mask & ~(uint32_t) UV__INOTIFY_CHANGES)
    events |= UV_RENAME;
  return events;
}

#endif /* UV_UNIX_FS_EVENT_INOTIFY_H_ */
