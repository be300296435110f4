/* SPDX-License-Identifier: MIT */
/* The version of libuv's interface, and that of this library. */
#include "util/base.h"
#include "uv/ext.h"

#define STRING(x) #x
#define STRING_OF(x) STRING(x)

#define VERSION_NUMBERS                                                        \
 STRING_OF(UV_VERSION_MAJOR)                                                   \
 "." STRING_OF(UV_VERSION_MINOR) "." STRING_OF(UV_VERSION_PATCH)

#define OWN_NUMBERS                                                            \
 STRING_OF(UVX_VERSION_MAJOR)                                                  \
 "." STRING_OF(UVX_VERSION_MINOR) "." STRING_OF(UVX_VERSION_PATCH)
#if UVX_VERSION_IS_RELEASE
# define OWN_VERSION OWN_NUMBERS
#else
# define OWN_VERSION OWN_NUMBERS "-dev"
#endif

/* For strings(1) and what(1): whose library a file is. It ends with the version
 * of the interface, so that uv_version_string() refers to it: every compiler
 * keeps it, with or without an attribute for that. */
#define IDENTITY "@(#)Blacklight " OWN_VERSION ", an implementation of libuv "
static const char identity[] = IDENTITY VERSION_NUMBERS;

unsigned int uvx_version(void) {
  return UVX_VERSION_HEX;
}

const char* uvx_version_string(void) {
  return OWN_VERSION;
}

unsigned int uv_version(void) {
  return UV_VERSION_HEX;
}

/* UV_VERSION_SUFFIX is a string and counts only before a release. */
const char* uv_version_string(void) {
  return UV_VERSION_IS_RELEASE ? identity + sizeof(IDENTITY) - 1
                               : VERSION_NUMBERS "-" UV_VERSION_SUFFIX;
}
