/* SPDX-License-Identifier: MIT */
/* Signal handles: starting, stopping, running their callbacks. signal.h has the
 * rules (S1-S3).
 *
 *   start: on the list -> sigaction -> caught -> loop woken -> callbacks
 *
 * The disposition follows the list: nobody SIG_DFL, one-shot handles only
 * SA_RESETHAND (so that a faulting instruction is not repeated for ever), else
 * plain. A refusal by sigaction is returned and leaves everything as it was.
 * Stopping needs no memory and cannot fail.
 */
#include "unix/signal.h"
#include "alloc.h"
#include "atomic.h"
#include "unix/fd.h"
#include "unix/loop-os.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#define LIST_SIZE_MIN 4u

/* Who is on a list, as far as the disposition is concerned. */
enum audience { AUDIENCE_NONE, AUDIENCE_ONE_SHOT, AUDIENCE_LASTING };

/* Held to change any list or disposition (S3). */
static pthread_mutex_t change_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

/* The header's fields of a search tree are free for our use: the first two
 * pointers link the handle into the started handles of its loop. */
static_assert(sizeof(((uv_signal_t*) 0)->tree_entry) >=
                  sizeof(struct uv__queue),
              "a queue node fits");

static struct uv__queue* node_of(uv_signal_t* handle) {
  return (struct uv__queue*) (void*) &handle->tree_entry;
}

static uv_signal_t* handle_of(struct uv__queue* node) {
  return container_of(node, uv_signal_t, tree_entry);
}

static void change_lock(sigset_t* saved_mask) {
  sigset_t all;

  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, saved_mask);
  pthread_mutex_lock(&change_mutex);
}

static void change_unlock(const sigset_t* saved_mask) {
  pthread_mutex_unlock(&change_mutex);
  pthread_sigmask(SIG_SETMASK, saved_mask, NULL);
}

/* Around fork: the child's copy of the mutex is free, and signal handlers of
 * the parent's other threads do not go on running in the child. */
static void fork_prepare(void) {
  pthread_mutex_lock(&change_mutex);
}

static void fork_parent(void) {
  pthread_mutex_unlock(&change_mutex);
}

static void fork_child(void) {
  for (int signum = 0; signum <= UV__SIGNUM_MAX; signum++)
    uv__store_relaxed(&uv__signal_slots[signum].in_flight, 0);
  pthread_mutex_unlock(&change_mutex);
}

static void fork_register(void) {
  /* Without memory for it the child of a fork that meets another thread in
   * here could not start handles. There is nobody to tell. */
  (void) pthread_atfork(fork_prepare, fork_parent, fork_child);
}

static struct uv__signal_list* list_of(int signum) {
  return uv__load_relaxed(&uv__signal_slots[signum].list);
}

/* S1: after this nobody holds what was taken off or replaced before. The read
 * is an addition of nothing; see uv__signal_handler() for why. */
static void wait_for_handlers(int signum) {
  while (uv__fetch_add(&uv__signal_slots[signum].in_flight, 0) != 0)
    sched_yield();
}

/* Makes `list` the one of signum and frees the one before. */
static void list_replace(int signum, struct uv__signal_list* list) {
  struct uv__signal_list* old =
      uv__exchange(&uv__signal_slots[signum].list, list);

  wait_for_handlers(signum);
  uv__free(old);
}

static struct uv__signal_entry* entry_find(int signum,
                                           const uv_signal_t* handle) {
  struct uv__signal_list* list = list_of(signum);
  unsigned size = list == NULL ? 0 : list->size;

  for (unsigned i = 0; i < size; i++)
    if (uv__load_relaxed(&list->entries[i].handle) == handle)
      return &list->entries[i];
  return NULL;
}

static void entry_set(struct uv__signal_entry* entry, uv_signal_t* handle) {
  uv__store_release(&entry->handle, handle); /* pairs with signal-handler.c */
}

/* A free place on the list of signum, which grows if need be; NULL if there is
 * no memory. */
static struct uv__signal_entry* entry_reserve(int signum) {
  struct uv__signal_entry* entry = entry_find(signum, NULL);
  if (entry != NULL)
    return entry;

