/* SPDX-License-Identifier: MIT */
/* Counting semaphores. macOS has no unnamed POSIX semaphores; the public type
 * is a Mach port there.
 *
 * An error other than "would block" means an uninitialised semaphore or a count
 * beyond the maximum of the system: a bug in the program, which the void
 * functions report through uv__fatal(). Context: any.
 */
#include "util/base.h"
#include "util/fatal.h"

#include <mach/mach.h>
#include <mach/semaphore.h>
#include <mach/task.h>

static void sem_check(kern_return_t kr, const char* op) {
  if (kr != KERN_SUCCESS)
    uv__fatal(op, UV_EINVAL);
}

int uv_sem_init(uv_sem_t* sem, unsigned int value) {
  if (value > INT32_MAX)
    return UV_EINVAL;
  kern_return_t kr;
  kr = semaphore_create(mach_task_self(), sem, SYNC_POLICY_FIFO, (int) value);
  if (kr == KERN_SUCCESS)
    return 0;
  return kr == KERN_RESOURCE_SHORTAGE ? UV_ENOMEM : UV_EINVAL;
}

void uv_sem_destroy(uv_sem_t* sem) {
  sem_check(semaphore_destroy(mach_task_self(), *sem), "uv_sem_destroy");
}

void uv_sem_post(uv_sem_t* sem) {
  sem_check(semaphore_signal(*sem), "uv_sem_post");
}

void uv_sem_wait(uv_sem_t* sem) {
  kern_return_t kr = semaphore_wait(*sem);
  while (kr == KERN_ABORTED)
    kr = semaphore_wait(*sem);
  sem_check(kr, "uv_sem_wait");
}

int uv_sem_trywait(uv_sem_t* sem) {
  mach_timespec_t now = { .tv_sec = 0, .tv_nsec = 0 };
  kern_return_t kr = semaphore_timedwait(*sem, now);
  if (kr == KERN_OPERATION_TIMED_OUT || kr == KERN_ABORTED)
    return UV_EAGAIN;
  sem_check(kr, "uv_sem_trywait");
  return 0;
}
