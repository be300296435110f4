/* SPDX-License-Identifier: MIT */
/* Reading small text files of /proc and /sys.
 *
 * `root` is prepended to every path: "" in the library, a directory of fixtures
 * in tests. Nothing here allocates. Context: any.
 */
#ifndef UV_UNIX_SYSINFO_PROCFS_H_
#define UV_UNIX_SYSINFO_PROCFS_H_

#include "util/base.h"

#include <sys/types.h>

/* Longest path and longest line, including the NUL. Both live on the stacks of
 * threads, which may be small. */
#define UV__PROCFS_PATH_SIZE 1024
#define UV__PROCFS_LINE_SIZE 1024

/* Reads the start of a file into `buf`, as much as fits with a NUL. Returns the
 * bytes read, without the NUL, or UV_E*. */
ssize_t uv__procfs_slurp(const char* path, char* buf, size_t size);

/* Concatenates root and path: 0, or UV_ENAMETOOLONG. */
int uv__procfs_path(char out[UV__PROCFS_PATH_SIZE],
                    const char* root,
                    const char* path);

/* Parses the unsigned decimal number at *at, after blanks, and advances *at. 0,
 * or UV_EINVAL if there is none or it does not fit. */
int uv__procfs_number(const char** at, uint64_t* value);

/* A file read line by line. */
struct uv__procfs_lines {
  int fd;       /* of the file */
  size_t start; /* first unread byte in buf */
  size_t end;   /* end of the bytes in buf */
  int skipping; /* inside the rest of a truncated line */
  char buf[UV__PROCFS_LINE_SIZE];
};

/* Opens root + path: 0 or UV_E*. After success the caller closes it. */
int uv__procfs_lines_open(struct uv__procfs_lines* lines,
                          const char* root,
                          const char* path);

/* The next line without its newline, valid until the next call; truncated to
 * UV__PROCFS_LINE_SIZE. NULL at the end or on an error. */
char* uv__procfs_lines_next(struct uv__procfs_lines* lines);

void uv__procfs_lines_close(struct uv__procfs_lines* lines);

#endif /* UV_UNIX_SYSINFO_PROCFS_H_ */
