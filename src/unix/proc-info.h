/* SPDX-License-Identifier: MIT */
/* Process information that other files use. Context: any. */
#ifndef UV_UNIX_PROC_INFO_H_
#define UV_UNIX_PROC_INFO_H_

#include "util/base.h"

#include <sys/resource.h>

/* The soft limit of `resource` (RLIMIT_AS, RLIMIT_DATA), UINT64_MAX when there
 * is none. */
uint64_t uv__rlimit_get(int resource);

/* The tightest memory limit, however much memory there is; UINT64_MAX when
 * there is none. */
uint64_t uv__rlimit_memory(void);

/* uv_library_shutdown(): frees the copied arguments; the title functions return
 * UV_ENOBUFS afterwards. Context: any, but no thread may use the arguments that
 * uv_setup_args() returned. */
void uv__proctitle_cleanup(void);

#endif /* UV_UNIX_PROC_INFO_H_ */
