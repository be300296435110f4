/* SPDX-License-Identifier: MIT */
/* Snapshots of a directory, to find out which entries were added or removed. */
#ifndef UV_UNIX_FS_EVENT_DIR_NAMES_H_
#define UV_UNIX_FS_EVENT_DIR_NAMES_H_

#include "util/base.h"

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

/* Entries of the largest directory that is read: it happens on the loop's
 * thread after every change, and each entry costs about ten microseconds. */
#define UV__DIR_NAMES_MAX 256

/* Reads the directory open as `fd`, whose position stays unchanged. 0,
 * UV_EFBIG for a directory with too many entries, or another UV_E*; *out is
 * NULL on failure. */
int uv__dir_names_read(int fd, struct uv__dir_names** out);

/* Iterates over the differences: the next name that is in only one list, or has
 * another inode, or NULL. *i and *k start at 0. The name is valid as long as
 * both lists are. */
const char* uv__dir_names_next(const struct uv__dir_names* before,
                               const struct uv__dir_names* after,
                               size_t* i,
                               size_t* k);

#endif /* UV_UNIX_FS_EVENT_DIR_NAMES_H_ */
