/* SPDX-License-Identifier: MIT */
/* Umbrella for outside readers of the private sources: libuv's own white-box
 * tests include this path for UV_PTHREAD_MAX_NAMELEN_NP, the room a thread name
 * takes with its NUL. The library's files include what they use instead.
 */
#ifndef UV_UV_COMMON_H_
#define UV_UV_COMMON_H_

#include "uv.h"

#if defined(_WIN32)
/* SetThreadDescription() takes a UNICODE_STRING: at most 32766 units. */
# define UV_PTHREAD_MAX_NAMELEN_NP 32767
#else
# include "unix/os.h"
#endif

#endif /* UV_UV_COMMON_H_ */
