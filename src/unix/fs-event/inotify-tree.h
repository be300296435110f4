/* SPDX-License-Identifier: MIT */
/* Watched trees: a node for each directory, kept up to date with what the
 * kernel reports.
 *
 * T1  A node with a watch is in watch->dirs. A watch in the table has a user,
 *     or an event in delivery, or waits for scans to end.
 * T2  A directory is watched first and listed afterwards.
 * T3  Every entry that appears in a watched directory is named at least once,
 *     unless an overflow was reported.
 * T4  No callback after stop. A callback may do anything to any handle: nothing
 *     is read after it that it may have freed.
 * T5  The loop is not kept busy longer than 20 ms by a start and 2 ms by a
 *     batch, apart from callbacks, rounded up to one directory.
 * T6  A program that watches no tree runs none of this.
 *
 * Watches are added by path, which says where a directory is now, while events
 * come from a queue and say where it was. Two rules keep nodes right: an event
 * that is older than `mark` of the node that it names, or than the listing of
 * its directory, says nothing that is not known; and if a path turns out to
 * lead to a directory that another node has, one of the two is in the wrong
 * place (inotify-apply.c).
 */
#ifndef UV_UNIX_FS_EVENT_INOTIFY_TREE_H_
#define UV_UNIX_FS_EVENT_INOTIFY_TREE_H_

#include "pool/lanes.h"
#include "unix/fs-event/inotify.h"
#include "uv/ext.h"

#include <limits.h>
#include <time.h>

/* Room for a path that the kernel takes, and one more name. */
#define UV__TREE_PATH_MAX (PATH_MAX + NAME_MAX + 2)

#define UV__SCAN_PATH_MAX (PATH_MAX + UV__TREE_PATH_MAX)

/* What a directory is scanned for. */
enum {
  UV__SCAN_LIST = 1 << 0,   /* set in all: watch it, list its subdirectories */
  UV__SCAN_RECENT = 1 << 1, /* report what changed since the start */
  UV__SCAN_ALL = 1 << 2,    /* report all entries: the directory is new */
  UV__SCAN_CHECK = 1 << 3,  /* look whether subdirectories are who we think */
  UV__SCAN_DEEP = 1 << 4,   /* the same for theirs, and so on */
  UV__SCAN_ASK = 1 << 5     /* the filter first */
};

enum uv__tree_place {
  UV__TREE_NOWHERE, /* watched, or left out */
  UV__TREE_UNSCANNED,
  UV__TREE_SCANNING,
  UV__TREE_LATE, /* to be scanned when the loop has come to `wait` */
  UV__TREE_MOVED /* has left its name, and has no other so far */
};

/* One directory of one tree. */
struct uv__tree_dir {
  struct uv__watch* watch; /* NULL if it is not watched */
  struct uv__queue user;   /* in watch->dirs */
  struct uv__tree* tree;
  struct uv__tree_dir* parent; /* NULL: the root */
  struct uv__queue children;
  struct uv__queue siblings;   /* in parent->children */
  struct uv__queue queue;      /* in the tree's list of its place */
  struct uv__tree_dir* next;   /* in the same bucket of tree->names, unless it
                                * is in UV__TREE_MOVED or the root */
  uint64_t mark;               /* older events that name it are not about it */
  uint64_t listed;             /* older events of its entries are known */
  uint64_t wait;               /* UV__TREE_LATE */
  unsigned hash;               /* of parent and name */
  unsigned cookie;             /* UV__TREE_MOVED: of the event, or 0 */
  unsigned listing;            /* the last one of the parent that had it */
  unsigned delivery;           /* the last event that it got */
  unsigned named_at;           /* the last one before it got or lost its name */
  unsigned drains;             /* table->drains when it was watched */
  unsigned moves;              /* tree->moves when it was not found */
  unsigned char how;           /* UV__SCAN_*, to be done */
  unsigned char place;         /* enum uv__tree_place */
  unsigned char is_doubtful;   /* may have another name than it has here */
  unsigned char is_missing;    /* UV__TREE_LATE: its path led nowhere */
  unsigned char is_name_moved; /* `name` is a block of its own */
  char* name;
  char first_name[];
};

