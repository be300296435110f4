/* SPDX-License-Identifier: MIT */
/* Slices of the same name at the same place, added up: a tree. */
#ifndef UV_TRACE_FLAME_H_
#define UV_TRACE_FLAME_H_

#include "names.h"

#include <stdio.h>

/* What does not fit any more is left out, and counted. */
#define FLAME_MAX 20000
#define FLAME_ROOT 0

struct flame {
  struct flame_node {
    uint32_t parent;
    uint32_t name;
    uint64_t ns;
    uint64_t count;
  } * nodes; /* parents before their children; the first is the root */
  size_t count;
  size_t room;
  uint64_t left_out;
  struct map node_of; /* by parent and name */
};

void flame_init(struct flame* flame);
void flame_close(struct flame* flame);

/* Adds to the node of this name below `parent`. Returns the node, or `parent`
 * if there is no room. */
uint32_t flame_add(struct flame* flame,
                   uint32_t parent,
                   uint32_t name,
                   uint64_t ns);

/* [[parent, name, ns, count], ...] without the root. */
void flame_print(FILE* out, const struct flame* flame);

#endif /* UV_TRACE_FLAME_H_ */
