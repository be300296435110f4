/* SPDX-License-Identifier: MIT */
/* Data of reparse points that are links ([MS-FSCC] 2.1.2): parsing and
 * building. Pure: independent of the operating system, so that it is tested
 * everywhere. Text is in 16-bit units in little-endian byte order. */
#ifndef UV_WIN_REPARSE_H_
#define UV_WIN_REPARSE_H_

#include <stddef.h>
#include <stdint.h>

/* The system's limit. */
#define UV__REPARSE_SIZE_MAX (16 * 1024)

enum uv__reparse_result {
  UV__REPARSE_LINK,  /* a link; `target` is set */
  UV__REPARSE_OTHER, /* something else, or a link without a path */
  UV__REPARSE_BROKEN /* malformed */
};

/* The target of a link: `text` or `bytes`. Both point into the data. */
struct uv__reparse_target {
  const uint16_t* text; /* a path in 16-bit units */
  const char* bytes;    /* WSL links: a path in UTF-8 */
  size_t len;           /* units or bytes */
};

/* The tag, which is the first number. */
uint32_t uv__reparse_tag(const void* data);

/* Finds the target in `size` bytes of `data`, aligned for 16-bit units. The
 * data come from a disk, so everything is checked. They may be modified. */
enum uv__reparse_result uv__reparse_parse(void* data,
                                          size_t size,
                                          struct uv__reparse_target* target);

/* Fills `data`, UV__REPARSE_SIZE_MAX bytes with the same alignment, with a
 * junction to an absolute path on a drive. Slashes become single backslashes.
 * Returns the size; 0 if the path is too long. */
size_t uv__reparse_junction(void* data, const uint16_t* path, size_t len);

/* Does it start like "C:\" or "c:/"? */
int uv__reparse_has_root(const uint16_t* path, size_t len);

#endif /* UV_WIN_REPARSE_H_ */