/* What a handle with UV_FS_EVENT_RECURSIVE has in u.reserved[0]. */
struct uv__tree {
  uv_loop_t* loop;
  uv_fs_event_t* handle; /* NULL once stopped */
  struct uv__queue link; /* in table->trees */
  unsigned pins;         /* callbacks under way: not to be freed */
  struct uv__tree_dir* root;
  struct uv__tree_dir** names; /* all nodes that have one, by `hash` */
  unsigned names_size;         /* a power of two */
  unsigned names_count;
  struct uv__queue unscanned;
  struct uv__queue late;
  struct uv__queue moved;
  size_t unscanned_count;      /* in UNSCANNED, SCANNING, LATE */
  struct uv__tree_dir* asking; /* the filter runs for it; NULL if it is freed */
  unsigned doubts;             /* directories that are doubtful */
  int is_confused;             /* there were some: all is to be checked */
  unsigned confused_at;        /* the event before that */
  unsigned moves;              /* how often a directory got another path */
  unsigned listings;
  unsigned turn;         /* table->turn when it had its last one */
  unsigned last_drains;  /* of the node that was watched last */
  struct timespec since; /* the start */
  int is_displaced;      /* the root has moved: its path is no longer known */
  int has_told_nospc;
  int has_told_long;
  size_t path_len;
  char path[]; /* of the root, absolute if possible */
};

/* The reading of one directory, by the loop or by a worker. */
struct uv__scan {
  struct uv__work work;
  uv_loop_t* loop;
  struct uv__queue link;    /* in table->scans */
  struct uv__tree* tree;    /* NULL: nobody wants the result any more */
  struct uv__tree_dir* dir; /* likewise */
  unsigned job;             /* its number */
  int is_lost;              /* the parent's, after a fork */
  /* For the worker. */
  int fd;
  int is_root; /* watched already, and may be reached through a link */
  unsigned how;
  struct timespec since;
  const unsigned* position_low;
  uint64_t deadline_ns; /* the listing may end early; 0: not */
  /* The result. */
  int err; /* of watching, then of listing */
  int wd;  /* -1: not watched */
  unsigned mark_low;
  int is_partial; /* not all of it was listed */
  char* names;    /* enum uv__scan_entry, name, '\0', and so on */
  size_t used;
  size_t size;
  size_t path_at; /* where the relative path begins */
  char path[];
};

/* Flags of an entry in uv__scan.names. */
enum uv__scan_entry {
  UV__ENTRY_DIR = 1 << 0,
  UV__ENTRY_REPORT = 1 << 1,
  UV__ENTRY_MOVED = 1 << 2 /* a directory that is older than its place here */
};

static inline struct uv__tree* uv__tree_of(const uv_fs_event_t* handle) {
  return handle->u.reserved[0];
}

static inline int uv__tree_has_filter(const struct uv__tree* tree) {
  return tree->handle->u.reserved[1] != NULL;
}

static inline struct uv__tree_dir* uv__tree_user(struct uv__queue* q) {
  return container_of(q, struct uv__tree_dir, user);
}

/* inotify-tree.c: trees and nodes. */

/* Called with the descriptor open. Returns 0 with the tree in the handle (or
 * gone again: the filter may stop it), or why the root cannot be watched. */
int uv__tree_start(uv_fs_event_t* handle);
void uv__tree_stop(uv_fs_event_t* handle);
/* Ends all trees of the loop and collects their handles. */
void uv__trees_take(uv_loop_t* loop, struct uv__queue* handles);

/* Keeps the tree itself, not its nodes, while callbacks run. */
void uv__tree_pin(struct uv__tree* tree);
void uv__tree_unpin(struct uv__tree* tree);

/* Returns NULL without memory. */
struct uv__tree_dir* uv__tree_dir_new(struct uv__tree* tree,
                                      struct uv__tree_dir* parent,
                                      const char* name,
                                      uint64_t mark);
/* Frees it and all below it. */
void uv__tree_dir_free(struct uv__tree_dir* dir);
struct uv__tree_dir* uv__tree_find(const struct uv__tree_dir* parent,
                                   const char* name);
/* Takes its name away; it keeps its place in the tree for its path. */
void uv__tree_unname(struct uv__tree_dir* dir, unsigned cookie);
/* Gives it another one. Returns UV_ENOMEM, and it is as before. */
int uv__tree_rename(struct uv__tree_dir* dir,
                    struct uv__tree_dir* parent,
                    const char* name);
/* Is it `top`, or below it? */
int uv__tree_is_within(const struct uv__tree_dir* dir,
                       const struct uv__tree_dir* top);
/* Is it the one that its path leads to? What is reported of a directory with a
 * doubtful name, and of those below it, is reported again. */
