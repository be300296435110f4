/* SPDX-License-Identifier: MIT */
#include "observe/signal-thread.h"
#include "observe/session.h"
#include "os/signal.h"
#include "os/thread.h"
#include "util/atomic.h"
#include "variable.h"

/* In a child the semaphore is made again in its place. */
static int make_thread(struct uv__signal_thread* t, uv_thread_cb entry) {
  uv__store_relaxed(&t->is_ending, 0);
  int err = uv_sem_init(&t->posted, 0);
  if (err != 0)
    return err;
  err = uv__thread_os_start_own(&t->thread, entry);
  if (err != 0)
    uv_sem_destroy(&t->posted);
  return err;
}

int uv__signal_thread_start(struct uv__signal_thread* t,
                            const char* variable,
                            uv_thread_cb entry) {
  char name[64];

  if (!uv__variable_get(variable, name, sizeof(name)))
    return UV__STAYS_OFF;
  int number = uv__signal_os_number(name);
  int err = number > 0 ? make_thread(t, entry) : number;
  if (err == 0) {
    err = uv__signal_os_post_start(number, &t->posted);
    if (err == 0) {
      uv__store_relaxed(&t->signum, number);
      return 0;
    }
    uv__signal_thread_end(t);
    uv__signal_thread_join(t);
  }
  uv__variable_refuse_signal(variable, name, err);
  return UV__STAYS_OFF;
}

int uv__signal_thread_restart(struct uv__signal_thread* t,
                              const char* variable,
                              uv_thread_cb entry) {
  int err = make_thread(t, entry);

  if (err == 0)
    return 0;
  uv__signal_thread_ignore(t);
  uv__variable_refuse(variable, "", uv_strerror(err));
  return UV__STAYS_OFF;
}

int uv__signal_thread_wait(struct uv__signal_thread* t) {
  uv_sem_wait(&t->posted);
  if (uv__load_acquire(&t->is_ending))
    return 0;
  while (uv_sem_trywait(&t->posted) == 0)
    continue;
  return 1;
}

void uv__signal_thread_end(struct uv__signal_thread* t) {
  uv__store_release(&t->is_ending, 1);
  uv_sem_post(&t->posted);
}

void uv__signal_thread_join(struct uv__signal_thread* t) {
  uv_thread_join(&t->thread);
}

void uv__signal_thread_ignore(struct uv__signal_thread* t) {
  int number = uv__exchange(&t->signum, 0);

  if (number != 0)
    uv__signal_os_post_stop(number, &t->posted);
}
