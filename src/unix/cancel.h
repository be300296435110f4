/* SPDX-License-Identifier: MIT */
/* Sections of code in which a thread that is being cancelled must not end:
 *
 *   int saved = uv__cancel_disable();
 *   ...
 *   uv__cancel_restore(saved);
 *
 * Context: any | signal | child. */
#ifndef UV_UNIX_CANCEL_H_
#define UV_UNIX_CANCEL_H_

#include "unix/os.h"

#if UV__HAVE_CANCEL
# include <pthread.h>

static inline int uv__cancel_disable(void) {
  int saved;

  (void) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved);
  return saved;
}

/* Nothing is cancelled here yet, unless the program has asked for cancellation
 * at any time. */
static inline void uv__cancel_restore(int saved) {
  int disabled;

  (void) pthread_setcancelstate(saved, &disabled);
}
#else
static inline int uv__cancel_disable(void) {
  return 0;
}

static inline void uv__cancel_restore(int saved) {
  (void) saved;
}
#endif

#endif /* UV_UNIX_CANCEL_H_ */
