/* SPDX-License-Identifier: MIT */
/* Signal handles: starting, stopping, running their callbacks. signal.h has the
 * rules (S1-S3).
 *
 *   start: add to list -> sigaction -> signal caught -> loop woken -> callbacks
 *
 * The disposition follows the list: SIG_DFL for an empty list, SA_RESETHAND if
 * all handles are one-shot (so that a faulting instruction is not repeated for
 * ever), otherwise a plain handler. An error of sigaction is returned. Stopping
 * needs no memory and cannot fail.
 */
#include "unix/signal.h"
#include "unix/fd.h"
#include "unix/loop.h"
#include "unix/signal-list.h"
#include "unix/signal-log.h"
#include "util/alloc.h"
#include "util/atomic.h"
#include "util/fork-lock.h"
#include "util/wait.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

/* Held while a list and its disposition change (S3). */
static struct uv__fork_lock change_lock;
/* Signals that were ever watched, for disposition_repair(). */
static char is_known[UV__SIGNUM_MAX + 1];
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

/* Links the handle into the started handles of its loop. */
static_assert(sizeof(((uv_signal_t*) 0)->u.reserved) >=
                  sizeof(struct uv__queue),
              "a queue node fits");

static struct uv__queue* node_of(uv_signal_t* handle) {
  return (struct uv__queue*) (void*) &handle->u.reserved;
}

static uv_signal_t* handle_of(struct uv__queue* node) {
  return container_of(node, uv_signal_t, u.reserved);
}

/* Waits until no signal handler holds a handle that was removed before (S1).
 * Reads by adding zero; uv__signal_handler() explains why. */
static void wait_for_handlers(int signum) {
  unsigned* in_flight = &uv__signal_slots[signum].in_flight;

  for (unsigned turn = 0; uv__fetch_add(in_flight, 0) != 0; turn++)
    uv__wait_turn(turn);
}

static int is_posted(int signum) {
  for (int i = 0; i < UV__SIGNAL_POSTS; i++)
    if (signum == uv__load_relaxed(&uv__signal_posts[i].signum))
      return 1;
  return 0;
}

static enum uv__signal_listeners listeners_of(int signum) {
  if (is_posted(signum))
    return UV__LISTENERS_PERSISTENT;
  return uv__signal_list_kind(signum);
}

/* The change lock's: signals that were posted until the library ended. Senders
 * do not know, and the default action would end the process. */
static char is_ignored[UV__SIGNUM_MAX + 1];

static int disposition_set(int signum, enum uv__signal_listeners listeners) {
  struct sigaction action;

  memset(&action, 0, sizeof(action));
  sigfillset(&action.sa_mask);
  action.sa_handler = uv__signal_handler;
  if (listeners == UV__LISTENERS_NONE)
    action.sa_handler = is_ignored[signum] ? SIG_IGN : SIG_DFL;
  action.sa_flags = SA_RESTART;
  if (listeners == UV__LISTENERS_ONE_SHOT)
    action.sa_flags |= SA_RESETHAND;
  return sigaction(signum, &action, NULL) == 0 ? 0 : uv__errno();
}

/* Handlers that were running on other threads of the parent do not exist in the
 * child. Runs before the child has other threads. */
static void forget_handlers(void) {
  for (int signum = 0; signum <= UV__SIGNUM_MAX; signum++)
    uv__store_relaxed(&uv__signal_slots[signum].in_flight, 0);
}

/* Fixes the disposition in a forked child: if another thread was changing it
 * during the fork, the child may have the old list and the new disposition, or
 * vice versa. Dispositions that the program set itself stay. */
static void disposition_repair(int signum) {
  enum uv__signal_listeners listeners = listeners_of(signum);
  struct sigaction action;

  if (sigaction(signum, NULL, &action) != 0)
    return;
  int is_ours = action.sa_handler == uv__signal_handler;
  int is_missing =
      action.sa_handler == SIG_DFL && listeners == UV__LISTENERS_PERSISTENT;
  int err = 0;
  if (is_ours || is_missing)
    err = disposition_set(signum, listeners);
  if (err != 0)
    uv__signal_list_clear(signum);
}

/* Takes the change lock. The first call in a forked child, which has one thread
 * then, also repairs the inherited state; it comes from fork_child() or from an
 * earlier fork handler of the program. */
static void change_lock_take(void) {
  if (!uv__fork_lock(&change_lock))
    return;
  forget_handlers();
  for (int signum = 1; signum <= UV__SIGNUM_MAX; signum++) {
    if (is_known[signum]) {
      uv__signal_list_repair(signum);
      disposition_repair(signum);
    }
  }
}

static void change_begin(sigset_t* saved_mask) {
  sigset_t all;

  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, saved_mask);
  change_lock_take();
}

static void change_end(const sigset_t* saved_mask) {
  uv__fork_unlock(&change_lock);
  pthread_sigmask(SIG_SETMASK, saved_mask, NULL);
}

static void fork_child(void) {
  sigset_t saved_mask;

  change_begin(&saved_mask);
  change_end(&saved_mask);
}

