/* SPDX-License-Identifier: MIT */
/* A torn last line, lines of other programs and lines too long to be events
 * are counted and skipped; only the system can make reading fail.
 */
#include "reader.h"
#include "base.h"

#include <stdlib.h>
#include <string.h>

/* Also the longest line; the library's are below 2 kB. */
#define READER_SIZE ((size_t) 256 << 10)

void reader_init(struct reader* reader, FILE* file) {
  memset(reader, 0, sizeof(*reader));
  reader->file = file;
  reader->buffer = base_room(READER_SIZE + 1);
}

void reader_close(struct reader* reader) {
  free(reader->buffer);
  reader->buffer = NULL;
}

int reader_rewind(struct reader* reader) {
  char* buffer = reader->buffer;
  FILE* file = reader->file;

  if (fseek(file, 0, SEEK_SET) != 0)
    return -1;
  clearerr(file);
  memset(reader, 0, sizeof(*reader));
  reader->file = file;
  reader->buffer = buffer;
  return 0;
}

static int reader_fill(struct reader* reader) {
  size_t rest = reader->end - reader->begin;

  memmove(reader->buffer, reader->buffer + reader->begin, rest);
  reader->begin = 0;
  reader->end = rest;
  size_t n = fread(reader->buffer + rest, 1, READER_SIZE - rest, reader->file);
  reader->end += n;
  if (n == 0) {
    if (ferror(reader->file))
      return -1;
    reader->is_eof = 1;
  }
  return 0;
}

/* The next line without its end: 1, 0 at the end of the file, -1 on errors. */
static int reader_line(struct reader* reader, char** line, size_t* len) {
  for (;;) {
    char* begin = reader->buffer + reader->begin;
    size_t rest = reader->end - reader->begin;
    char* newline = rest == 0 ? NULL : memchr(begin, '\n', rest);
    if (newline != NULL || (reader->is_eof && rest != 0)) {
      *line = begin;
      *len = newline != NULL ? (size_t) (newline - begin) : rest;
      reader->begin += newline != NULL ? *len + 1 : rest;
      begin[*len] = '\0';
      if (!reader->is_skipping)
        return 1;
      reader->is_skipping = 0;
      continue;
    }
    if (reader->is_eof)
      return 0;
    if (rest == READER_SIZE) {
      reader->nbad += !reader->is_skipping;
      reader->is_skipping = 1;
      reader->begin = reader->end;
    }
    if (reader_fill(reader) != 0)
      return -1;
  }
}

/* The array's brackets and empty lines are no events. */
static int is_frame(struct reader* reader, const char* line, size_t len) {
  while (len > 0 && (line[len - 1] == '\r' || line[len - 1] == ' '))
    len--;
  if (len == 1 && line[0] == ']')
    reader->has_end = 1;
  return len == 0 || (len == 1 && (line[0] == '[' || line[0] == ']'));
}

int reader_next(struct reader* reader, struct event* event) {
  char* line;
  size_t len;
  int result;

  while ((result = reader_line(reader, &line, &len)) > 0) {
    if (is_frame(reader, line, len))
      continue;
    if (event_parse(event, line, len) == 0) {
      reader->nevents++;
      return 1;
    }
    reader->nbad++;
  }
  return result;
}
