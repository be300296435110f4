/* SPDX-License-Identifier: MIT */
/* alloc.c: everything goes through the replaceable functions, sizes that
 * overflow are refused, free() preserves errno. */
#include "unit.h"

#include "util/alloc.h"
#include "uv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int calls;
static size_t last_size;

static void* count_malloc(size_t size) {
  calls++;
  last_size = size;
  return malloc(size);
}

static void* count_realloc(void* ptr, size_t size) {
  calls++;
  last_size = size;
  return realloc(ptr, size);
}

static void* count_calloc(size_t count, size_t size) {
  calls++;
  last_size = count * size;
  return calloc(count, size);
}

static void count_free(void* ptr) {
  calls++;
  free(ptr);
  errno = EDOM;
}

static void use_counting(void) {
  CHECK_EQ(0, uv_replace_allocator(count_malloc, count_realloc, count_calloc,
                                   count_free));
  calls = 0;
}

UNIT_TEST(alloc_replace_bad_arguments) {
  CHECK_EQ(UV_EINVAL, uv_replace_allocator(NULL, realloc, calloc, free));
  CHECK_EQ(UV_EINVAL, uv_replace_allocator(malloc, NULL, calloc, free));
  CHECK_EQ(UV_EINVAL, uv_replace_allocator(malloc, realloc, NULL, free));
  CHECK_EQ(UV_EINVAL, uv_replace_allocator(malloc, realloc, calloc, NULL));
}

/* Refused without effect: all four functions are required. */
UNIT_TEST(alloc_replace_refused_changes_nothing) {
  CHECK_EQ(UV_EINVAL, uv_replace_allocator(count_malloc, count_realloc,
                                           count_calloc, NULL));
  uv__free(uv__malloc(1));
  CHECK_EQ(0, calls);
}

UNIT_TEST(alloc_goes_through_the_replacement) {
  use_counting();

  char* p = uv__malloc(10);
  CHECK_EQ(10, last_size);
  p = uv__realloc(p, 20);
  CHECK_EQ(20, last_size);
  uv__free(p);
  p = uv__calloc(3, 5);
  CHECK_EQ(15, last_size);
  CHECK_MEM("\0\0\0\0\0\0\0\0\0\0\0\0\0\0", p, 15);
  uv__free(p);
  p = uv__strdup("abc");
  CHECK_EQ(4, last_size);
  CHECK_STR("abc", p);
  uv__free(p);
  p = uv__strndup("abcdef", 2);
  CHECK_EQ(3, last_size);
  CHECK_STR("ab", p);
  uv__free(p);
  p = uv__strndup("ab", 100);
  CHECK_EQ(3, last_size);
  CHECK_STR("ab", p);
  uv__free(p);
  CHECK_EQ(11, calls);
}

UNIT_TEST(alloc_nothing_is_null) {
  use_counting();
  CHECK(uv__malloc(0) == NULL);
  CHECK_EQ(0, calls);

  /* Shrinking to nothing frees. */
  void* p = uv__malloc(8);
  CHECK(uv__realloc(p, 0) == NULL);
  CHECK_EQ(2, calls);
}

UNIT_TEST(alloc_array_overflow) {
  use_counting();
  CHECK(uv__malloc_array(SIZE_MAX / 2, 3) == NULL);
  CHECK(uv__malloc_array(SIZE_MAX, SIZE_MAX) == NULL);
  CHECK(uv__realloc_array(NULL, SIZE_MAX / 8 + 1, 8) == NULL);
  CHECK_EQ(0, calls);

  void* p = uv__malloc_array(7, 3);
  CHECK(p != NULL);
  CHECK_EQ(21, last_size);
  p = uv__realloc_array(p, 8, 3);
  CHECK_EQ(24, last_size);
  /* Refused: the caller still owns the old block. */
  CHECK(uv__realloc_array(p, SIZE_MAX, 3) == NULL);
  memset(p, 1, 24);
  uv__free(p);
}

UNIT_TEST(alloc_free_keeps_errno) {
  use_counting();
  errno = ENOENT;
  uv__free(NULL);
  CHECK_EQ(ENOENT, errno);
  uv__free(uv__malloc(1));
  CHECK_EQ(ENOENT, errno);
}