  struct uv__signal_list* old = list_of(signum);
  unsigned old_size = old == NULL ? 0 : old->size;
  unsigned size = old_size == 0 ? LIST_SIZE_MIN : 2 * old_size;
  struct uv__signal_list* list =
      uv__calloc(1, sizeof(*list) + size * sizeof(list->entries[0]));
  if (list == NULL)
    return NULL;

  list->size = size;
  for (unsigned i = 0; i < old_size; i++)
    list->entries[i] = old->entries[i];
  list_replace(signum, list);
  return &list->entries[old_size];
}

static enum audience audience_of(int signum) {
  const struct uv__signal_list* list = list_of(signum);
  unsigned size = list == NULL ? 0 : list->size;
  enum audience audience = AUDIENCE_NONE;

  for (unsigned i = 0; i < size; i++) {
    if (list->entries[i].handle == NULL)
      continue;
    if (!list->entries[i].one_shot)
      return AUDIENCE_LASTING;
    audience = AUDIENCE_ONE_SHOT;
  }
  return audience;
}

static int disposition_set(int signum, enum audience audience) {
  struct sigaction action;

  memset(&action, 0, sizeof(action));
  sigfillset(&action.sa_mask);
  action.sa_handler = audience == AUDIENCE_NONE ? SIG_DFL : uv__signal_handler;
  action.sa_flags = SA_RESTART;
  if (audience == AUDIENCE_ONE_SHOT)
    action.sa_flags |= SA_RESETHAND;
  return sigaction(signum, &action, NULL) == 0 ? 0 : uv__errno();
}

/* After somebody left: `before` was the audience until then. */
static void settle(int signum, enum audience before) {
  enum audience now = audience_of(signum);

  if (now != before)
    (void) disposition_set(signum, now); /* was accepted for this signal */
  if (now == AUDIENCE_NONE)
    list_replace(signum, NULL);
}

/* Puts the handle on the list of signum. */
static int join(uv_signal_t* handle, int signum, int one_shot) {
  enum audience before = audience_of(signum);
  struct uv__signal_entry* entry = entry_reserve(signum);
  if (entry == NULL)
    return UV_ENOMEM;

  entry->one_shot = one_shot;
  entry_set(entry, handle);
  enum audience now = audience_of(signum);
  /* The disposition of one-shot handles may have been used up. */
  int err = 0;
  if (now != before || now == AUDIENCE_ONE_SHOT)
    err = disposition_set(signum, now);
  if (err == 0)
    return 0;

  entry_set(entry, NULL);
  wait_for_handlers(signum);
  settle(signum, before);
  return err;
}

/* Takes a started handle to another signal; if that one is refused, nothing has
 * changed. */
static int move(uv_signal_t* handle, int signum, int one_shot) {
  int old_signum = handle->signum;
  enum audience before = audience_of(old_signum);
  struct uv__signal_entry* entry = entry_find(old_signum, handle);

  if (entry != NULL)
    entry_set(entry, NULL);
  wait_for_handlers(old_signum);
  unsigned caught = handle->caught_signals;
  unsigned dispatched = handle->dispatched_signals;
  handle->caught_signals = 0;
  handle->dispatched_signals = 0;

  int err = join(handle, signum, one_shot);
  if (err == 0) {
    settle(old_signum, before);
    return 0;
  }

  handle->caught_signals = caught;
  handle->dispatched_signals = dispatched;
  if (entry != NULL)
    entry_set(entry, handle);
  return err;
}

/* The handle stays with its signal, but may want it once or for ever now. */
static int rejoin(uv_signal_t* handle, int one_shot) {
  struct uv__signal_entry* entry = entry_find(handle->signum, handle);
  if (entry == NULL || entry->one_shot == one_shot)
    return 0;

  enum audience before = audience_of(handle->signum);
  entry->one_shot = one_shot;
  settle(handle->signum, before);
  return 0;
}

static int enlist(uv_signal_t* handle, int signum, int one_shot) {
  if (handle->signum == signum)
    return rejoin(handle, one_shot);
  if (handle->signum != 0)
    return move(handle, signum, one_shot);
  return join(handle, signum, one_shot);
}

