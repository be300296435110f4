/* SPDX-License-Identifier: MIT */
#include "flame.h"
#include "base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void flame_init(struct flame* flame) {
  memset(flame, 0, sizeof(*flame));
  flame->nodes = base_grow(NULL, 0, &flame->room, sizeof(*flame->nodes));
  memset(flame->nodes, 0, sizeof(*flame->nodes));
  flame->count = 1;
}

void flame_close(struct flame* flame) {
  free(flame->nodes);
  map_close(&flame->node_of);
}

uint32_t flame_add(struct flame* flame,
                   uint32_t parent,
                   uint32_t name,
                   uint64_t ns) {
  uint64_t key = (uint64_t) parent << 32 | name;
  int is_new = 0;

  if (flame->count == FLAME_MAX) {
    flame->left_out++;
    return parent;
  }
  uint32_t i = map_add(&flame->node_of, key, (uint32_t) flame->count, &is_new);
  if (is_new) {
    flame->nodes = base_grow(flame->nodes, flame->count, &flame->room,
                             sizeof(*flame->nodes));
    struct flame_node fresh = { parent, name, 0, 0 };
    flame->nodes[flame->count++] = fresh;
  }
  flame->nodes[i].ns = base_add(flame->nodes[i].ns, ns);
  flame->nodes[i].count++;
  return i;
}

void flame_print(FILE* out, const struct flame* flame) {
  fputc('[', out);
  for (size_t i = 1; i < flame->count; i++) {
    const struct flame_node* node = &flame->nodes[i];
    fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 "]",
            i == 1 ? "" : ",", node->parent, node->name, node->ns, node->count);
  }
  fputc(']', out);
}
