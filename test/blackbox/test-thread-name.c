/* SPDX-License-Identifier: MIT */
/* Thread names: own and others', long ones, small buffers. */
#include "uv.h"
#include "test.h"

#include <string.h>

/* Fits every system, with its NUL. */
#define NAME "short-name"

TEST_IMPL(thread_name_bad_arguments) {
  uv_thread_t self = uv_thread_self();
  char name[64];

  ASSERT_EQ(UV_EINVAL, uv_thread_setname(NULL));
  ASSERT_EQ(UV_EINVAL, uv_thread_getname(NULL, name, sizeof(name)));
  ASSERT_EQ(UV_EINVAL, uv_thread_getname(&self, NULL, sizeof(name)));
  ASSERT_EQ(UV_EINVAL, uv_thread_getname(&self, name, 0));
  return 0;
}

TEST_IMPL(thread_name_every_buffer_size) {
  uv_thread_t self = uv_thread_self();
  char name[32];

  ASSERT_EQ(0, uv_thread_setname(NAME));
  for (size_t size = 1; size < sizeof(name); size++) {
    size_t want = size - 1 < strlen(NAME) ? size - 1 : strlen(NAME);
    memset(name, '#', sizeof(name));
    ASSERT_EQ(0, uv_thread_getname(&self, name, size));
    ASSERT_EQ(want, strlen(name));
    ASSERT_EQ(0, memcmp(NAME, name, want));
    ASSERT_EQ('#', name[size]);
  }
  return 0;
}

TEST_IMPL(thread_name_long_is_truncated) {
  uv_thread_t self = uv_thread_self();
  char given[300];
  char name[300];

  memset(given, 'n', sizeof(given) - 1);
  given[sizeof(given) - 1] = '\0';
  ASSERT_EQ(0, uv_thread_setname(given));
  ASSERT_EQ(0, uv_thread_getname(&self, name, sizeof(name)));
  ASSERT(strlen(name) >= 15);
  ASSERT_EQ(strlen(name), strspn(name, "n"));
  return 0;
}

struct stage {
  uv_sem_t named;
  uv_sem_t leave;
};

static void named_thread(void* arg) {
  struct stage* stage = arg;
  ASSERT_EQ(0, uv_thread_setname(NAME));
  uv_sem_post(&stage->named);
  uv_sem_wait(&stage->leave);
}

TEST_IMPL(thread_name_of_another_thread) {
  struct stage stage;
  uv_thread_t tid;
  char name[64] = "";

  ASSERT_EQ(0, uv_sem_init(&stage.named, 0));
  ASSERT_EQ(0, uv_sem_init(&stage.leave, 0));
  ASSERT_EQ(0, uv_thread_create(&tid, named_thread, &stage));
  uv_sem_wait(&stage.named);
  ASSERT_EQ(0, uv_thread_getname(&tid, name, sizeof(name)));
  ASSERT_EQ(0, strcmp(NAME, name));
  uv_sem_post(&stage.leave);
  ASSERT_EQ(0, uv_thread_join(&tid));
  uv_sem_destroy(&stage.named);
  uv_sem_destroy(&stage.leave);
  return 0;
}
