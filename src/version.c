/* SPDX-License-Identifier: MIT */
/* The libuv version this library stands in for. */
#include "uv.h"

#define STRING(x) #x
#define STRING_OF(x) STRING(x)

#define VERSION_NUMBERS                                                        \
 STRING_OF(UV_VERSION_MAJOR)                                                   \
 "." STRING_OF(UV_VERSION_MINOR) "." STRING_OF(UV_VERSION_PATCH)

unsigned int uv_version(void) {
  return UV_VERSION_HEX;
}

/* UV_VERSION_SUFFIX is a string and counts only before a release. */
const char* uv_version_string(void) {
  return UV_VERSION_IS_RELEASE ? VERSION_NUMBERS
                               : VERSION_NUMBERS "-" UV_VERSION_SUFFIX;
}
