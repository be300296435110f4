/* SPDX-License-Identifier: MIT */
/* The data of reparse points that are links ([MS-FSCC] 2.1.2), taken apart and
 * put together. Pure: no operating system in here, so that it is tested on
 * every one. Text is in 16-bit units, in the byte order of Windows machines. */
#ifndef UV_WIN_REPARSE_H_
#define UV_WIN_REPARSE_H_

#include <stddef.h>
#include <stdint.h>

/* What the system takes and gives at the most. */
#define UV__REPARSE_SIZE_MAX (16 * 1024)

enum uv__reparse_result {
  UV__REPARSE_LINK,  /* it is a link, and `target` is set */
  UV__REPARSE_OTHER, /* something else, or a link that leads to no path */
  UV__REPARSE_BROKEN /* no sense can be made of it */
};

/* Where a link leads; `text` or `bytes` is set. Both point into the data. */
struct uv__reparse_target {
  const uint16_t* text; /* a path in 16-bit units */
  const char* bytes;    /* WSL's links: one in UTF-8 */
  size_t len;           /* units or bytes */
};

/* The tag of the point is its first number. */
uint32_t uv__reparse_tag(const void* data);

/* Finds the target in `size` bytes of `data`, aligned for 16-bit units, which
 * come from a disk: everything in them is checked. They may be changed. */
enum uv__reparse_result uv__reparse_parse(void* data,
                                          size_t size,
                                          struct uv__reparse_target* target);

/* Fills `data`, UV__REPARSE_SIZE_MAX bytes aligned likewise, with a junction to
 * an absolute path on a drive. Slashes become single backslashes. How many
 * bytes it is; 0 if the path is too long. */
size_t uv__reparse_junction(void* data, const uint16_t* path, size_t len);

/* "C:\" or "c:/" and whatever follows. */
int uv__reparse_has_root(const uint16_t* path, size_t len);

#endif /* UV_WIN_REPARSE_H_ */
