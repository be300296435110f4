/* SPDX-License-Identifier: MIT */
/* The libuv release whose interface these headers describe. Releases with the
 * same major number are binary compatible: a program compiled against any
 * earlier 1.x header keeps working with this library.
 */
#ifndef UV_VERSION_H
#define UV_VERSION_H

#define UV_VERSION_MAJOR 1
#define UV_VERSION_MINOR 53
#define UV_VERSION_PATCH 0

/* 1 for a release, 0 for a development snapshot; then the suffix says which. */
#define UV_VERSION_IS_RELEASE 1
#define UV_VERSION_SUFFIX ""

/* 0xMMmmpp, so that versions compare as numbers. */
#define UV_VERSION_HEX ((UV_VERSION_MAJOR << 16) |                            \
                        (UV_VERSION_MINOR << 8) |                             \
                        (UV_VERSION_PATCH))

#endif /* UV_VERSION_H */
