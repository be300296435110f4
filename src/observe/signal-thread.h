/* SPDX-License-Identifier: MIT */
/* A session's thread that sleeps until the process gets a signal, whose handler
 * posts a semaphore and nothing else. The structure is static. */
#ifndef UV_OBSERVE_SIGNAL_THREAD_H_
#define UV_OBSERVE_SIGNAL_THREAD_H_

#include "util/base.h"

struct uv__signal_thread {
  uv_thread_t thread;
  uv_sem_t posted; /* by the signal handler, and to end the thread */
  int is_ending;   /* atomic */
  int signum;      /* atomic; 0: none */
};

/* The variable of the environment names the signal: 0, or UV__STAYS_OFF if it
 * does not or the signal cannot be had, which is said. */
int uv__signal_thread_start(struct uv__signal_thread* t,
                            const char* variable,
                            uv_thread_cb entry);
/* In a forked child, where the signal is still caught: 0 or UV__STAYS_OFF. */
int uv__signal_thread_restart(struct uv__signal_thread* t,
                              const char* variable,
                              uv_thread_cb entry);

/* Sleeps until the signal arrives; signals that arrive together count as one.
 * 0: the thread is to end. Context: the thread. */
int uv__signal_thread_wait(struct uv__signal_thread* t);

/* Has the thread end; uv__signal_thread_join() waits until it has. */
void uv__signal_thread_end(struct uv__signal_thread* t);
void uv__signal_thread_join(struct uv__signal_thread* t);

/* From now on the signal does nothing: the library ends, and its default action
 * would end the process. Context: any. */
void uv__signal_thread_ignore(struct uv__signal_thread* t);

#endif /* UV_OBSERVE_SIGNAL_THREAD_H_ */
