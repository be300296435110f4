/* SPDX-License-Identifier: MIT */
/* statx(2): the attributes of a file with its time of birth. Context: any. */
#ifndef UV_LINUX_STATX_H_
#define UV_LINUX_STATX_H_

#include "base.h"

/* The file `fd` (`path` NULL), or `path` relative to the directory `fd`: 0 or
 * UV_E*. `at_flags` is 0 or AT_SYMLINK_NOFOLLOW. */
int uv__statx(int fd, const char* path, int at_flags, uv_stat_t* out);

struct statx;

/* What to ask for, and how to read the answer, if somebody else calls it. */
#define UV__STATX_MASK (STATX_BASIC_STATS | STATX_BTIME)
void uv__statx_take(uv_stat_t* out, const struct statx* stx);

/* Could this error mean that there is no statx() here: a kernel before 4.11, or
 * a sandbox that does not know it? */
int uv__statx_maybe_refused(int err);

/* Process-wide: after giving up, usable() is 0 for good. */
void uv__statx_give_up(void);
int uv__statx_usable(void);

#endif /* UV_LINUX_STATX_H_ */
