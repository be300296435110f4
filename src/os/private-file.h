/* SPDX-License-Identifier: MIT */
/* Files that the library itself writes, for the user of the process alone. */
#ifndef UV_OS_PRIVATE_FILE_H_
#define UV_OS_PRIVATE_FILE_H_

#include "util/base.h"

/* Opens a file for writing, for its owner alone, and locks it against others
 * who would trace into it. `is_new`: fails with UV_EEXIST if it exists; else a
 * regular file of the user's own is overwritten, anything else is refused. The
 * fd, which a child does not inherit, or UV_E*. */
int uv__private_file_os_open(const char* path, int is_new);

/* Writes all of it: 0 or UV_E*, also where a limit of the process ends it.
 * Context: any. */
int uv__private_file_os_write(uv_file fd, const char* data, size_t size);
void uv__private_file_os_close(uv_file fd);

#endif /* UV_OS_PRIVATE_FILE_H_ */
