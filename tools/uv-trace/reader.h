/* SPDX-License-Identifier: MIT */
/* The events of a trace file, one after the other, in constant memory. */
#ifndef UV_TRACE_READER_H_
#define UV_TRACE_READER_H_

#include "event.h"

#include <stdio.h>

struct reader {
  FILE* file;       /* owned by the caller */
  char* buffer;     /* READER_SIZE bytes and one for a NUL */
  size_t begin;     /* of what is not yet read */
  size_t end;       /* of the buffer's contents */
  int is_eof;       /* the buffer has the file's last byte */
  int is_skipping;  /* within a line that is too long */
  int has_end;      /* the array is closed: the trace was stopped properly */
  uint64_t nevents; /* returned so far */
  uint64_t nbad;    /* lines that are no events, a torn last one included */
};

void reader_init(struct reader* reader, FILE* file);
void reader_close(struct reader* reader);

/* Starts again at the file's beginning; -1 if the file is a pipe. */
int reader_rewind(struct reader* reader);

/* 1: the next event, valid until the next call; 0: there is none; -1: reading
 * failed, errno says why. */
int reader_next(struct reader* reader, struct event* event);

#endif /* UV_TRACE_READER_H_ */
