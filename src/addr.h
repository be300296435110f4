/* SPDX-License-Identifier: MIT */
/* Socket addresses. Context: any. */
#ifndef UV_ADDR_H_
#define UV_ADDR_H_

#include "base.h"

/* The length a system call wants for `addr`, by its family; 0 for a family that
 * is not supported. Platform part. */
unsigned int uv__addr_len(const struct sockaddr* addr);

/* The number that `zone` is: decimal digits only, as RFC 4007 section 11.2 has
 * them; 0 for anything else and for what does not fit. */
uint32_t uv__addr_scope_number(const char* zone);

/* The IPv6 scope that `zone` (the text after '%') names: an interface or a
 * number; 0 if it names nothing. Platform part. */
uint32_t uv__addr_scope(const char* zone);

#endif /* UV_ADDR_H_ */
