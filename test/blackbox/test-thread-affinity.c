/* SPDX-License-Identifier: MIT */
/* Affinity masks, priorities, and the parallelism that follows from them. */
#include "uv.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define NO_AFFINITY "this system has no thread affinity"

TEST_IMPL(thread_affinity_bad_arguments) {
  uv_thread_t self = uv_thread_self();
  int size = uv_cpumask_size();
  char* mask;

  if (size == UV_ENOTSUP)
    SKIP(NO_AFFINITY);
  ASSERT(size > 0);
  mask = calloc(1, (size_t) size);
  ASSERT(mask != NULL);
  ASSERT_EQ(UV_EINVAL, uv_thread_getaffinity(&self, mask, (size_t) size - 1));
  ASSERT_EQ(UV_EINVAL, uv_thread_getaffinity(&self, NULL, (size_t) size));
  ASSERT_EQ(UV_EINVAL, uv_thread_getaffinity(NULL, mask, (size_t) size));
  ASSERT_EQ(UV_EINVAL,
            uv_thread_setaffinity(&self, mask, NULL, (size_t) size - 1));
  /* No CPU at all. */
  ASSERT(uv_thread_setaffinity(&self, mask, NULL, (size_t) size) < 0);
  free(mask);
  return 0;
}

/* On one CPU only: the mask says so, the thread runs there, and the parallelism
 * is 1. */
TEST_IMPL(thread_affinity_single_cpu) {
  uv_thread_t self = uv_thread_self();
  int size = uv_cpumask_size();
  int cpu = uv_thread_getcpu();
  char* mask;

  if (size == UV_ENOTSUP || cpu == UV_ENOTSUP)
    SKIP(NO_AFFINITY);
  ASSERT(cpu >= 0);
  mask = calloc(3, (size_t) size);
  ASSERT(mask != NULL);
  char* before = mask + size;
  char* after = mask + 2 * size;
  mask[cpu] = 1;

  ASSERT_EQ(0, uv_thread_getaffinity(&self, after, (size_t) size));
  ASSERT_EQ(0, uv_thread_setaffinity(&self, mask, before, (size_t) size));
  ASSERT_EQ(0, memcmp(before, after, (size_t) size));
  ASSERT_EQ(0, uv_thread_getaffinity(&self, after, (size_t) size));
  ASSERT_EQ(0, memcmp(mask, after, (size_t) size));
  ASSERT_EQ(cpu, uv_thread_getcpu());
  if (TEST_POSIX) /* Windows: of the whole process */
    ASSERT_EQ(1, uv_available_parallelism());

  ASSERT_EQ(0, uv_thread_setaffinity(&self, before, NULL, (size_t) size));
  ASSERT(uv_available_parallelism() >= 1);
  free(mask);
  return 0;
}

TEST_IMPL(thread_priority_bad_arguments) {
  uv_thread_t self = uv_thread_self();

  ASSERT_EQ(UV_EINVAL, uv_thread_getpriority(self, NULL));
  ASSERT_EQ(UV_EINVAL, uv_thread_setpriority(self, 3));
  ASSERT_EQ(UV_EINVAL, uv_thread_setpriority(self, -3));
  return 0;
}
