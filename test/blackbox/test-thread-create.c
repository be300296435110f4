/* SPDX-License-Identifier: MIT */
/* Starting threads: argument checks, the stack they get, how they end. Method:
 * the thread itself uses or measures what it was given. */
#include "uv.h"
#include "test.h"

#include <string.h>

static int runs;

static void count_run(void* arg) {
  runs += *(int*) arg;
}

TEST_IMPL(thread_create_bad_arguments) {
  uv_thread_t tid;
  uv_thread_options_t options = { .flags = UV_THREAD_NO_FLAGS };

  ASSERT_EQ(UV_EINVAL, uv_thread_create(NULL, count_run, NULL));
  ASSERT_EQ(UV_EINVAL, uv_thread_create(&tid, NULL, NULL));
  ASSERT_EQ(UV_EINVAL, uv_thread_create_ex(&tid, NULL, count_run, NULL));
  ASSERT_EQ(UV_EINVAL, uv_thread_create_ex(NULL, &options, count_run, NULL));
  ASSERT_EQ(UV_EINVAL, uv_thread_join(NULL));
  ASSERT_EQ(UV_EINVAL, uv_thread_detach(NULL));
  return 0;
}

TEST_IMPL(thread_create_argument_and_join_order) {
  uv_thread_t tid;
  int step = 3;

  for (int i = 1; i <= 50; i++) {
    ASSERT_EQ(0, uv_thread_create(&tid, count_run, &step));
    ASSERT_EQ(0, uv_thread_join(&tid));
    ASSERT_EQ(3 * i, runs); /* what the thread wrote is visible after join */
  }
  return 0;
}

/* Writes to `size` bytes of its own stack. */
static void use_stack(void* arg) {
  size_t size = *(size_t*) arg;
  volatile char* bytes = __builtin_alloca(size);
  for (size_t i = 0; i < size; i += 512)
    bytes[i] = 1;
  runs += bytes[0];
}

TEST_IMPL(thread_stack_size_is_usable) {
  static const size_t sizes[] = { 128 << 10, 1 << 20, 1234567, 16 << 20 };
  uv_thread_t tid;

  if (TEST_TSAN)
    SKIP("ThreadSanitizer keeps its own data on the thread's stack");

  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, sizes[i] };
    size_t use = sizes[i] - (64 << 10); /* the C library takes its share */
    ASSERT_EQ(0, uv_thread_create_ex(&tid, &options, use_stack, &use));
    ASSERT_EQ(0, uv_thread_join(&tid));
  }
  ASSERT_EQ(4, runs);
  return 0;
}

TEST_IMPL(thread_stack_size_too_small_is_raised) {
  uv_thread_t tid;
  int one = 1;

  for (size_t size = 1; size <= 4096; size *= 8) {
    uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, size };
    ASSERT_EQ(0, uv_thread_create_ex(&tid, &options, count_run, &one));
    ASSERT_EQ(0, uv_thread_join(&tid));
  }
  ASSERT_EQ(5, runs);
  return 0;
}

TEST_IMPL(thread_stack_size_impossible_is_refused) {
  uv_thread_t tid;
  uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, (size_t) -1 };

  ASSERT(uv_thread_create_ex(&tid, &options, count_run, NULL) < 0);
  options.stack_size = (size_t) -1 / 4 * 3; /* of 32 bits, too */
  ASSERT(uv_thread_create_ex(&tid, &options, count_run, NULL) < 0);
  return 0;
}

static void post_when_done(void* arg) {
  uv_sem_post(arg);
}

TEST_IMPL(thread_detach_runs_to_its_end) {
  uv_thread_t tid;
  uv_sem_t done;

  ASSERT_EQ(0, uv_sem_init(&done, 0));
  ASSERT_EQ(0, uv_thread_create(&tid, post_when_done, &done));
  ASSERT_EQ(0, uv_thread_detach(&tid));
  uv_sem_wait(&done);
  /* Not destroyed: the thread may still be leaving uv_sem_post(). */
  return 0;
}

static void self_is(void* arg) {
  uv_thread_t self = uv_thread_self();
  runs += uv_thread_equal(&self, arg) == 0;
}

TEST_IMPL(thread_self_differs_between_threads) {
  uv_thread_t tid;
  uv_thread_t self = uv_thread_self();

  ASSERT(uv_thread_equal(&self, &self));
  ASSERT_EQ(0, uv_thread_create(&tid, self_is, &self));
  ASSERT_EQ(0, uv_thread_join(&tid));
  ASSERT_EQ(1, runs);
  return 0;
}
