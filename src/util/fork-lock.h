/* SPDX-License-Identifier: MIT */
/* A lock for process-wide state that a fork may find held.
 *
 * A mutex that another thread holds during fork() is never released in the
 * child, and taking all of them in a pthread_atfork() handler deadlocks with
 * handlers of the program that call into the library. This one names the
 * process that holds it: a child finds its parent's number, knows that the
 * holder does not exist here, and takes it.
 *
 * For short, rare critical sections: see wait.h.
 * Context: any.
 */
#ifndef UV_UTIL_FORK_LOCK_H_
#define UV_UTIL_FORK_LOCK_H_

struct uv__fork_lock {
  /* Atomic: twice the pid of the last holder, plus 1 while held; initially
   * 0. */
  int word;
};

/* Takes the lock. Returns 1 if this process never held it before: then what it
 * guards may be half changed by a thread of the parent, and the caller must
 * repair it. */
int uv__fork_lock(struct uv__fork_lock* lock);
/* Takes the lock and returns 1, or 0 if a thread of this process has it.
 * Context: any | signal. */
int uv__fork_trylock(struct uv__fork_lock* lock);
void uv__fork_unlock(struct uv__fork_lock* lock);

#endif /* UV_UTIL_FORK_LOCK_H_ */
