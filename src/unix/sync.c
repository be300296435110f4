/* SPDX-License-Identifier: MIT */
/* Locks, condition variables, barriers, once, semaphores.
 *
 * The void functions cannot return an error. pthreads fails only for an object
 * that is not initialised or not held, or that would deadlock on itself: a bug
 * in the program, so uv__fatal() names the call. Context: any.
 */
#include "util/base.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "util/alloc.h"
#include "util/fatal.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#define SECOND_NS UINT64_C(1000000000)

/* Longer than any real wait (about 68 years), and fits a 32-bit time_t. */
#define WAIT_SECONDS_MAX UINT64_C(0x7fffffff)

static inline void sync_check(int err, const char* op) {
  if (__builtin_expect(err != 0, 0))
    uv__fatal(op, -err);
}

/* Result of a try-operation: 0, or UV_EBUSY while another thread holds it. */
static inline int sync_check_try(int err, const char* op) {
  if (err == EBUSY || err == EAGAIN)
    return UV_EBUSY;
  sync_check(err, op);
  return 0;
}

static int mutex_init_kind(uv_mutex_t* mutex, int kind) {
  pthread_mutexattr_t attr;
  int err = pthread_mutexattr_init(&attr);
  if (err != 0)
    return -err;
  err = pthread_mutexattr_settype(&attr, kind);
  if (err == 0)
    err = pthread_mutex_init(mutex, &attr);
  (void) pthread_mutexattr_destroy(&attr); /* cannot fail once initialised */
  return -err;
}

#ifdef UV__DEBUG
int uv_mutex_init(uv_mutex_t* mutex) {
  return mutex_init_kind(mutex, PTHREAD_MUTEX_ERRORCHECK);
}
#else
int uv_mutex_init(uv_mutex_t* mutex) {
  return -pthread_mutex_init(mutex, NULL);
}
#endif

int uv_mutex_init_recursive(uv_mutex_t* mutex) {
  return mutex_init_kind(mutex, PTHREAD_MUTEX_RECURSIVE);
}

void uv_mutex_destroy(uv_mutex_t* mutex) {
  sync_check(pthread_mutex_destroy(mutex), "uv_mutex_destroy");
}

void uv_mutex_lock(uv_mutex_t* mutex) {
  sync_check(pthread_mutex_lock(mutex), "uv_mutex_lock");
}

int uv_mutex_trylock(uv_mutex_t* mutex) {
  return sync_check_try(pthread_mutex_trylock(mutex), "uv_mutex_trylock");
}

void uv_mutex_unlock(uv_mutex_t* mutex) {
  sync_check(pthread_mutex_unlock(mutex), "uv_mutex_unlock");
}

int uv_rwlock_init(uv_rwlock_t* rwlock) {
  return -pthread_rwlock_init(rwlock, NULL);
}

void uv_rwlock_destroy(uv_rwlock_t* rwlock) {
  sync_check(pthread_rwlock_destroy(rwlock), "uv_rwlock_destroy");
}

void uv_rwlock_rdlock(uv_rwlock_t* rwlock) {
  sync_check(pthread_rwlock_rdlock(rwlock), "uv_rwlock_rdlock");
}

int uv_rwlock_tryrdlock(uv_rwlock_t* rwlock) {
  return sync_check_try(pthread_rwlock_tryrdlock(rwlock),
                        "uv_rwlock_tryrdlock");
}

void uv_rwlock_rdunlock(uv_rwlock_t* rwlock) {
  sync_check(pthread_rwlock_unlock(rwlock), "uv_rwlock_rdunlock");
}

void uv_rwlock_wrlock(uv_rwlock_t* rwlock) {
  sync_check(pthread_rwlock_wrlock(rwlock), "uv_rwlock_wrlock");
}

int uv_rwlock_trywrlock(uv_rwlock_t* rwlock) {
  return sync_check_try(pthread_rwlock_trywrlock(rwlock),
                        "uv_rwlock_trywrlock");
}

void uv_rwlock_wrunlock(uv_rwlock_t* rwlock) {
  sync_check(pthread_rwlock_unlock(rwlock), "uv_rwlock_wrunlock");
}

/* `nsec` as a timespec, cut off at WAIT_SECONDS_MAX. */
static struct timespec timespec_from(uint64_t nsec) {
  uint64_t sec = nsec / SECOND_NS;
  struct timespec ts = { .tv_sec = (time_t) WAIT_SECONDS_MAX };
  if (sec < WAIT_SECONDS_MAX) {
    ts.tv_sec = (time_t) sec;
    ts.tv_nsec = (long) (nsec % SECOND_NS);
  }
  return ts;
}

#if UV__HAVE_CONDATTR_CLOCK

int uv_cond_init(uv_cond_t* cond) {
  pthread_condattr_t attr;
  int err = pthread_condattr_init(&attr);
  if (err != 0)
    return -err;
  /* Timeouts must not depend on changes of the wall clock. */
  err = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  if (err == 0)
    err = pthread_cond_init(cond, &attr);
  (void) pthread_condattr_destroy(&attr); /* cannot fail once initialised */
  return -err;
}

static int cond_wait_for(uv_cond_t* cond, uv_mutex_t* mutex, uint64_t nsec) {
  uint64_t now = uv_hrtime();
  uint64_t deadline = nsec > UINT64_MAX - now ? UINT64_MAX : now + nsec;
  struct timespec ts = timespec_from(deadline);
  return pthread_cond_timedwait(cond, mutex, &ts);
}

