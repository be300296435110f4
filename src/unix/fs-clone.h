/* SPDX-License-Identifier: MIT */
/* Cloning files where the system clones by name. fs-copy.c is the only user.
 * Context: worker | any. */
#ifndef UV_UNIX_FS_CLONE_H_
#define UV_UNIX_FS_CLONE_H_

#include "util/base.h"

/* Makes `to` a clone of the open file `in`, with its mode, times and
 * attributes. `flags` are UV_FS_COPYFILE_*: with EXCL an existing name is
 * UV_EEXIST; a file is replaced only with FICLONE_FORCE. UV_ENOSYS: the system
 * has no such call. On error `to` is unchanged. */
int uv__fs_clone(int in, const char* to, int flags);

#endif /* UV_UNIX_FS_CLONE_H_ */
