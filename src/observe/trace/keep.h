/* SPDX-License-Identifier: MIT */
/* Memory for the last lines of a trace: a ring of text, which the trace's
 * thread alone writes. A thread that crashes reads it beside that, if it must.
 */
#ifndef UV_OBSERVE_TRACE_KEEP_H_
#define UV_OBSERVE_TRACE_KEEP_H_

#include "util/base.h"

struct uv__trace_keep {
  char* text; /* NULL: nothing is kept */
  size_t size;
  uint64_t reserved; /* atomic: bytes ever added, with those being added */
  uint64_t end;      /* atomic: bytes ever added */
};

/* 0 or UV_ENOMEM. The system supplies the pages as they are filled. */
int uv__trace_keep_init(struct uv__trace_keep* keep, size_t size);
void uv__trace_keep_free(struct uv__trace_keep* keep);

/* Adds whole lines, no longer than the ring, in place of the oldest. */
void uv__trace_keep_add(struct uv__trace_keep* keep,
                        const char* lines,
                        size_t length);

/* A part of what is kept: the first whole line is in the first part. */
struct uv__trace_part {
  const char* text;
  size_t length;
};

/* Stores where the lines are, oldest first; valid until the next add. Context:
 * any | signal. */
void uv__trace_keep_get(const struct uv__trace_keep* keep,
                        struct uv__trace_part parts[2]);

#endif /* UV_OBSERVE_TRACE_KEEP_H_ */
