/* SPDX-License-Identifier: MIT */
/* What threads have in common on every platform. */
#include "thread-common.h"

size_t uv__thread_stack_size(const uv_thread_options_t* options) {
  if ((options->flags & UV_THREAD_HAS_STACK_SIZE) == 0)
    return 0;
  return options->stack_size;
}

int uv_thread_create(uv_thread_t* tid, uv_thread_cb entry, void* arg) {
  uv_thread_options_t defaults = { .flags = UV_THREAD_NO_FLAGS };
  return uv_thread_create_ex(tid, &defaults, entry, arg);
}