static void fork_register(void) {
  /* If this fails for lack of memory, the first change in a child repairs the
   * state instead. */
  (void) pthread_atfork(NULL, NULL, fork_child);
}

/* Adds the handle to the list of signum. On failure nothing has changed. */
static int list_join(uv_signal_t* handle, int signum, int one_shot) {
  enum uv__signal_listeners before = listeners_of(signum);
  int is_last = one_shot || (handle->flags & UV__SIGNAL_ONE_SHOT);

  is_known[signum] = 1;
  uv__signal_list_add(handle, signum, one_shot, is_last);

  enum uv__signal_listeners now = listeners_of(signum);
  int err = 0;
  /* SA_RESETHAND may have reset the disposition already; the program may have
   * changed that of a signal that is posted. */
  if (now != before || now == UV__LISTENERS_ONE_SHOT || is_posted(signum))
    err = disposition_set(signum, now);
  if (err != 0) {
    (void) uv__signal_list_remove(handle, signum); /* it is there */
    wait_for_handlers(signum);
  }
  return err;
}

/* Removes the handle from the list of signum, if it is there. */
static void list_leave(uv_signal_t* handle, int signum) {
  enum uv__signal_listeners before = listeners_of(signum);
  if (!uv__signal_list_remove(handle, signum))
    return; /* removed by uv__signal_cleanup() */

  wait_for_handlers(signum);
  enum uv__signal_listeners now = listeners_of(signum);
  if (now != before)
    (void) disposition_set(signum, now); /* succeeded before for this signal */
}

/* The post of the signal with this semaphore, or of none. */
static struct uv__signal_post* find_post(int signum, const uv_sem_t* sem) {
  for (int i = 0; i < UV__SIGNAL_POSTS; i++) {
    struct uv__signal_post* post = &uv__signal_posts[i];
    if (uv__load_relaxed(&post->signum) == signum &&
        (signum == 0 || uv__load_relaxed(&post->sem) == sem))
      return post;
  }
  return NULL;
}

/* With the change lock. */
static int post_start(int signum, uv_sem_t* sem) {
  struct uv__signal_post* post = find_post(0, NULL);
  struct sigaction action;

  assert(post != NULL);
  if (sigaction(signum, NULL, &action) != 0)
    return uv__errno();
  if (action.sa_handler != SIG_DFL && action.sa_handler != uv__signal_handler)
    return UV_EBUSY;
  is_known[signum] = 1;
  uv__store_relaxed(&post->sem, sem);
  /* Release: the semaphore. Pairs with uv__signal_handler(). */
  uv__store_release(&post->signum, signum);
  return disposition_set(signum, UV__LISTENERS_PERSISTENT);
}

int uv__signal_os_post_start(int signum, uv_sem_t* sem) {
  sigset_t saved_mask;

  pthread_once(&fork_once, fork_register);
  change_begin(&saved_mask);
  int err = post_start(signum, sem);
  change_end(&saved_mask);
  return err;
}

/* The action stays if the program has set one of its own meanwhile. */
void uv__signal_os_post_stop(int signum, const uv_sem_t* sem) {
  struct sigaction action;
  sigset_t saved_mask;

  change_begin(&saved_mask);
  struct uv__signal_post* post = find_post(signum, sem);
  assert(post != NULL);
  uv__store_relaxed(&post->signum, 0);
  is_ignored[signum] = 1;
  if (sigaction(signum, NULL, &action) == 0 &&
      action.sa_handler == uv__signal_handler)
    (void) disposition_set(signum, listeners_of(signum)); /* it was ours */
  wait_for_handlers(signum);
  change_end(&saved_mask);
}

static int ensure_log(uv_loop_t* loop) {
  struct uv__loop_os* os = uv__loop_os(loop);

  if (os->signal_log == NULL)
    os->signal_log = uv__calloc(1, sizeof(*os->signal_log));
  return os->signal_log == NULL ? UV_ENOMEM : 0;
}

/* A started handle is stopped first, whatever the number. */
int uv__signal_os_check(int signum) {
  (void) signum;
  return 0;
}

int uv__signal_os_start(uv_signal_t* handle, int signum, int one_shot) {
  sigset_t saved_mask;

  if (signum > UV__SIGNUM_MAX)
    return UV_EINVAL;
  int err = ensure_log(handle->loop);
  if (err != 0)
    return err;
  change_begin(&saved_mask);
  err = list_join(handle, signum, one_shot);
  change_end(&saved_mask);
  if (err != 0)
    return err;

  uv__queue_push_back(&uv__loop_os(handle->loop)->signals, node_of(handle));
  handle->signum = signum;
  return 0;
}

void uv__signal_os_stop(uv_signal_t* handle) {
  sigset_t saved_mask;

  change_begin(&saved_mask);
  list_leave(handle, handle->signum);
  change_end(&saved_mask);

  uv__queue_remove(node_of(handle));
  handle->signum = 0;
  handle->caught_signals = 0;
}

