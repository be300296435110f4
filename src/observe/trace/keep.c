/* SPDX-License-Identifier: MIT */
#include "observe/trace/keep.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <string.h>

int uv__trace_keep_init(struct uv__trace_keep* keep, size_t size) {
  assert(size > 0);
  memset(keep, 0, sizeof(*keep));
  keep->text = uv__malloc(size);
  keep->size = size;
  return keep->text == NULL ? UV_ENOMEM : 0;
}

void uv__trace_keep_free(struct uv__trace_keep* keep) {
  uv__free(keep->text);
  keep->text = NULL;
}

void uv__trace_keep_add(struct uv__trace_keep* keep,
                        const char* lines,
                        size_t length) {
  uint64_t end = uv__load_relaxed(&keep->end);
  size_t at = (size_t) (end % keep->size);
  size_t first = uv__min_size(length, keep->size - at);

  assert(length <= keep->size);
  /* First: a thread that crashes may read while this one is interrupted in the
   * middle of the copy, and must not take what is being replaced. Pairs with
   * uv__trace_keep_get(). */
  uv__exchange(&keep->reserved, end + length);
  memcpy(keep->text + at, lines, first);
  memcpy(keep->text, lines + first, length - first);
  /* Release: the text. */
  uv__store_release(&keep->end, end + length);
}

/* Moves the beginning to the next line. */
static void skip_line(struct uv__trace_part parts[2]) {
  for (int i = 0; i < 2; i++) {
    struct uv__trace_part* part = &parts[i];
    const char* newline = NULL;
    if (part->length != 0)
      newline = memchr(part->text, '\n', part->length);
    if (newline != NULL) {
      part->length -= (size_t) (newline + 1 - part->text);
      part->text = newline + 1;
      return;
    }
    part->length = 0;
  }
}

void uv__trace_keep_get(const struct uv__trace_keep* keep,
                        struct uv__trace_part parts[2]) {
  /* Acquire: the text. Pairs with uv__trace_keep_add(). */
  uint64_t end = uv__load_acquire(&keep->end);
  uint64_t reserved = uv__load_acquire(&keep->reserved);
  uint64_t begin = reserved > keep->size ? reserved - keep->size : 0;

  if (begin > end)
    begin = end; /* all of it is being replaced */
  size_t at = (size_t) (begin % keep->size);
  size_t length = (size_t) (end - begin);
  parts[0].text = keep->text + at;
  parts[0].length = uv__min_size(length, keep->size - at);
  parts[1].text = keep->text;
  parts[1].length = length - parts[0].length;
  if (begin != 0)
    skip_line(parts);
}
