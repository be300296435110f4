/* SPDX-License-Identifier: MIT */
#include "observe/trace/notes.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <string.h>

#define WAITING_MAX 1024

static struct uv__trace_note* newest; /* atomic: the others follow */
static unsigned waiting;              /* atomic: how many, about */

void uv__trace_note_add(const char* line, size_t length) {
  assert(length <= UV__TRACE_NOTE_MAX);
  if (uv__load_relaxed(&waiting) >= WAITING_MAX)
    return;
  struct uv__trace_note* note = uv__malloc(sizeof(*note) + length);
  if (note == NULL)
    return;
  note->length = length;
  memcpy(note->line, line, length);
  uv__fetch_add(&waiting, 1);
  /* Release: the note. Pairs with uv__trace_notes_take(). */
  note->next = uv__load_relaxed(&newest);
  while (!uv__cas_weak(&newest, &note->next, note))
    continue;
}

struct uv__trace_note* uv__trace_notes_take(void) {
  struct uv__trace_note* note = NULL;
  struct uv__trace_note* oldest = NULL;

  if (uv__load_relaxed(&newest) != NULL)
    note = uv__exchange(&newest, NULL);
  while (note != NULL) {
    struct uv__trace_note* next = note->next;
    note->next = oldest;
    oldest = note;
    note = next;
    uv__fetch_sub(&waiting, 1);
  }
  return oldest;
}

void uv__trace_notes_clear(void) {
  struct uv__trace_note* note = uv__trace_notes_take();

  while (note != NULL) {
    struct uv__trace_note* next = note->next;
    uv__free(note);
    note = next;
  }
}
