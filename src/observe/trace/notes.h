/* SPDX-License-Identifier: MIT */
/* Lines for the trace that other threads of the library have formatted: few and
 * long, so that no record could hold them. */
#ifndef UV_OBSERVE_TRACE_NOTES_H_
#define UV_OBSERVE_TRACE_NOTES_H_

#include "util/base.h"

/* A line is no longer than this, with its end. */
#define UV__TRACE_NOTE_MAX ((size_t) 16 << 10)

struct uv__trace_note {
  struct uv__trace_note* next;
  size_t length;
  char line[1];
};

/* Copies the line, which ends in ",\n", for the trace that is on. Dropped if
 * there is no memory, or if too many wait. Context: any thread. */
void uv__trace_note_add(const char* line, size_t length);

/* All that wait, oldest first; each is freed by the caller. Context: the
 * trace's thread. */
struct uv__trace_note* uv__trace_notes_take(void);

/* Those of an earlier trace. */
void uv__trace_notes_clear(void);

#endif /* UV_OBSERVE_TRACE_NOTES_H_ */
