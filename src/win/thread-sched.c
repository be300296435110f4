/* SPDX-License-Identifier: MIT */
/* CPU affinity and priority of threads. Only the process's own processor group
 * is supported: a mask has as many CPUs as a word has bits. Context: any.
 */
#include "os/thread.h"
#include "win/error.h"

#include <string.h>

#define CPUS_MAX ((int) sizeof(DWORD_PTR) * 8)

int uv_cpumask_size(void) {
  return CPUS_MAX;
}

static DWORD_PTR mask_pack(const char* mask) {
  DWORD_PTR bits = 0;

  for (int i = 0; i < CPUS_MAX; i++)
    if (mask[i] != 0)
      bits |= (DWORD_PTR) 1 << i;
  return bits;
}

static void mask_unpack(DWORD_PTR bits, char* mask, size_t size) {
  memset(mask, 0, size);
  for (int i = 0; i < CPUS_MAX; i++)
    mask[i] = (char) (bits >> i & 1);
}

/* The CPUs the process may use. */
static int process_mask(DWORD_PTR* bits) {
  DWORD_PTR system_bits;
  HANDLE process = GetCurrentProcess();

  if (!GetProcessAffinityMask(process, bits, &system_bits))
    return uv__last_error();
  return 0;
}

/* Setting a mask is the only way to read the old one. */
static int mask_swap(HANDLE thread, DWORD_PTR bits, DWORD_PTR* old_bits) {
  *old_bits = SetThreadAffinityMask(thread, bits);
  return *old_bits == 0 ? uv__last_error() : 0;
}

int uv__thread_os_setaffinity(uv_thread_t tid,
                              const char* mask,
                              char* old_mask,
                              size_t size) {
  DWORD_PTR usable;
  int err = process_mask(&usable);
  if (err != 0)
    return err;

  DWORD_PTR wanted = mask_pack(mask);
  DWORD_PTR before;
  if (wanted == 0 || (wanted & ~usable) != 0)
    return UV_EINVAL;
  err = mask_swap(tid, wanted, &before);
  if (err == 0 && old_mask != NULL)
    mask_unpack(before, old_mask, size);
  return err;
}

int uv__thread_os_getaffinity(uv_thread_t tid, char* mask, size_t size) {
  DWORD_PTR usable;
  int err = process_mask(&usable);
  if (err != 0)
    return err;

  DWORD_PTR current;
  err = mask_swap(tid, usable, &current);
  if (err != 0)
    return err;
  DWORD_PTR ignored;
  err = mask_swap(tid, current, &ignored);
  if (err == 0)
    mask_unpack(current, mask, size);
  return err;
}

int uv_thread_getcpu(void) {
  return (int) GetCurrentProcessorNumber();
}

/* An invalid handle belonged to a thread that has been joined. */
static int priority_error(void) {
  DWORD sys_error = GetLastError();
  return sys_error == ERROR_INVALID_HANDLE
             ? UV_ESRCH
             : uv_translate_sys_error((int) sys_error);
}

int uv__thread_os_getpriority(uv_thread_t tid, int* priority) {
  int value = GetThreadPriority(tid);
  if (value == THREAD_PRIORITY_ERROR_RETURN)
    return priority_error();
  *priority = value;
  return 0;
}

int uv__thread_os_setpriority(uv_thread_t tid, int priority) {
  static const struct {
    int priority;
    int windows;
  } steps[] = {
    { UV_THREAD_PRIORITY_LOWEST, THREAD_PRIORITY_LOWEST },
    { UV_THREAD_PRIORITY_BELOW_NORMAL, THREAD_PRIORITY_BELOW_NORMAL },
    { UV_THREAD_PRIORITY_NORMAL, THREAD_PRIORITY_NORMAL },
    { UV_THREAD_PRIORITY_ABOVE_NORMAL, THREAD_PRIORITY_ABOVE_NORMAL },
    { UV_THREAD_PRIORITY_HIGHEST, THREAD_PRIORITY_HIGHEST },
  };

  for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
    if (steps[i].priority != priority)
      continue;
    return SetThreadPriority(tid, steps[i].windows) ? 0 : priority_error();
  }
  return UV_EINVAL;
}