#else

int uv_cond_init(uv_cond_t* cond) {
  return -pthread_cond_init(cond, NULL);
}

static int cond_wait_for(uv_cond_t* cond, uv_mutex_t* mutex, uint64_t nsec) {
  struct timespec ts = timespec_from(nsec);
  return pthread_cond_timedwait_relative_np(cond, mutex, &ts);
}

#endif

void uv_cond_destroy(uv_cond_t* cond) {
  sync_check(pthread_cond_destroy(cond), "uv_cond_destroy");
}

void uv_cond_signal(uv_cond_t* cond) {
  sync_check(pthread_cond_signal(cond), "uv_cond_signal");
}

void uv_cond_broadcast(uv_cond_t* cond) {
  sync_check(pthread_cond_broadcast(cond), "uv_cond_broadcast");
}

void uv_cond_wait(uv_cond_t* cond, uv_mutex_t* mutex) {
  sync_check(pthread_cond_wait(cond, mutex), "uv_cond_wait");
}

int uv_cond_timedwait(uv_cond_t* cond, uv_mutex_t* mutex, uint64_t timeout) {
  int err = cond_wait_for(cond, mutex, timeout);
  if (err == ETIMEDOUT)
    return UV_ETIMEDOUT;
  sync_check(err, "uv_cond_timedwait");
  return 0;
}

#if UV__HAVE_PTHREAD_BARRIER

int uv_barrier_init(uv_barrier_t* barrier, unsigned int count) {
  if (barrier == NULL)
    return UV_EINVAL;
  return -pthread_barrier_init(barrier, NULL, count);
}

void uv_barrier_destroy(uv_barrier_t* barrier) {
  sync_check(pthread_barrier_destroy(barrier), "uv_barrier_destroy");
}

int uv_barrier_wait(uv_barrier_t* barrier) {
  int r = pthread_barrier_wait(barrier);
  if (r == PTHREAD_BARRIER_SERIAL_THREAD)
    return 1;
  sync_check(r, "uv_barrier_wait");
  return 0;
}

#else

/* `in` counts the threads that arrived in this round, `out` those of the
 * completed round that have not left yet. A thread that arrives while others
 * are leaving waits for them, so that rounds never mix. The last one to leave
 * returns 1 and may destroy the barrier. */

int uv_barrier_init(uv_barrier_t* barrier, unsigned int count) {
  if (barrier == NULL || count == 0)
    return UV_EINVAL;

  struct _uv_barrier* b = uv__calloc(1, sizeof(*b));
  if (b == NULL)
    return UV_ENOMEM;
  b->threshold = count;

  int err = uv_mutex_init(&b->mutex);
  if (err != 0)
    goto err_free;
  err = uv_cond_init(&b->cond);
  if (err != 0)
    goto err_mutex;
  barrier->b = b;
  return 0;

err_mutex:
  uv_mutex_destroy(&b->mutex);
err_free:
  uv__free(b);
  return err;
}

void uv_barrier_destroy(uv_barrier_t* barrier) {
  struct _uv_barrier* b = barrier->b;
  uv_mutex_lock(&b->mutex);
  if (b->in != 0 || b->out != 0)
    uv__fatal("uv_barrier_destroy", UV_EBUSY);
  uv_mutex_unlock(&b->mutex);

  uv_cond_destroy(&b->cond);
  uv_mutex_destroy(&b->mutex);
  uv__free(b);
  barrier->b = NULL;
}

int uv_barrier_wait(uv_barrier_t* barrier) {
  struct _uv_barrier* b = barrier->b;
  uv_mutex_lock(&b->mutex);
  while (b->out != 0)
    uv_cond_wait(&b->cond, &b->mutex);

  b->in++;
  if (b->in == b->threshold) {
    b->in = 0;
    b->out = b->threshold;
    uv_cond_broadcast(&b->cond);
  }
  while (b->out == 0)
    uv_cond_wait(&b->cond, &b->mutex);

  b->out--;
  int last = b->out == 0;
  if (last)
    uv_cond_broadcast(&b->cond);
  uv_mutex_unlock(&b->mutex);
  return last;
}

#endif

void uv_once(uv_once_t* guard, void (*callback)(void)) {
  sync_check(pthread_once(guard, callback), "uv_once");
}

/* Semaphores; sem-mach.c where they are Mach's. */
#if !UV__HAVE_MACH_SEMAPHORE

int uv_sem_init(uv_sem_t* sem, unsigned int value) {
  return sem_init(sem, 0, value) == 0 ? 0 : uv__errno();
}

void uv_sem_destroy(uv_sem_t* sem) {
  if (sem_destroy(sem) != 0)
    uv__fatal("uv_sem_destroy", uv__errno());
}

void uv_sem_post(uv_sem_t* sem) {
  if (sem_post(sem) != 0)
    uv__fatal("uv_sem_post", uv__errno());
}

void uv_sem_wait(uv_sem_t* sem) {
  while (sem_wait(sem) != 0)
    if (errno != EINTR)
      uv__fatal("uv_sem_wait", uv__errno());
}

int uv_sem_trywait(uv_sem_t* sem) {
  while (sem_trywait(sem) != 0) {
    if (errno == EAGAIN)
      return UV_EAGAIN;
    if (errno != EINTR)
      uv__fatal("uv_sem_trywait", uv__errno());
  }
  return 0;
}

#endif /* !UV__HAVE_MACH_SEMAPHORE */
