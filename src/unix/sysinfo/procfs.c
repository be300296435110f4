/* SPDX-License-Identifier: MIT */
/* Reading text files of /proc and /sys; see procfs.h. */
#include "unix/sysinfo/procfs.h"
#include "unix/fd.h"

#include <fcntl.h>
#include <string.h>

ssize_t uv__procfs_slurp(const char* path, char* buf, size_t size) {
  if (size == 0)
    return UV_EINVAL;

  int fd = uv__fd_open(path, O_RDONLY, 0);
  if (fd < 0)
    return fd;

  /* A short read is not the end (seq_file returns whole records); only an empty
   * one is. */
  size_t len = 0;
  ssize_t n = 1;
  while (n > 0 && len < size - 1) {
    n = uv__fd_read(fd, buf + len, size - 1 - len);
    if (n > 0)
      len += (size_t) n;
  }
  (void) uv__fd_close(fd); /* nothing was written */
  buf[len] = '\0';
  return n < 0 ? n : (ssize_t) len;
}

int uv__procfs_path(char out[UV__PROCFS_PATH_SIZE],
                    const char* root,
                    const char* path) {
  size_t root_len = strlen(root);
  size_t path_len = strlen(path);
  if (root_len >= UV__PROCFS_PATH_SIZE)
    return UV_ENAMETOOLONG;
  if (path_len >= UV__PROCFS_PATH_SIZE - root_len)
    return UV_ENAMETOOLONG;
  memcpy(out, root, root_len);
  memcpy(out + root_len, path, path_len + 1);
  return 0;
}

int uv__procfs_number(const char** at, uint64_t* value) {
  const char* p = *at;
  while (*p == ' ' || *p == '\t')
    p++;
  if (*p < '0' || *p > '9')
    return UV_EINVAL;

  uint64_t sum = 0;
  for (; *p >= '0' && *p <= '9'; p++) {
    uint64_t digit = (uint64_t) (*p - '0');
    if (sum > (UINT64_MAX - digit) / 10)
      return UV_EINVAL;
    sum = sum * 10 + digit;
  }
  *at = p;
  *value = sum;
  return 0;
}

int uv__procfs_lines_open(struct uv__procfs_lines* lines,
                          const char* root,
                          const char* path) {
  char full[UV__PROCFS_PATH_SIZE];
  int err = uv__procfs_path(full, root, path);
  if (err != 0)
    return err;

  lines->fd = uv__fd_open(full, O_RDONLY, 0);
  lines->start = 0;
  lines->end = 0;
  lines->skipping = 0;
  return lines->fd < 0 ? lines->fd : 0;
}

/* Compacts the buffer and reads more; 0 at the end of the file. */
static int lines_refill(struct uv__procfs_lines* lines) {
  size_t kept = lines->end - lines->start;
  memmove(lines->buf, lines->buf + lines->start, kept);
  lines->start = 0;
  lines->end = kept;

  size_t room = sizeof(lines->buf) - 1 - kept;
  ssize_t n = uv__fd_read(lines->fd, lines->buf + kept, room);
  if (n <= 0)
    return 0;
  lines->end += (size_t) n;
  return 1;
}

/* Consumes `len` bytes and the separator behind them. */
static char* lines_take(struct uv__procfs_lines* lines, size_t len, int gap) {
  char* line = lines->buf + lines->start;
  lines->start += len + (size_t) gap;
  line[len] = '\0';
  return line;
}

char* uv__procfs_lines_next(struct uv__procfs_lines* lines) {
  for (;;) {
    char* from = lines->buf + lines->start;
    size_t len = lines->end - lines->start;
    char* newline = memchr(from, '\n', len);

    if (newline != NULL) {
      char* line = lines_take(lines, (size_t) (newline - from), 1);
      if (!lines->skipping)
        return line;
      lines->skipping = 0; /* the tail of a line delivered before */
    } else if (len == sizeof(lines->buf) - 1) {
      /* A full buffer without a newline. The last refill left it at offset 0,
       * so the byte for the NUL is free. */
      char* line = lines_take(lines, len, 0);
      if (!lines->skipping) {
        lines->skipping = 1;
        return line;
      }
    } else if (!lines_refill(lines)) {
      if (len == 0 || lines->skipping)
        return NULL;
      return lines_take(lines, len, 0);
    }
  }
}

void uv__procfs_lines_close(struct uv__procfs_lines* lines) {
  (void) uv__fd_close(lines->fd); /* nothing was written */
}
