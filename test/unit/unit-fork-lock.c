/* SPDX-License-Identifier: MIT */
/* The lock that a forked child takes from its parent. */
#include "unit.h"

#include "util/fork-lock.h"
#include "uv.h"

#define THREADS 4
#define ROUNDS 2000

static struct uv__fork_lock lock;
static int counter;

/* The first caller is told that it is the first; no other of this process is.
 */
UNIT_TEST(fork_lock_reports_the_first) {
  CHECK_EQ(1, uv__fork_lock(&lock));
  uv__fork_unlock(&lock);
  CHECK_EQ(0, uv__fork_lock(&lock));
  uv__fork_unlock(&lock);
}

/* What a child sees of a process that held it, or did not. */
UNIT_TEST(fork_lock_of_another_process) {
  lock.word = 2 * (uv_os_getpid() + 1) + 1;
  CHECK_EQ(1, uv__fork_lock(&lock));
  uv__fork_unlock(&lock);
  CHECK_EQ(0, uv__fork_lock(&lock));
  uv__fork_unlock(&lock);
  lock.word = 2 * (uv_os_getpid() + 1);
  CHECK_EQ(1, uv__fork_lock(&lock));
  uv__fork_unlock(&lock);
}

static void count(void* arg) {
  (void) arg;
  for (int i = 0; i < ROUNDS; i++) {
    uv__fork_lock(&lock);
    counter++;
    uv__fork_unlock(&lock);
  }
}

UNIT_TEST(fork_lock_excludes) {
  uv_thread_t threads[THREADS];

  for (int i = 0; i < THREADS; i++)
    CHECK_EQ(0, uv_thread_create(&threads[i], count, NULL));
  for (int i = 0; i < THREADS; i++)
    CHECK_EQ(0, uv_thread_join(&threads[i]));
  CHECK_EQ(THREADS * ROUNDS, counter);
}

UNIT_TEST(fork_lock_tried) {
  CHECK_EQ(1, uv__fork_trylock(&lock));
  CHECK_EQ(0, uv__fork_trylock(&lock));
  uv__fork_unlock(&lock);
  lock.word = 2 * (uv_os_getpid() + 1) + 1; /* the parent holds it */
  CHECK_EQ(1, uv__fork_trylock(&lock));
  uv__fork_unlock(&lock);
}
