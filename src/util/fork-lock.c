/* SPDX-License-Identifier: MIT */
#include "util/fork-lock.h"
#include "util/atomic.h"
#include "util/base.h"
#include "util/wait.h"

#define HELD 1

static int process_of(int word) {
  return word & ~HELD;
}

int uv__fork_lock(struct uv__fork_lock* lock) {
  int own = 2 * uv_os_getpid();
  int word = uv__load_relaxed(&lock->word);

  for (unsigned turn = 0;; turn++) {
    if (word == (own | HELD)) {
      uv__wait_turn(turn);
      word = uv__load_relaxed(&lock->word);
      continue;
    }
    /* Acquire: what the previous holder wrote. Pairs with the release below. */
    if (uv__cas_strong(&lock->word, &word, own | HELD))
      return process_of(word) != own;
  }
}

int uv__fork_trylock(struct uv__fork_lock* lock) {
  int own = 2 * uv_os_getpid();
  int word = uv__load_relaxed(&lock->word);

  /* Acquire: as above. The comparison fails only if the lock was taken. */
  while (word != (own | HELD))
    if (uv__cas_strong(&lock->word, &word, own | HELD))
      return 1;
  return 0;
}

void uv__fork_unlock(struct uv__fork_lock* lock) {
  uv__store_release(&lock->word, process_of(uv__load_relaxed(&lock->word)));
}
