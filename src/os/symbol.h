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

/* A function that a run-time compiler made. */
struct uv__generated {
  const void* address; /* in it */
  char name[256];      /* "" if it is not known; a long one lacks its start */
};

/* Sets the names. Reads a file, so this is for reports. */
void uv__symbol_os_generated(struct uv__generated* functions, size_t count);

#endif /* UV_OS_SYMBOL_H_ */
