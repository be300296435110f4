/* SPDX-License-Identifier: MIT */
/* Names of addresses in the code, as strings of at most `size` bytes with their
 * NUL. Context: any. */
#ifndef UV_OS_SYMBOL_H_
#define UV_OS_SYMBOL_H_

#include "util/base.h"

/* Finds what is needed for names, on a thread that may wait for the dynamic
 * linker. The others may be called by threads that dlclose() waits for. */
void uv__symbol_os_init(void);

/* Names the function at `address`, or the module and the offset there. */
void uv__symbol_os_name(const void* address, char* name, size_t size);

/* Names a place in the code: module, offset there, and the symbol before it if
 * there is one. */
void uv__symbol_os_place(const void* address, char* name, size_t size);

#endif /* UV_OS_SYMBOL_H_ */
