/* SPDX-License-Identifier: MIT */
#include "stacks.h"
#include "base.h"

#include <stdlib.h>
#include <string.h>

void stacks_init(struct stacks* stacks) {
  memset(stacks, 0, sizeof(*stacks));
  flame_init(&stacks->tree);
}

void stacks_close(struct stacks* stacks) {
  flame_close(&stacks->tree);
  map_close(&stacks->row_of);
  free(stacks->rows);
}

static struct stacks_row* row_of(struct stacks* stacks, uint32_t name) {
  struct stacks_row fresh = { name, 0, 0, 0 };
  int is_new = 0;

  if (stacks->count == STACKS_ROWS)
    return &stacks->rows[STACKS_ROWS - 1];
  uint32_t i =
      map_add(&stacks->row_of, name, (uint32_t) stacks->count, &is_new);
  if (!is_new)
    return &stacks->rows[i];
  if (stacks->count == STACKS_ROWS - 1)
    fresh.name = NAMES_OTHER;
  stacks->rows = base_grow(stacks->rows, stacks->count, &stacks->room,
                           sizeof(*stacks->rows));
  stacks->rows[stacks->count++] = fresh;
  return &stacks->rows[i];
}

/* Is the frame's function among those that it was called by? */
static int is_recursive(const uint32_t* names, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (names[k] == names[i])
      return 1;
  return 0;
}

void stacks_add(struct stacks* stacks,
                uint32_t callback,
                const uint32_t* names,
                size_t count,
                uint64_t ns) {
  uint32_t node = flame_add(&stacks->tree, FLAME_ROOT, callback, ns);

  stacks->samples++;
  stacks->ns = base_add(stacks->ns, ns);
  for (size_t i = 0; i < count; i++) {
    struct stacks_row* row = row_of(stacks, names[i]);
    node = flame_add(&stacks->tree, node, names[i], ns);
    if (row->depth < i)
      row->depth = i;
    if (!is_recursive(names, i))
      row->ns = base_add(row->ns, ns);
    if (i == count - 1)
      row->self_ns = base_add(row->self_ns, ns);
  }
}

/* Of those with the same time the innermost: the others only led to it. */
static int by_time(const void* a, const void* b) {
  const struct stacks_row* x = a;
  const struct stacks_row* y = b;

  if (x->ns != y->ns)
    return x->ns < y->ns ? 1 : -1;
  return x->depth < y->depth ? 1 : x->depth > y->depth ? -1 : 0;
}

void stacks_sort(struct stacks* stacks) {
  if (stacks->count != 0)
    qsort(stacks->rows, stacks->count, sizeof(*stacks->rows), by_time);
}

/* How far V8 has compiled a function is of no interest: it is one function. */
static const char* skip_tier(const char* name) {
  if (strncmp(name, "JS:", 3) != 0)
    return name;
  for (name += 3; *name != '\0' && strchr("~*^+'", *name) != NULL;)
    name++;
  return name;
}

void stacks_name(char* name, size_t size, const char* frame) {
  size_t length = strlen(frame);
  const char* open = strstr(frame, " (");
  const char* from = skip_tier(frame);
  size_t used = strlen(from);

  if (open != NULL && length != 0 && frame[length - 1] == ')' &&
      strstr(frame, "+0x") != NULL && strstr(frame, "+0x") < open) {
    from = open + 2;
    used = strlen(from) - 1;
    const char* offset = NULL;
    for (const char* at = strstr(from, "+0x"); at != NULL;
         at = strstr(at + 1, "+0x"))
      offset = at;
    if (offset != NULL)
      used = (size_t) (offset - from);
  }
  if (used >= size)
    used = size - 1;
  memcpy(name, from, used);
  name[used] = '\0';
}
