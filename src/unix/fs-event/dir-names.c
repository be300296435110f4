/* SPDX-License-Identifier: MIT */
/* Directory listings and their differences; see dir-names.h. */
#include "unix/fs-event/dir-names.h"
#include "unix/fd.h"
#include "util/alloc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names while the directory is read; offsets, because the buffer may move. */
struct reader {
  struct uv__dir_name* entries; /* .name is an offset into text, see below */
  size_t count;
  size_t entries_room;
  char* text;
  size_t text_size;
  size_t text_room;
};

static int make_room(void** memory, size_t* room, size_t need, size_t size) {
  if (need <= *room)
    return 0;

  size_t wanted = *room == 0 ? 64 : *room;
  while (wanted < need)
    wanted *= 2;
  void* grown = uv__realloc_array(*memory, wanted, size);
  if (grown == NULL)
    return UV_ENOMEM;
  *memory = grown;
  *room = wanted;
  return 0;
}

static int add_name(struct reader* r, const char* name, uint64_t ino) {
  size_t size = strlen(name) + 1;
  void* entries = r->entries;
  void* text = r->text;

  int err =
      make_room(&entries, &r->entries_room, r->count + 1, sizeof(*r->entries));
  r->entries = entries;
  if (err == 0)
    err = make_room(&text, &r->text_room, r->text_size + size, 1);
  r->text = text;
  if (err != 0)
    return err;

  memcpy(r->text + r->text_size, name, size);
  r->entries[r->count].name = (const char*) (uintptr_t) r->text_size;
  r->entries[r->count++].ino = ino;
  r->text_size += size;
  return 0;
}

static int read_all(struct reader* r, DIR* dir) {
  struct dirent* entry;

  while ((entry = readdir(dir)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    if (r->count == UV__DIR_NAMES_MAX)
      return UV_EFBIG;
    int err = add_name(r, entry->d_name, (uint64_t) entry->d_ino);
    if (err != 0)
      return err;
  }
  return 0;
}

static int entry_compare(const void* a, const void* b) {
  return strcmp(((const struct uv__dir_name*) a)->name,
                ((const struct uv__dir_name*) b)->name);
}

/* All in one block, sorted. */
static int reader_pack(const struct reader* r, struct uv__dir_names** out) {
  size_t size = sizeof(struct uv__dir_names) + r->count * sizeof(*r->entries);
  struct uv__dir_names* names = uv__malloc(size + r->text_size);
  if (names == NULL)
    return UV_ENOMEM;

  char* text = (char*) names + size;
  *out = names;
  names->count = r->count;
  if (r->count == 0)
    return 0;
  memcpy(text, r->text, r->text_size);
  memcpy(names->entries, r->entries, r->count * sizeof(*r->entries));
  for (size_t i = 0; i < r->count; i++)
    names->entries[i].name = text + (uintptr_t) r->entries[i].name;
  qsort(names->entries, names->count, sizeof(*names->entries), entry_compare);
  return 0;
}

/* Opens the directory once more: duplicates share the read position. */
static int open_again(int fd, DIR** out) {
  int own_fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own_fd == -1)
    return uv__errno();
  *out = fdopendir(own_fd);
  if (*out != NULL)
    return 0;
  int err = uv__errno();
  (void) uv__fd_close(own_fd); /* only read from */
  return err;
}

int uv__dir_names_read(int fd, struct uv__dir_names** out) {
  struct reader r = { .count = 0 };
  DIR* dir;

  *out = NULL;
  int err = open_again(fd, &dir);
  if (err != 0)
    return err;
  err = read_all(&r, dir);
  if (err == 0)
    err = reader_pack(&r, out);
  closedir(dir);
  uv__free(r.entries);
  uv__free(r.text);
  return err;
}

const char* uv__dir_names_next(const struct uv__dir_names* before,
                               const struct uv__dir_names* after,
                               size_t* i,
                               size_t* k) {
  while (*i < before->count || *k < after->count) {
    if (*k == after->count)
      return before->entries[(*i)++].name;
    if (*i == before->count)
      return after->entries[(*k)++].name;

    const struct uv__dir_name* old = &before->entries[*i];
    const struct uv__dir_name* new = &after->entries[*k];
    int order = strcmp(old->name, new->name);
    *i += order <= 0;
    *k += order >= 0;
    if (order < 0)
      return old->name;
    if (order > 0 || old->ino != new->ino)
      return new->name;
  }
  return NULL;
}
