/* SPDX-License-Identifier: MIT */
/* Mutexes, read-write locks, condition variables, barriers, once. Context: any.
 *
 * A mutex is a critical section, which is always recursive; a read-write lock
 * is a slim lock, which readers may release from another thread.
 */
#include "util/base.h"
#include "util/fatal.h"
#include "win/error.h"

#define NSEC_PER_MSEC UINT64_C(1000000)

/* How often to retry a contended lock before sleeping: most are held for a few
 * instructions. */
#define LOCK_SPINS 400

static int critical_section_init(CRITICAL_SECTION* section) {
  if (!InitializeCriticalSectionAndSpinCount(section, LOCK_SPINS))
    return uv__last_error(); /* cannot fail since Vista */
  return 0;
}

int uv_mutex_init_recursive(uv_mutex_t* mutex) {
  return critical_section_init(mutex);
}

int uv_mutex_init(uv_mutex_t* mutex) {
  return critical_section_init(mutex);
}

void uv_mutex_lock(uv_mutex_t* mutex) {
  EnterCriticalSection(mutex);
}

void uv_mutex_unlock(uv_mutex_t* mutex) {
  LeaveCriticalSection(mutex);
}

/* The return value of a try operation. */
static int try_result(int is_taken) {
  return is_taken ? 0 : UV_EBUSY;
}

int uv_mutex_trylock(uv_mutex_t* mutex) {
  return try_result(TryEnterCriticalSection(mutex));
}

void uv_mutex_destroy(uv_mutex_t* mutex) {
  DeleteCriticalSection(mutex);
}

static SRWLOCK* rwlock_slim(uv_rwlock_t* rwlock) {
  return &rwlock->read_write_lock_;
}

int uv_rwlock_init(uv_rwlock_t* rwlock) {
  InitializeSRWLock(rwlock_slim(rwlock));
  return 0;
}

void uv_rwlock_rdlock(uv_rwlock_t* rwlock) {
  AcquireSRWLockShared(rwlock_slim(rwlock));
}

void uv_rwlock_rdunlock(uv_rwlock_t* rwlock) {
  ReleaseSRWLockShared(rwlock_slim(rwlock));
}

void uv_rwlock_wrlock(uv_rwlock_t* rwlock) {
  AcquireSRWLockExclusive(rwlock_slim(rwlock));
}

void uv_rwlock_wrunlock(uv_rwlock_t* rwlock) {
  ReleaseSRWLockExclusive(rwlock_slim(rwlock));
}

int uv_rwlock_tryrdlock(uv_rwlock_t* rwlock) {
  return try_result(TryAcquireSRWLockShared(rwlock_slim(rwlock)));
}

int uv_rwlock_trywrlock(uv_rwlock_t* rwlock) {
  return try_result(TryAcquireSRWLockExclusive(rwlock_slim(rwlock)));
}

void uv_rwlock_destroy(uv_rwlock_t* rwlock) {
  (void) rwlock; /* slim locks have no resources */
}

/* Sleeps until woken: 0 or UV_ETIMEDOUT. */
static int sleep_on(CONDITION_VARIABLE* condition,
                    CRITICAL_SECTION* lock,
                    DWORD msec,
                    const char* op) {
  if (SleepConditionVariableCS(condition, lock, msec))
    return 0;
  if (GetLastError() != ERROR_TIMEOUT)
    uv__fatal(op, uv__last_error());
  return UV_ETIMEDOUT;
}

int uv_cond_init(uv_cond_t* cond) {
  InitializeConditionVariable(&cond->cond_var);
  return 0;
}

void uv_cond_wait(uv_cond_t* cond, uv_mutex_t* mutex) {
  (void) sleep_on(&cond->cond_var, mutex, INFINITE, "uv_cond_wait");
}

/* Whole milliseconds, rounded up to avoid ending early, and less than
 * INFINITE. */
static DWORD timeout_from(uint64_t nsec) {
  uint64_t msec = nsec / NSEC_PER_MSEC + (nsec % NSEC_PER_MSEC != 0);
  return msec < INFINITE ? (DWORD) msec : INFINITE - 1;
}

int uv_cond_timedwait(uv_cond_t* cond, uv_mutex_t* mutex, uint64_t timeout) {
  DWORD msec = timeout_from(timeout);
  return sleep_on(&cond->cond_var, mutex, msec, "uv_cond_timedwait");
}

void uv_cond_broadcast(uv_cond_t* cond) {
  WakeAllConditionVariable(&cond->cond_var);
}

void uv_cond_signal(uv_cond_t* cond) {
  WakeConditionVariable(&cond->cond_var);
}

void uv_cond_destroy(uv_cond_t* cond) {
  (void) cond; /* has no resources */
}

/* `in` counts arrivals; the last one to arrive opens the barrier by setting
 * `out` to the number of threads that have to leave. The next round starts when
 * all have left, and the last to leave gets the distinguished return value. */

int uv_barrier_init(uv_barrier_t* barrier, unsigned int count) {
  if (barrier == NULL || count == 0)
    return UV_EINVAL;

  barrier->threshold = count;
  barrier->in = 0;
  barrier->out = 0;
  InitializeConditionVariable(&barrier->cond);
  return uv_mutex_init(&barrier->mutex);
}

void uv_barrier_destroy(uv_barrier_t* barrier) {
  uv_mutex_lock(&barrier->mutex);
  if (barrier->in != 0 || barrier->out != 0)
    uv__fatal("uv_barrier_destroy", UV_EBUSY);
  uv_mutex_unlock(&barrier->mutex);
  uv_mutex_destroy(&barrier->mutex);
}

static void barrier_sleep(uv_barrier_t* barrier) {
  (void) sleep_on(&barrier->cond, &barrier->mutex, INFINITE, "uv_barrier_wait");
}

int uv_barrier_wait(uv_barrier_t* barrier) {
  uv_mutex_lock(&barrier->mutex);
  while (barrier->out != 0)
    barrier_sleep(barrier);

  if (++barrier->in == barrier->threshold) {
    barrier->in = 0;
    barrier->out = barrier->threshold;
    WakeAllConditionVariable(&barrier->cond);
  } else {
    while (barrier->out == 0)
      barrier_sleep(barrier);
  }

  int is_last = --barrier->out == 0;
  if (is_last)
    WakeAllConditionVariable(&barrier->cond);
  uv_mutex_unlock(&barrier->mutex);
  return is_last;
}

/* A function pointer need not fit a data pointer; pass its address. */
static BOOL CALLBACK once_run(INIT_ONCE* once, void* arg, void** context) {
  void (**callback)(void) = arg;

  (void) once;
  (void) context;
  (*callback)();
  return TRUE;
}

void uv_once(uv_once_t* guard, void (*callback)(void)) {
  if (!InitOnceExecuteOnce(&guard->init_once, once_run, &callback, NULL))
    uv__fatal("uv_once", uv__last_error());
}
