/* SPDX-License-Identifier: MIT */
#include "util/fork-lock.h"
#include "util/atomic.h"
#include "util/base.h"

#define HELD 1
#define SPINS 64

static int process_of(int word) {
  return word & ~HELD;
}

static void wait_a_moment(unsigned turn) {
  if (turn < SPINS)
    uv__cpu_relax();
  else
    uv_sleep(0); /* the holder may have been preempted */
}

int uv__fork_lock(struct uv__fork_lock* lock) {
  int own = 2 * uv_os_getpid();
  int word = uv__load_relaxed(&lock->word);

  for (unsigned turn = 0;; turn++) {
    if (word == (own | HELD)) {
      wait_a_moment(turn);
      word = uv__load_relaxed(&lock->word);
      continue;
    }
    /* Acquire: what the previous holder wrote. Pairs with the release below. */
    if (uv__cas_strong(&lock->word, &word, own | HELD))
      return process_of(word) != own;
  }
}

void uv__fork_unlock(struct uv__fork_lock* lock) {
  uv__store_release(&lock->word, process_of(uv__load_relaxed(&lock->word)));
}
