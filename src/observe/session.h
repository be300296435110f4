/* SPDX-License-Identifier: MIT */
/* The life of a session: a trace, metrics, the watchdog, dumps on a signal.
 *
 * A session is started by the program or, with the first loop, by the
 * environment; it is stopped by the program or at the end of the library. In a
 * forked child it is off at first: its thread is gone. Once the child makes a
 * loop or calls uv_loop_fork(), the session of the parent is forgotten and
 * asked whether it starts again.
 *
 * Each session has a lock, which a fork may find held. A session's own thread
 * cannot start or stop it, because stopping waits for that thread.
 */
#ifndef UV_OBSERVE_SESSION_H_
#define UV_OBSERVE_SESSION_H_

#include "util/base.h"
#include "util/fork-lock.h"

/* Who starts a session. */
enum uv__start {
  UV__START_CALL,
  UV__START_ENVIRONMENT,
  UV__START_CHILD,
  UV__START_SIGNAL
};

/* What start() returns if there is nothing to start, or if it has said why it
 * could not. */
#define UV__STAYS_OFF 1

struct uv__session {
  /* Constant. All functions are called with the lock. */
  const char* variable; /* of the environment; read once, by the first loop */
  unsigned bit;         /* of uv__observers; 0: the session sets one itself */
  /* `options` are those of the program, checked; NULL: those of the
   * environment, in a child those of the parent, at a signal the last ones. 0,
   * UV_E* or UV__STAYS_OFF. */
  int (*start)(enum uv__start why, const void* options);
  void (*stop)(void);   /* writes what is left, joins the session's thread */
  void (*forget)(void); /* in a child: frees what the parent's had */
  /* The machine's. */
  struct uv__fork_lock lock;
  unsigned owner;  /* atomic: 0 while off, else 1 plus the number of forks
                    * before the start */
  uint64_t thread; /* atomic: the session's own thread, 0 if it has none */
};

extern struct uv__session uv__trace_session;
extern struct uv__session uv__metrics_session;
extern struct uv__session uv__watchdog_session;
extern struct uv__session uv__dump_session;
extern struct uv__session uv__trace_signal_session;

/* For the program: 0; UV_EBUSY if it is on, or on its own thread; UV_E*.
 * Context: any. */
int uv__session_start(struct uv__session* session, const void* options);

/* 0; UV_ESRCH if it is off; UV_EBUSY on its own thread. Context: any. */
int uv__session_stop(struct uv__session* session);

/* The same for an operator's signal; UV__STAYS_OFF: it was said why not. */
int uv__session_resume(struct uv__session* session);

/* Calls the function with the session's lock and returns its result; UV_ESRCH
 * if the session is off; UV_EBUSY on its own thread. Context: any. */
int uv__session_call(struct uv__session* session, int (*function)(void));

/* The calling thread is the session's own until it ends. */
void uv__session_thread_begin(struct uv__session* session);

#endif /* UV_OBSERVE_SESSION_H_ */