void uv__signal_os_init(uv_signal_t* handle) {
  pthread_once(&fork_once, fork_register);
  uv__queue_init(node_of(handle));
  handle->caught_signals = 0;
}

enum uv__close_result uv__signal_close(uv_handle_t* base) {
  uv_signal_t* handle = (uv_signal_t*) base;
  struct uv__signal_log* log = uv__loop_os(handle->loop)->signal_log;

  assert(base->type == UV_SIGNAL);
  (void) uv_signal_stop(handle); /* cannot fail */
  if (log != NULL)
    uv__signal_log_forget(log, handle);
  return UV__CLOSE_DONE;
}

/* Runs callbacks for deliveries that did not fit into the log; those caught
 * meanwhile wait for the next call. The callback may stop, restart or close the
 * handle. */
static int run_counted(uv_signal_t* handle) {
  int ran = 0;

  for (unsigned n = uv__exchange(&handle->caught_signals, 0); n > 0; n--) {
    if (handle->signum == 0)
      break;
    ran++;
    uv__signal_report(handle, handle->signum);
  }
  return ran;
}

static int run_log(struct uv__signal_log* log) {
  struct uv__signal_arrival arrival;
  unsigned end = uv__signal_log_end(log);
  int ran = 0;

  while (uv__signal_log_pop(log, end, &arrival)) {
    uv_signal_t* handle = arrival.handle;
    if (handle->signum != arrival.signum)
      continue; /* stopped, or watches another signal now */
    uv__signal_report(handle, arrival.signum);
    ran++;
  }
  return ran;
}

static int run_overflow(struct uv__loop_os* os) {
  struct uv__queue todo;
  int ran = 0;

  uv__queue_move(&todo, &os->signals);
  while (!uv__queue_empty(&todo)) {
    struct uv__queue* node = uv__queue_pop_front(&todo);
    uv__queue_push_back(&os->signals, node);
    ran += run_counted(handle_of(node));
  }
  return ran;
}

int uv__signal_run(uv_loop_t* loop) {
  struct uv__loop_os* os = uv__loop_os(loop);

  if (!uv__loop_signals_due(loop))
    return 0;
  /* Pairs with signal_deliver() in signal-handler.c: deliveries made before the
   * flag was set are visible now, later ones set it again. */
  (void) uv__exchange(&os->base.shared.signals_due, 0);
  if (os->signal_log == NULL)
    return 0;

  int has_overflow = uv__exchange(&os->signal_log->overflow, 0);
  int ran = run_log(os->signal_log);
  return has_overflow ? ran + run_overflow(os) : ran;
}

void uv__signal_init_loop(uv_loop_t* loop) {
  struct uv__loop_os* os = uv__loop_os(loop);

  uv__queue_init(&os->signals);
  os->signal_log = NULL;
  os->base.shared.signals_due = 0;
}

void uv__signal_close_loop(uv_loop_t* loop) {
  struct uv__loop_os* os = uv__loop_os(loop);

  /* Only internal handles can be left. */
  while (!uv__queue_empty(&os->signals))
    (void) uv_signal_stop(handle_of(uv__queue_first(&os->signals)));
  uv__free(os->signal_log);
  os->signal_log = NULL;
}

void uv__signal_fork(uv_loop_t* loop) {
  struct uv__loop_os* os = uv__loop_os(loop);
  struct uv__queue* q;

  (void) uv__exchange(&os->base.shared.signals_due, 0);
  if (os->signal_log != NULL)
    uv__signal_log_reset(os->signal_log);
  for (q = os->signals.next; q != &os->signals; q = q->next) {
    handle_of(q)->caught_signals = 0;
  }
}

void uv__signal_cleanup(void) {
  sigset_t saved_mask;

  change_begin(&saved_mask);
  for (int signum = 1; signum <= UV__SIGNUM_MAX; signum++) {
    if (uv__signal_list_kind(signum) == UV__LISTENERS_NONE)
      continue;
    (void) disposition_set(signum, UV__LISTENERS_NONE); /* it was ours */
    uv__signal_list_clear(signum);
    wait_for_handlers(signum);
  }
  change_end(&saved_mask);
}

/* Those that mean nothing to a program that does not ask for them, or that
 * would end it; not those of faults. */
static const struct {
  const char* name;
  int number;
} signals[] = {
  { "HUP", SIGHUP },     { "INT", SIGINT },   { "QUIT", SIGQUIT },
  { "USR1", SIGUSR1 },   { "USR2", SIGUSR2 }, { "ALRM", SIGALRM },
  { "TERM", SIGTERM },   { "URG", SIGURG },   { "VTALRM", SIGVTALRM },
  { "WINCH", SIGWINCH }, { "IO", SIGIO },
#ifdef SIGINFO
  { "INFO", SIGINFO },
#endif
};

int uv__signal_os_number(const char* name) {
  if (strncmp(name, "SIG", 3) == 0)
    name += 3;
  for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
    if (strcmp(name, signals[i].name) == 0)
      return signals[i].number;
  return UV_EINVAL;
}
