/* SPDX-License-Identifier: MIT */
/* A watched tree for tests, with all that was reported of it. */
#ifndef FS_EVENT_TREE_H_
#define FS_EVENT_TREE_H_

#include "test.h"
#include "uv/ext.h"

struct tree_name {
  struct tree_name* next;
  int events; /* all that were reported of it */
  char path[];
};

struct tree {
  uv_loop_t loop; /* must be first */
  uv_fs_event_t handle;
  const char* root;
  struct tree_name* names[4096];
  unsigned ncalls;
  unsigned noverflows; /* calls without a name */
  int is_error_expected;
  int nerrors;
  int error; /* the last one */
  char error_path[8192];
};

/* Starts watching `root`, which is made if there is none. Skips the test where
 * the library does not watch trees by itself. */
void tree_start(struct tree* tree,
                const char* root,
                uvx_fs_event_filter_cb filter);
/* The same without making or checking anything: for a loop that exists. */
void tree_add(struct tree* tree, uv_loop_t* loop, const char* root);
void tree_end(struct tree* tree);

/* What was reported of a path so far; 0: nothing. */
int tree_events(struct tree* tree, const char* path);
/* Runs the loop until it was named. */
void tree_wait(struct tree* tree, const char* path);
/* Runs the loop until all events that are queued were delivered, and the tree
 * is complete. */
void tree_settle(struct tree* tree);
/* The directories of the root are what the kernel watches for this process. */
void tree_check(struct tree* tree);
/* Two names change places. Skips the test where that cannot be had. */
void tree_exchange(const char* one, const char* other);
/* The kernel's watches of this process. */
int tree_count_watches(void);

void tree_on_event(uv_fs_event_t* handle,
                   const char* name,
                   int events,
                   int status);

#endif /* FS_EVENT_TREE_H_ */
