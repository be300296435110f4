/* SPDX-License-Identifier: MIT */
/* Locks, conditions, once, semaphores: what upstream's tests do not cover. */
#include "uv.h"
#include "test.h"

#include <string.h>

#define READERS 6

static uv_once_t guard = UV_ONCE_INIT;
static int once_runs;

static void once_body(void) {
  uv_sleep(20); /* the others arrive meanwhile and have to wait */
  once_runs++;
}

static void once_caller(void* arg) {
  (void) arg;
  uv_once(&guard, once_body);
  ASSERT_EQ(1, once_runs);
}

TEST_IMPL(sync_once_runs_once_and_everybody_waits) {
  uv_thread_t tids[4];

  for (int i = 0; i < 4; i++)
    ASSERT_EQ(0, uv_thread_create(&tids[i], once_caller, NULL));
  for (int i = 0; i < 4; i++)
    ASSERT_EQ(0, uv_thread_join(&tids[i]));
  uv_once(&guard, once_body);
  ASSERT_EQ(1, once_runs);
  return 0;
}

TEST_IMPL(sync_cond_timedwait_is_not_early) {
  uv_mutex_t mutex;
  uv_cond_t cond;
  uint64_t wait_ns = 30 * 1000 * 1000;

  ASSERT_EQ(0, uv_mutex_init(&mutex));
  ASSERT_EQ(0, uv_cond_init(&cond));
  uv_mutex_lock(&mutex);
  ASSERT_EQ(UV_ETIMEDOUT, uv_cond_timedwait(&cond, &mutex, 0));

  /* Spurious wake-ups are allowed; early timeouts are not. */
  uint64_t start = uv_hrtime();
  int err = uv_cond_timedwait(&cond, &mutex, wait_ns);
  if (err == UV_ETIMEDOUT)
    ASSERT(uv_hrtime() - start >= wait_ns);
  else
    ASSERT_EQ(0, err);

  uv_mutex_unlock(&mutex);
  uv_cond_destroy(&cond);
  uv_mutex_destroy(&mutex);
  return 0;
}

struct mailbox {
  uv_mutex_t mutex;
  uv_cond_t cond;
  int full;
};

static void mailbox_fill(void* arg) {
  struct mailbox* box = arg;
  uv_sleep(20);
  uv_mutex_lock(&box->mutex);
  box->full = 1;
  uv_cond_signal(&box->cond);
  uv_mutex_unlock(&box->mutex);
}

/* The longest possible wait must not wrap around into the past. */
TEST_IMPL(sync_cond_timedwait_for_ever) {
  struct mailbox box = { .full = 0 };
  uv_thread_t tid;

  ASSERT_EQ(0, uv_mutex_init(&box.mutex));
  ASSERT_EQ(0, uv_cond_init(&box.cond));
  ASSERT_EQ(0, uv_thread_create(&tid, mailbox_fill, &box));
  uv_mutex_lock(&box.mutex);
  while (!box.full)
    ASSERT_EQ(0, uv_cond_timedwait(&box.cond, &box.mutex, UINT64_MAX));
  uv_mutex_unlock(&box.mutex);
  ASSERT_EQ(0, uv_thread_join(&tid));
  uv_cond_destroy(&box.cond);
  uv_mutex_destroy(&box.mutex);
  return 0;
}

struct readers {
  uv_rwlock_t lock;
  uv_barrier_t inside;
  uv_sem_t leave[READERS];
};

struct reader {
  struct readers* all;
  int index;
};

static void reader_thread(void* arg) {
  struct reader* self = arg;
  uv_rwlock_rdlock(&self->all->lock);
  uv_barrier_wait(&self->all->inside);
  uv_sem_wait(&self->all->leave[self->index]);
  uv_rwlock_rdunlock(&self->all->lock);
}

/* CVE-2014-9748: the reader that leaves last is not the one that came first; a
 * writer enters only after it. */
TEST_IMPL(sync_rwlock_last_reader_out_is_not_first_in) {
  struct readers all;
  struct reader each[READERS];
  uv_thread_t tids[READERS];

  ASSERT_EQ(0, uv_rwlock_init(&all.lock));
  ASSERT_EQ(0, uv_barrier_init(&all.inside, READERS + 1));
  for (int i = 0; i < READERS; i++) {
    each[i].all = &all;
    each[i].index = i;
    ASSERT_EQ(0, uv_sem_init(&all.leave[i], 0));
    ASSERT_EQ(0, uv_thread_create(&tids[i], reader_thread, &each[i]));
  }
  uv_barrier_wait(&all.inside);

  for (int i = 0; i < READERS; i++) {
    ASSERT_EQ(UV_EBUSY, uv_rwlock_trywrlock(&all.lock));
    ASSERT_EQ(0, uv_rwlock_tryrdlock(&all.lock));
    uv_rwlock_rdunlock(&all.lock);
    uv_sem_post(&all.leave[i]);
    ASSERT_EQ(0, uv_thread_join(&tids[i]));
  }
  ASSERT_EQ(0, uv_rwlock_trywrlock(&all.lock));
  ASSERT_EQ(UV_EBUSY, uv_rwlock_tryrdlock(&all.lock));
  uv_rwlock_wrunlock(&all.lock);

  for (int i = 0; i < READERS; i++)
    uv_sem_destroy(&all.leave[i]);
  uv_barrier_destroy(&all.inside);
  uv_rwlock_destroy(&all.lock);
  return 0;
}

/* From another thread, because on Windows the owner may take it twice. */
static void expect_busy(void* mutex) {
  ASSERT_EQ(UV_EBUSY, uv_mutex_trylock(mutex));
}

TEST_IMPL(sync_mutex_trylock_while_held) {
  uv_mutex_t mutex;
  uv_thread_t tid;

  ASSERT_EQ(0, uv_mutex_init(&mutex));
  uv_mutex_lock(&mutex);
  ASSERT_EQ(0, uv_thread_create(&tid, expect_busy, &mutex));
  ASSERT_EQ(0, uv_thread_join(&tid));
  uv_mutex_unlock(&mutex);
  ASSERT_EQ(0, uv_mutex_trylock(&mutex));
  uv_mutex_unlock(&mutex);
  uv_mutex_destroy(&mutex);
  return 0;
}

TEST_IMPL(sync_init_impossible_counts) {
  uv_barrier_t barrier;
  uv_sem_t sem;

  ASSERT_EQ(UV_EINVAL, uv_barrier_init(&barrier, 0));
  ASSERT_EQ(UV_EINVAL, uv_sem_init(&sem, ~0u));
  return 0;
}
