/* SPDX-License-Identifier: MIT */
#include "threadpool-os.h"

int uv__threadpool_at_fork(void (*reset)(void)) {
  (void) reset; /* processes do not fork */
  return 0;
}
