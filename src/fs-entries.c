/* SPDX-License-Identifier: MIT */
/* Directory entries in one block; see os/fs-entries.h. */
#include "os/fs-entries.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The first block. Small directories need no second one. */
#define FIRST_SIZE 1024

static int is_dot_or_dotdot(const char* name) {
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int entries_reserve(struct uv__entries* entries, size_t bytes) {
  if (entries->size - entries->used >= bytes)
    return 0;

  size_t size = entries->size == 0 ? FIRST_SIZE : entries->size;
  while (size - entries->used < bytes) {
    if (size > SIZE_MAX / 2)
      return UV_ENOMEM;
    size *= 2;
  }

  char* grown = uv__realloc(entries->records, size);
  if (grown == NULL)
    return UV_ENOMEM;

  entries->records = grown;
  entries->size = size;
  return 0;
}

int uv__entries_add(struct uv__entries* entries,
                    const char* name,
                    uv_dirent_type_t type) {
  if (is_dot_or_dotdot(name))
    return 0;

  size_t name_size = strlen(name) + 1;
  int err = entries_reserve(entries, 1 + name_size);
  if (err != 0)
    return err;

  char* record = entries->records + entries->used;
  record[0] = (char) type;
  memcpy(record + 1, name, name_size);
  entries->used += 1 + name_size;
  entries->count++;
  return 0;
}

static const char* next_record(const char* record) {
  return record + 1 + strlen(record + 1) + 1;
}

static void export_record(const char* record, uv_dirent_t* out) {
  out->name = record + 1;
  out->type = (uv_dirent_type_t) record[0];
}

static int compare_names(const void* a, const void* b) {
  const char* const* left = a;
  const char* const* right = b;
  return strcmp(*left + 1, *right + 1);
}

/* Orders by name, bytewise, for uv__entries_next(): 0 or UV_ENOMEM. */
static int entries_sort(struct uv__entries* entries) {
  if (entries->count == 0)
    return 0;

  const char** sorted = uv__malloc_array(entries->count, sizeof(*sorted));
  if (sorted == NULL)
    return UV_ENOMEM;

  const char* record = entries->records;
  for (size_t i = 0; i < entries->count; i++) {
    sorted[i] = record;
    record = next_record(record);
  }

  qsort(sorted, entries->count, sizeof(*sorted), compare_names);
  entries->sorted = sorted;
  entries->next = 0;
  return 0;
}

int uv__entries_next(struct uv__entries* entries, uv_dirent_t* out) {
  if (entries->sorted == NULL || entries->next == entries->count)
    return UV_EOF;

  export_record(entries->sorted[entries->next++], out);
  return 0;
}

void uv__entries_list(const struct uv__entries* entries, uv_dirent_t* out) {
  const char* record = entries->records;

  for (size_t i = 0; i < entries->count; i++) {
    export_record(record, &out[i]);
    record = next_record(record);
  }
}

static int entries_keep(const struct uv__entries* entries, void** ptr) {
  struct uv__entries* kept = uv__malloc(sizeof(*kept));
  if (kept == NULL)
    return UV_ENOMEM;

  *kept = *entries;
  *ptr = kept;
  return 0;
}

ssize_t uv__entries_finish(struct uv__entries* entries, int err, void** ptr) {
  if (err == 0)
    err = entries_sort(entries);
  if (err == 0 && entries->count > 0)
    err = entries_keep(entries, ptr);

  if (err != 0) {
    uv__entries_close(entries);
    return err;
  }
  return (ssize_t) entries->count;
}

void uv__entries_close(struct uv__entries* entries) {
  uv__free(entries->records);
  uv__free(entries->sorted);
  *entries = (struct uv__entries) { 0 };
}
