/* SPDX-License-Identifier: MIT */
/* Hash table of the fds opened with UV_FS_O_FILEMAP.
 *
 * Chained buckets. Nodes are allocated in groups and go to a free list when
 * removed, so the table never shrinks. Included only by fs-map.c and by libuv's
 * own test of the table, which needs the names below. Context: any; the lock
 * guards everything.
 */
#ifndef UV_WIN_FS_FD_HASH_INL_H_
#define UV_WIN_FS_FD_HASH_INL_H_

#include "uv.h"
#include "../util/alloc.h" /* relative: the test has other include paths */

#define UV__FD_HASH_SIZE 256      /* number of buckets */
#define UV__FD_HASH_GROUP_SIZE 16 /* nodes per allocation */

struct uv__fd_info_s {
  int flags; /* UV_FS_O_* it was opened with */
};

struct uv__fd_node {
  struct uv__fd_node* next; /* in its chain or in the free list */
  int fd;
  struct uv__fd_info_s info;
};

static struct uv__fd_table {
  SRWLOCK lock;
  struct uv__fd_node* free_nodes;
  struct uv__fd_node* chains[UV__FD_HASH_SIZE];
} uv__fd_table = { SRWLOCK_INIT, NULL, { NULL } };

/* For the test; the table needs no initialisation. */
static inline void uv__fd_hash_init(void) {
  InitializeSRWLock(&uv__fd_table.lock);
}

/* The link to the node of `fd`, or the NULL at the end of its chain. */
static inline struct uv__fd_node** uv__fd_hash_find(int fd) {
  unsigned int bucket = (unsigned int) fd % UV__FD_HASH_SIZE;
  struct uv__fd_node** link = &uv__fd_table.chains[bucket];

  while (*link != NULL && (*link)->fd != fd)
    link = &(*link)->next;
  return link;
}

static inline struct uv__fd_node* uv__fd_hash_new_node(void) {
  if (uv__fd_table.free_nodes == NULL) {
    struct uv__fd_node* block = (struct uv__fd_node*) uv__calloc(
        UV__FD_HASH_GROUP_SIZE, sizeof(*block));
    if (block == NULL)
      return NULL;

    for (int i = 0; i + 1 < UV__FD_HASH_GROUP_SIZE; i++)
      block[i].next = &block[i + 1];
    uv__fd_table.free_nodes = block;
  }

  struct uv__fd_node* node = uv__fd_table.free_nodes;
  uv__fd_table.free_nodes = node->next;
  return node;
}

/* Adds or replaces: 0 or UV_ENOMEM. */
static inline int uv__fd_hash_add(int fd, const struct uv__fd_info_s* info) {
  int err = 0;

  AcquireSRWLockExclusive(&uv__fd_table.lock);
  struct uv__fd_node** link = uv__fd_hash_find(fd);
  struct uv__fd_node* node = *link;
  if (node == NULL) {
    node = uv__fd_hash_new_node();
    if (node == NULL) {
      err = UV_ENOMEM;
    } else {
      node->next = NULL;
      node->fd = fd;
      *link = node;
    }
  }
  if (node != NULL)
    node->info = *info;
  ReleaseSRWLockExclusive(&uv__fd_table.lock);
  return err;
}

/* Both return whether the fd was found, and if so store its info. */
static inline int uv__fd_hash_get(int fd, struct uv__fd_info_s* info) {
  AcquireSRWLockShared(&uv__fd_table.lock);
  const struct uv__fd_node* node = *uv__fd_hash_find(fd);
  if (node != NULL)
    *info = node->info;
  ReleaseSRWLockShared(&uv__fd_table.lock);
  return node != NULL;
}

static inline int uv__fd_hash_remove(int fd, struct uv__fd_info_s* info) {
  AcquireSRWLockExclusive(&uv__fd_table.lock);
  struct uv__fd_node** link = uv__fd_hash_find(fd);
  struct uv__fd_node* node = *link;
  if (node != NULL) {
    *info = node->info;
    *link = node->next;
    node->next = uv__fd_table.free_nodes;
    uv__fd_table.free_nodes = node;
  }
  ReleaseSRWLockExclusive(&uv__fd_table.lock);
  return node != NULL;
}

#endif /* UV_WIN_FS_FD_HASH_INL_H_ */
