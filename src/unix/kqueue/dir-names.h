/* SPDX-License-Identifier: MIT */
/* Snapshots of a directory, to find out which entries were added or removed. */
#ifndef UV_UNIX_DIR_NAMES_H_
#define UV_UNIX_DIR_NAMES_H_

#include "base.h"

/* One name and the inode behind it. */
struct uv__dir_name {
  const char* name; /* in the same block */
  uint64_t ino;
};

/* Sorted by name; one block, freed with uv__free(). */
struct uv__dir_names {
  size_t count;
  struct uv__dir_name entries[];
};

/* Reads the directory open as `fd`, whose position stays unchanged. NULL
 * without memory, or if it cannot be read. */
struct uv__dir_names* uv__dir_names_read(int fd);

/* Iterates over the differences: the next name that is in only one list, or has
 * another inode, or NULL. *i and *k start at 0. The name is valid as long as
 * both lists are. */
const char* uv__dir_names_next(const struct uv__dir_names* before,
                               const struct uv__dir_names* after,
                               size_t* i,
                               size_t* k);

#endif /* UV_UNIX_DIR_NAMES_H_ */
