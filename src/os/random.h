/* SPDX-License-Identifier: MIT */
#ifndef UV_OS_RANDOM_H_
#define UV_OS_RANDOM_H_

#include "util/base.h"

/* Fills all of `buf` from the system's generator; may block until it has been
 * seeded. Returns 0 or UV_E*; after an error the contents are undefined.
 * Platform part. Context: any | worker. */
int uv__random_os_fill(void* buf, size_t buflen);

#endif /* UV_OS_RANDOM_H_ */
