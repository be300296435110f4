/* SPDX-License-Identifier: MIT */
/* Internationalised host names. Context: any. */
#ifndef UV_IDNA_H_
#define UV_IDNA_H_

#include "uv.h"

/* Reads one character of strict UTF-8 at *p, which is below `pe`, and moves *p
 * past it. Returns the code point; (unsigned) -1 for anything that is not
 * UTF-8, with *p moved past the offending bytes, never beyond `pe`. */
unsigned uv__utf8_decode1(const char** p, const char* pe);

/* Writes the host name [s, se) to [d, de) in the form the DNS takes: labels
 * with characters outside ASCII become "xn--" plus Punycode, ASCII labels stay
 * as they are. Returns the bytes written, including the NUL that is always
 * there, or UV_EINVAL: empty name, bad UTF-8, an embedded NUL, or no room for
 * all of it. After an error the contents of [d, de) are undefined. */
ssize_t uv__idna_toascii(const char* s, const char* se, char* d, char* de);

#endif /* UV_IDNA_H_ */
