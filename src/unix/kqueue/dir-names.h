/* SPDX-License-Identifier: MIT */
/* What is in a directory, to tell later what came and went. */
#ifndef UV_UNIX_DIR_NAMES_H_
#define UV_UNIX_DIR_NAMES_H_

#include "base.h"

/* One name and which file had it. */
struct uv__dir_name {
  const char* name; /* in the same block */
  uint64_t ino;
};

/* Sorted by name; one block, freed with uv__free(). */
struct uv__dir_names {
  size_t count;
  struct uv__dir_name entries[];
};

/* Reads the directory that is open as `fd`, which stays as it is: NULL without
 * memory, or if it cannot be read. */
struct uv__dir_names* uv__dir_names_read(int fd);

/* Steps through the differences: the next name that is in one of the two only,
 * or stands for another file, or NULL. *i and *k start as 0. The name lives as
 * long as both lists. */
const char* uv__dir_names_next(const struct uv__dir_names* before,
                               const struct uv__dir_names* after,
                               size_t* i,
                               size_t* k);

#endif /* UV_UNIX_DIR_NAMES_H_ */
