/* SPDX-License-Identifier: MIT */
#include "observe/session.h"
#include "observe/dump/signal.h"
#include "observe/hooks.h"
#include "observe/thread.h"
#include "observe/trace/trace.h"
#include "os/crash.h"
#include "os/thread.h"
#include "util/atomic.h"
#include "util/env.h"

/* Started in this order, stopped in reverse. */
static struct uv__session* const sessions[] = {
  &uv__trace_session, &uv__metrics_session,      &uv__watchdog_session,
  &uv__dump_session,  &uv__trace_signal_session,
};

static uv_once_t environment_once = UV_ONCE_INIT;

/* What `owner` is if the session is on in this process. */
static unsigned this_process(void) {
  return uv__observe_generation() + 1;
}

/* With the lock. */
static void session_leave(struct uv__session* s) {
  unsigned owner = uv__load_relaxed(&s->owner);

  if (owner != 0 && owner != this_process()) {
    s->forget();
    uv__store_relaxed(&s->thread, 0);
    uv__store_relaxed(&s->owner, 0);
  }
}

/* Most environments set none, and what observers need is not made then. */
static int is_variable_set(const char* name) {
  char text[2];

  return uv__env_get(name, text, sizeof(text)) != UV_ENOENT;
}

/* With the lock. */
static int session_begin(struct uv__session* s,
                         enum uv__start why,
                         const void* options) {
  session_leave(s);
  if (uv__load_relaxed(&s->owner) != 0)
    return UV_EBUSY;
  if (why == UV__START_ENVIRONMENT && !is_variable_set(s->variable))
    return UV__STAYS_OFF;
  int err = uv__observe_init();
  if (err == 0)
    err = s->start(why, options);
  if (err != 0)
    return err;
  /* Release: what start() made. Pairs with uv__hook_loop_begin(). */
  uv__store_release(&s->owner, this_process());
  if (s->bit != 0)
    uv__observe_start(s->bit);
  return 0;
}

/* With the lock. */
static int session_end(struct uv__session* s) {
  session_leave(s);
  if (uv__load_relaxed(&s->owner) == 0)
    return UV_ESRCH;
  if (s->bit != 0)
    uv__observe_stop(s->bit);
  s->stop();
  uv__store_relaxed(&s->thread, 0);
  uv__store_release(&s->owner, 0);
  return 0;
}

/* In a child the number may be that of a thread of the parent, which is off. */
static int is_own_thread(const struct uv__session* s) {
  return uv__load_relaxed(&s->owner) == this_process() &&
         uv__load_relaxed(&s->thread) == uv__thread_os_id();
}

void uv__session_thread_begin(struct uv__session* s) {
  uv__store_relaxed(&s->thread, uv__thread_os_id());
}

static int session_start(struct uv__session* s,
                         enum uv__start why,
                         const void* options) {
  if (is_own_thread(s))
    return UV_EBUSY;
  (void) uv__fork_lock(&s->lock);
  int err = session_begin(s, why, options);
  uv__fork_unlock(&s->lock);
  return err;
}

int uv__session_start(struct uv__session* s, const void* options) {
  return session_start(s, UV__START_CALL, options);
}

int uv__session_resume(struct uv__session* s) {
  return session_start(s, UV__START_SIGNAL, NULL);
}

int uv__session_call(struct uv__session* s, int (*function)(void)) {
  if (is_own_thread(s))
    return UV_EBUSY;
  (void) uv__fork_lock(&s->lock);
  session_leave(s);
  int err = uv__load_relaxed(&s->owner) != 0 ? function() : UV_ESRCH;
  uv__fork_unlock(&s->lock);
  return err;
}

int uv__session_stop(struct uv__session* s) {
  if (is_own_thread(s))
    return UV_EBUSY;
  (void) uv__fork_lock(&s->lock);
  int err = session_end(s);
  uv__fork_unlock(&s->lock);
  return err;
}

/* The program may have started some before its first loop. */
static void start_environment(void) {
  for (size_t i = 0; i < ARRAY_SIZE(sessions); i++) {
    struct uv__session* s = sessions[i];
    (void) uv__fork_lock(&s->lock);
    (void) session_begin(s, UV__START_ENVIRONMENT, NULL); /* said why not */
    uv__fork_unlock(&s->lock);
  }
}

static void session_restart(struct uv__session* s) {
  (void) uv__fork_lock(&s->lock);
  unsigned owner = uv__load_relaxed(&s->owner);
  if (owner != 0 && owner != this_process())
    (void) session_begin(s, UV__START_CHILD, NULL); /* said why not */
  uv__fork_unlock(&s->lock);
}

void uv__hook_loop_begin(void) {
  uv_once(&environment_once, start_environment);
  for (size_t i = 0; i < ARRAY_SIZE(sessions); i++) {
    /* Acquire: pairs with session_begin(). */
    unsigned owner = uv__load_acquire(&sessions[i]->owner);
    if (owner != 0 && owner != this_process())
      session_restart(sessions[i]);
  }
}

void uv__hook_shutdown(void) {
  /* First: they would end the process once their default action is back. */
  uv__dump_ignore_signal();
  uv__trace_ignore_signal();
  for (size_t i = ARRAY_SIZE(sessions); i-- > 0;) {
    struct uv__session* s = sessions[i];
    /* A child that did not go on with it has nothing to end, and its locks may
     * be in any state. */
    if (uv__load_acquire(&s->owner) == this_process())
      (void) uv__session_stop(s); /* else: exit() by its own thread */
  }
  /* A forked child has its parent's handlers, whose code may be unloaded. */
  uv__crash_os_stop();
}

void uv__hook_threads_end(void) {
  uv__observe_threads_shutdown();
}
