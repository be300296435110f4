/* SPDX-License-Identifier: MIT */
/* Counting semaphores. The void functions can fail only if the program
 * corrupted the semaphore, which is fatal. Context: any.
 */
#include "util/base.h"
#include "util/fatal.h"
#include "win/error.h"

#include <limits.h>

int uv_sem_init(uv_sem_t* sem, unsigned int value) {
  if (value > INT_MAX)
    return UV_EINVAL;

  HANDLE handle = CreateSemaphoreW(NULL, (LONG) value, INT_MAX, NULL);
  if (handle == NULL)
    return uv__last_error();
  *sem = handle;
  return 0;
}

void uv_sem_destroy(uv_sem_t* sem) {
  if (!CloseHandle(*sem))
    uv__fatal("uv_sem_destroy", uv__last_error());
}

void uv_sem_post(uv_sem_t* sem) {
  if (!ReleaseSemaphore(*sem, 1, NULL))
    uv__fatal("uv_sem_post", uv__last_error());
}

void uv_sem_wait(uv_sem_t* sem) {
  if (WaitForSingleObject(*sem, INFINITE) != WAIT_OBJECT_0)
    uv__fatal("uv_sem_wait", uv__last_error());
}

int uv_sem_trywait(uv_sem_t* sem) {
  DWORD outcome = WaitForSingleObject(*sem, 0);

  if (outcome == WAIT_TIMEOUT)
    return UV_EAGAIN;
  if (outcome != WAIT_OBJECT_0)
    uv__fatal("uv_sem_trywait", uv__last_error());
  return 0;
}