void uv__tree_doubt(struct uv__tree_dir* dir, int is_doubtful);
/* Has the whole tree scanned again. If the root is no longer where it was, the
 * tree stays what it is. */
void uv__tree_scan_again(struct uv__tree* tree);
/* The same if there were doubts, and nothing is left to be scanned. */
void uv__tree_check(struct uv__tree* tree);
/* The path of the root is no longer known. What is watched stays so, under the
 * same names; nothing is added. */
void uv__tree_displace(struct uv__tree* tree);
/* Events since it got or lost its name were reported with wrong paths: reads
 * what is below it again. */
void uv__tree_report_again(struct uv__tree_dir* top);
/* The node after `dir` in the part of the tree below `top`, or NULL. */
struct uv__tree_dir* uv__tree_next(const struct uv__tree_dir* dir,
                                   const struct uv__tree_dir* top);
/* Its path relative to the root, then `name` if that is not NULL. Returns NULL
 * if it is too long. */
const char* uv__tree_path(const struct uv__tree_dir* dir,
                          const char* name,
                          char buf[UV__TREE_PATH_MAX]);
void uv__tree_watch(struct uv__tree_dir* dir, struct uv__watch* watch);
void uv__tree_unwatch(struct uv__tree_dir* dir);
void uv__tree_put(struct uv__tree_dir* dir, enum uv__tree_place place);
/* Has it scanned for more. */
void uv__tree_queue(struct uv__tree_dir* dir, unsigned how);

/* inotify-scan.c: reading directories. */

/* Reads unscanned directories on this thread until `deadline_ns`: all, or those
 * that are new. */
void uv__scan_here(struct uv__tree* tree, uint64_t deadline_ns, int only_new);
/* Has workers read the rest. */
void uv__scan_pump(uv_loop_t* loop);
/* The node is gone, or has another path: drops the result of its scan. */
void uv__scan_forget(struct uv__tree_dir* dir);
/* Has a directory read when there is another event, because there is no memory
 * or descriptor now. */
void uv__scan_later(struct uv__tree_dir* dir, unsigned how);
/* In the child of a fork: there are no workers. */
void uv__scans_fork(uv_loop_t* loop);
void uv__scans_close(uv_loop_t* loop);
/* The absolute path of a directory, then `name` if that is not NULL; NULL if it
 * is far too long. */
const char* uv__scan_path(const struct uv__tree_dir* dir,
                          const char* name,
                          char buf[UV__SCAN_PATH_MAX]);

/* inotify-apply.c: what was read, into the tree. */

/* The watch of the inode that this path leads to now; UV_E* if there is none.
 * If the table does not know the watch, it goes unless a scan needs it. */
int uv__tree_look(const struct uv__tree_dir* parent, const char* name);

/* Called with the tree pinned. Callbacks may run. */
void uv__scan_apply(struct uv__scan* scan);

/* inotify-change.c: events. */

/* An event of a directory. Callbacks may run; `dir` may be gone afterwards. */
void uv__tree_event(struct uv__tree_dir* dir,
                    const struct inotify_event* event,
                    uint64_t position);
/* The watch of a directory has ended with its inode: looks what has its name
 * now, if it still has one. */
void uv__tree_retire(struct uv__tree_dir* dir);
/* An event of an unknown watch. */
void uv__tree_orphan(uv_loop_t* loop,
                     const struct inotify_event* event,
                     uint64_t position);
/* Delivers what was kept for a watch that is now known. */
void uv__orphans_replay(uv_loop_t* loop, int wd);
/* Forgets events that no scan that is out can have caused. */
void uv__orphans_trim(uv_loop_t* loop);
/* Events were lost. Callbacks run. */
void uv__trees_overflow(uv_loop_t* loop);
/* After the events of one wake-up; is_empty: the queue was read to its end. */
void uv__trees_end_batch(uv_loop_t* loop, int is_empty);
/* Ends what has lost its name and gets no other. is_drained: all events were
 * delivered. */
void uv__tree_end_moves(struct uv__tree* tree, int is_drained);
/* Tells of a directory that cannot be watched, once per tree and error. */
void uv__tree_tell(struct uv__tree* tree, const char* path, int err);
void uv__tree_report(struct uv__tree* tree,
                     const char* path,
                     int events,
                     int status);

#endif /* UV_UNIX_FS_EVENT_INOTIFY_TREE_H_ */
