/* SPDX-License-Identifier: MIT */
/* Names of generated code, such as JavaScript functions, from the map that
 * run-time compilers write for perf(1): lines "START SIZE NAME", the numbers in
 * hexadecimal, in /tmp/perf-PID.map. Node writes it with --perf-basic-prof:
 * https://www.brendangregg.com/perf.html#JIT_Symbols
 *
 * Anybody can create that file, so only one of this user's is read, and only
 * printable text is taken from it.
 */
#include "os/symbol.h"
#include "unix/fd.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The rest of a larger file is ignored. */
#define MAP_SIZE_MAX ((size_t) 256 << 20)

struct map_reader {
  int fd;
  size_t total; /* bytes that were read */
  size_t used;  /* bytes in `text`, an incomplete line first */
  char text[16384];
};

/* Returns the fd, or UV_E*. */
static int open_map(void) {
  char path[64];
  struct stat info;

  snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int) getpid());
  int fd = uv__fd_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
  if (fd < 0)
    return fd;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
      info.st_uid == geteuid())
    return fd;
  uv__fd_close(fd);
  return UV_EPERM;
}

/* The end is worth more than the beginning: it is the file and the line. */
static void set_name(struct uv__generated* function, const char* name) {
  size_t len = strlen(name);
  size_t cut =
      len < sizeof(function->name) ? 0 : len + 1 - sizeof(function->name);

  for (size_t i = 0; i <= len - cut; i++) {
    unsigned char c = (unsigned char) name[cut + i];
    function->name[i] = (char) (c != '\0' && (c < 0x20 || c == 0x7f) ? '?' : c);
  }
}

static void take_line(const char* line,
                      struct uv__generated* functions,
                      size_t count) {
  char* end;
  unsigned long long start = strtoull(line, &end, 16);

  if (*end != ' ')
    return;
  unsigned long long size = strtoull(end + 1, &end, 16);
  if (*end != ' ')
    return;
  /* Code is moved and its memory used again: the last line is right. */
  for (size_t i = 0; i < count; i++)
    if ((uintptr_t) functions[i].address - start < size)
      set_name(&functions[i], end + 1);
}

/* Takes the complete lines out of the buffer. */
static void take_lines(struct map_reader* reader,
                       struct uv__generated* functions,
                       size_t count) {
  char* line = reader->text;
  char* stop = reader->text + reader->used;
  char* end;

  while ((end = memchr(line, '\n', (size_t) (stop - line))) != NULL) {
    *end = '\0';
    take_line(line, functions, count);
    line = end + 1;
  }
  reader->used = (size_t) (stop - line);
  memmove(reader->text, line, reader->used);
  if (reader->used == sizeof(reader->text))
    reader->used = 0; /* no name is that long */
}

void uv__symbol_os_generated(struct uv__generated* functions, size_t count) {
  struct map_reader reader = { open_map(), 0, 0, { 0 } };

  for (size_t i = 0; i < count; i++)
    functions[i].name[0] = '\0';
  if (reader.fd < 0)
    return;
  while (reader.total < MAP_SIZE_MAX) {
    ssize_t n = uv__fd_read(reader.fd, reader.text + reader.used,
                            sizeof(reader.text) - reader.used);
    if (n <= 0)
      break;
    reader.total += (size_t) n;
    reader.used += (size_t) n;
    take_lines(&reader, functions, count);
  }
  uv__fd_close(reader.fd);
}
