/* SPDX-License-Identifier: MIT */
/* Thread API: argument checks, and what all platforms share. */
#include "os/thread.h"

size_t uv__thread_stack_size(const uv_thread_options_t* options) {
  if ((options->flags & UV_THREAD_HAS_STACK_SIZE) == 0)
    return 0;
  return options->stack_size;
}

int uv_thread_create_ex(uv_thread_t* tid,
                        const uv_thread_options_t* options,
                        uv_thread_cb entry,
                        void* arg) {
  if (tid == NULL || options == NULL || entry == NULL)
    return UV_EINVAL;
  return uv__thread_os_create(tid, options, entry, arg);
}

int uv_thread_create(uv_thread_t* tid, uv_thread_cb entry, void* arg) {
  uv_thread_options_t defaults = { .flags = UV_THREAD_NO_FLAGS };
  return uv_thread_create_ex(tid, &defaults, entry, arg);
}

int uv_thread_detach(uv_thread_t* tid) {
  return tid == NULL ? UV_EINVAL : uv__thread_os_detach(tid);
}

int uv_thread_join(uv_thread_t* tid) {
  return tid == NULL ? UV_EINVAL : uv__thread_os_join(tid);
}

int uv_thread_setname(const char* name) {
  return name == NULL ? UV_EINVAL : uv__thread_os_setname(name);
}

int uv_thread_getname(uv_thread_t* tid, char* name, size_t size) {
  if (tid == NULL || name == NULL || size == 0)
    return UV_EINVAL;
  return uv__thread_os_getname(tid, name, size);
}

int uv_thread_getpriority(uv_thread_t tid, int* priority) {
  if (priority == NULL)
    return UV_EINVAL;
  return uv__thread_os_getpriority(tid, priority);
}

int uv_thread_setpriority(uv_thread_t tid, int priority) {
  if (priority < UV_THREAD_PRIORITY_LOWEST ||
      priority > UV_THREAD_PRIORITY_HIGHEST)
    return UV_EINVAL;
  return uv__thread_os_setpriority(tid, priority);
}

/* Can a mask of `size` bytes hold every CPU? 0 or UV_E*. */
static int mask_check(const uv_thread_t* tid, const char* mask, size_t size) {
  int needed = uv_cpumask_size();

  if (needed < 0)
    return needed;
  if (tid == NULL || mask == NULL || size < (size_t) needed)
    return UV_EINVAL;
  return 0;
}

int uv_thread_getaffinity(uv_thread_t* tid, char* cpumask, size_t mask_size) {
  int err = mask_check(tid, cpumask, mask_size);
  return err != 0 ? err : uv__thread_os_getaffinity(*tid, cpumask, mask_size);
}

int uv_thread_setaffinity(uv_thread_t* tid,
                          char* cpumask,
                          char* oldmask,
                          size_t mask_size) {
  int err = mask_check(tid, cpumask, mask_size);
  if (err != 0)
    return err;
  return uv__thread_os_setaffinity(*tid, cpumask, oldmask, mask_size);
}
