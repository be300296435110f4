/* SPDX-License-Identifier: MIT */
/* Files that the library itself writes: traces and metrics. Their names come
 * from the environment, so they are treated as input:
 *
 * - A file is created, or one of the library's own is overwritten: a regular
 *   file of the user's, on a file system with blocks (not procfs), with one
 *   name, that is empty or begins as such files do.
 * - It is locked while it is open, against other processes that would write it.
 * - Its descriptor is above those of the standard streams, and is neither
 *   written to nor closed once it is somebody else's, because the program has
 *   closed all descriptors.
 *
 * Context: any; one thread at a time for each file.
 */
#ifndef UV_OS_PRIVATE_FILE_H_
#define UV_OS_PRIVATE_FILE_H_

#include "util/base.h"

struct uv__private_file {
  uv_file fd; /* -1: closed */
  int is_new; /* opening made it */
  /* What the descriptor was when it was opened. */
  uint64_t device;
  uint64_t inode;
  uint64_t size; /* written so far */
};

/* The owner's permissions are always there, execution and writing by others
 * never; 0 stands for 0600. Returns whether these can be had. */
static inline int uv__private_file_is_mode(unsigned mode) {
  return (mode & ~0644u) == 0;
}

/* Makes the path absolute; links in it stay. 0 or UV_E*. */
int uv__private_file_os_absolute(const char* path, char* out, size_t size);

/* Opens the file without changing what is in it; a child does not inherit it.
 * `first` is what the library's files of this kind begin with; NULL: it must
 * not exist. Returns 0; UV_ELOOP: a link; UV_EISDIR; UV_EPERM: something that
 * is no file of the user's; UV_EEXIST: a file that is not the library's;
 * UV_EBUSY: another process writes it; UV_E*. */
int uv__private_file_os_open(struct uv__private_file* file,
                             const char* path,
                             const char* first,
                             unsigned mode);

/* Removes what is in it, also what was written: 0 or UV_E*. Context: any |
 * signal, and so is writing. */
int uv__private_file_os_empty(struct uv__private_file* file);

/* Appends all of it: 0; UV_EFBIG: it would exceed a limit of the process, and
 * nothing was written; UV_EBADF: the descriptor is somebody else's; UV_E*. */
int uv__private_file_os_write(struct uv__private_file* file,
                              const char* data,
                              size_t size);

/* Renames `draft` to `path`, whose file was `file` until then: afterwards it is
 * the draft. UV_EEXIST if the path leads to another file now. */
int uv__private_file_os_replace(struct uv__private_file* file,
                                const char* path,
                                struct uv__private_file* draft,
                                const char* draft_path);

/* Removes the path if it leads to this file. */
void uv__private_file_os_remove(const struct uv__private_file* file,
                                const char* path);

/* Does nothing to a file that is closed. */
void uv__private_file_os_close(struct uv__private_file* file);

#endif /* UV_OS_PRIVATE_FILE_H_ */
