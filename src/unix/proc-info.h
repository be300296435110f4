/* SPDX-License-Identifier: MIT */
/* Facts about this process that other files build on. Context: any. */
#ifndef UV_UNIX_PROC_INFO_H_
#define UV_UNIX_PROC_INFO_H_

#include "base.h"

#include <sys/resource.h>

/* The soft limit of `resource` (RLIMIT_AS, RLIMIT_DATA), UINT64_MAX when there
 * is none. */
uint64_t uv__rlimit_get(int resource);

/* The tightest of the limits on memory, however much memory there is;
 * UINT64_MAX when there is none. */
uint64_t uv__rlimit_memory(void);

/* uv_library_shutdown(): frees the copied arguments; the title functions answer
 * UV_ENOBUFS afterwards. Context: any, but nobody may be using the arguments
 * that uv_setup_args() returned. */
void uv__proctitle_cleanup(void);

#endif /* UV_UNIX_PROC_INFO_H_ */
