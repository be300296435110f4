/* SPDX-License-Identifier: MIT */
#include "threadpool-os.h"

#include <pthread.h>

int uv__threadpool_at_fork(void (*reset)(void)) {
  return -pthread_atfork(NULL, NULL, reset);
}
