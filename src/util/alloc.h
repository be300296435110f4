/* SPDX-License-Identifier: MIT */
/* Memory allocation: every byte the library holds comes from here, so
 * that uv_replace_allocator() and the fault tests see all of it.
 */
#ifndef UV_UTIL_ALLOC_H_
#define UV_UTIL_ALLOC_H_

#include <stddef.h>

/* Context: any, for all of these. They return NULL when out of memory;
 * uv__free() preserves errno. */
void* uv__malloc(size_t size);
void* uv__calloc(size_t count, size_t size);
void* uv__realloc(void* ptr, size_t size);
void uv__free(void* ptr);

/* Array of `count` elements of `size` bytes; NULL as well when the product
 * does not fit a size_t. */
void* uv__malloc_array(size_t count, size_t size);
void* uv__realloc_array(void* ptr, size_t count, size_t size);

/* Copies; the caller frees with uv__free(). */
char* uv__strdup(const char* s);
char* uv__strndup(const char* s, size_t n);

#endif /* UV_UTIL_ALLOC_H_ */
