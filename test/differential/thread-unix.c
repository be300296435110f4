/* SPDX-License-Identifier: MIT */
#include "thread-world.h"

#include <pthread.h>

size_t thread_stack_bytes(void) {
  pthread_attr_t attr;
  size_t size = 0;

  pthread_getattr_np(pthread_self(), &attr);
  pthread_attr_getstacksize(&attr, &size);
  pthread_attr_destroy(&attr);
  return size;
}

void thread_rename(const char* name) {
  pthread_setname_np(pthread_self(), name);
}