int uv__signal_os_start(uv_signal_t* handle, int signum, int one_shot) {
  sigset_t saved_mask;

  if (signum > UV__SIGNUM_MAX)
    return UV_EINVAL;
  change_lock(&saved_mask);
  int err = enlist(handle, signum, one_shot);
  change_unlock(&saved_mask);
  if (err != 0)
    return err;

  if (handle->signum == 0)
    uv__queue_push_back(&uv__loop_os(handle->loop)->signals, node_of(handle));
  handle->signum = signum;
  return 0;
}

void uv__signal_os_stop(uv_signal_t* handle) {
  int signum = handle->signum;
  sigset_t saved_mask;

  change_lock(&saved_mask);
  enum audience before = audience_of(signum);
  struct uv__signal_entry* entry = entry_find(signum, handle);
  if (entry != NULL) { /* else uv__signal_cleanup() was here */
    entry_set(entry, NULL);
    wait_for_handlers(signum);
    settle(signum, before);
  }
  change_unlock(&saved_mask);

  uv__queue_remove(node_of(handle));
  handle->signum = 0;
  handle->caught_signals = 0;
  handle->dispatched_signals = 0;
}

void uv__signal_os_init(uv_signal_t* handle) {
  pthread_once(&fork_once, fork_register);
  uv__queue_init(node_of(handle));
  handle->caught_signals = 0;
  handle->dispatched_signals = 0;
}

enum uv__close_answer uv__signal_close(uv_handle_t* handle) {
  (void) uv_signal_stop((uv_signal_t*) handle); /* cannot fail */
  return UV__CLOSE_DONE;
}

/* Deliveries that the callback has not been told of. */
static unsigned owed(uv_signal_t* handle) {
  return uv__load_relaxed(&handle->caught_signals) -
         handle->dispatched_signals;
}

/* Calls back for each delivery of now; what is caught meanwhile raises the mark
 * again. The callback may stop, restart or close the handle. */
static int run_handle(uv_signal_t* handle) {
  int ran = 0;

  for (unsigned rest = owed(handle); rest > 0 && owed(handle) > 0; rest--) {
    if (handle->flags & UV__INTERNAL)
      handle->dispatched_signals += owed(handle);
    else
      handle->dispatched_signals++;
    ran++;
    uv__signal_report(handle, handle->signum);
  }
  return ran;
}

int uv__signal_run(uv_loop_t* loop) {
  struct uv__loop_os* os = uv__loop_os(loop);

  if (!uv__loop_is_last_due(loop))
    return 0;
  /* Pairs with deliver() in signal-handler.c: the counts that came with the
   * mark are visible now, later ones raise it again. */
  (void) uv__exchange(&os->base.shared.last_due, 0);

  struct uv__queue todo;
  int ran = 0;
  uv__queue_move(&todo, &os->signals);
  while (!uv__queue_empty(&todo)) {
    struct uv__queue* node = uv__queue_pop_front(&todo);
    uv__queue_push_back(&os->signals, node);
    ran += run_handle(handle_of(node));
  }
  return ran;
}

void uv__signal_init_loop(uv_loop_t* loop) {
  struct uv__loop_os* os = uv__loop_os(loop);

  uv__queue_init(&os->signals);
  os->base.shared.last_due = 0;
}

void uv__signal_close_loop(uv_loop_t* loop) {
  struct uv__queue* signals = &uv__loop_os(loop)->signals;

  /* Only handles of our own can be left. */
  while (!uv__queue_empty(signals))
    (void) uv_signal_stop(handle_of(uv__queue_first(signals)));
}

void uv__signal_fork(uv_loop_t* loop) {
  struct uv__loop_os* os = uv__loop_os(loop);
  struct uv__queue* q;

  (void) uv__exchange(&os->base.shared.last_due, 0);
  for (q = os->signals.next; q != &os->signals; q = q->next) {
    uv_signal_t* handle = handle_of(q);
    handle->dispatched_signals = uv__load_relaxed(&handle->caught_signals);
  }
}

void uv__signal_cleanup(void) {
  sigset_t saved_mask;

  change_lock(&saved_mask);
  for (int signum = 1; signum <= UV__SIGNUM_MAX; signum++) {
    if (list_of(signum) == NULL)
      continue;
    (void) disposition_set(signum, AUDIENCE_NONE); /* it was ours */
    list_replace(signum, NULL);
  }
  change_unlock(&saved_mask);
}
