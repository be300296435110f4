/* SPDX-License-Identifier: MIT */
/* Memory through four replaceable functions.
 *
 * The four pointers are written once, by uv_replace_allocator() before any
 * other call, and only read afterwards: no lock.
 */
#include "util/alloc.h"
#include "uv.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct allocator {
  uv_malloc_func malloc_fn;
  uv_realloc_func realloc_fn;
  uv_calloc_func calloc_fn;
  uv_free_func free_fn;
};

static struct allocator allocator = { malloc, realloc, calloc, free };

void* uv__malloc(size_t size) {
  if (size == 0)
    return NULL;
  return allocator.malloc_fn(size);
}

void* uv__calloc(size_t count, size_t size) {
  return allocator.calloc_fn(count, size);
}

void* uv__realloc(void* ptr, size_t size) {
  if (size != 0)
    return allocator.realloc_fn(ptr, size);
  uv__free(ptr);
  return NULL;
}

void uv__free(void* ptr) {
  /* Callers free on their error paths, with the error still in errno. */
  int saved = errno;
  allocator.free_fn(ptr);
  errno = saved;
}

static int product_overflows(size_t count, size_t size) {
  return size != 0 && count > SIZE_MAX / size;
}

void* uv__malloc_array(size_t count, size_t size) {
  return product_overflows(count, size) ? NULL : uv__malloc(count * size);
}

void* uv__realloc_array(void* ptr, size_t count, size_t size) {
  if (product_overflows(count, size))
    return NULL;
  return uv__realloc(ptr, count * size);
}

char* uv__strndup(const char* s, size_t n) {
  const char* end = memchr(s, '\0', n);
  size_t len = end == NULL ? n : (size_t) (end - s);
  char* copy = uv__malloc(len + 1);
  if (copy == NULL)
    return NULL;
  memcpy(copy, s, len);
  copy[len] = '\0';
  return copy;
}

char* uv__strdup(const char* s) {
  return uv__strndup(s, strlen(s));
}

int uv_replace_allocator(uv_malloc_func malloc_func,
                         uv_realloc_func realloc_func,
                         uv_calloc_func calloc_func,
                         uv_free_func free_func) {
  struct allocator next = { malloc_func, realloc_func, calloc_func, free_func };

  if (next.malloc_fn == NULL || next.realloc_fn == NULL)
    return UV_EINVAL;
  if (next.calloc_fn == NULL || next.free_fn == NULL)
    return UV_EINVAL;

  allocator = next;
  return 0;
}
