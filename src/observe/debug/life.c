/* SPDX-License-Identifier: MIT */
/* Notes what is opened and closed, and explains what cannot be right about it:
 * twice, never, or by the wrong thread. */
#include "loop/loop.h"
#include "loops.h"
#include "misuse.h"
#include "observe/debug/debug.h"
#include "observe/debug/ledger.h"
#include "observe/hooks.h"

static int is_on(void) {
  return uv__is_observed_by(UV__OBSERVE_DEBUG);
}

static void explain_handle(enum uv__rule rule,
                           unsigned type,
                           const void* handle) {
  uv__misuse_explain(rule, NULL, uv_handle_type_name((uv_handle_type) type),
                     handle);
}

static void explain_loop(enum uv__rule rule, const uv_loop_t* loop) {
  uv__misuse_explain(rule, NULL, NULL, loop);
}

/* Was it made, or forked, by this process? */
static int is_own(const struct uv__ledger_loop* loop) {
  return loop->pid == uv_os_getpid();
}

static int is_sound(const struct uv__ledger_loop* entry) {
  return entry->loop->internal_fields == entry->state;
}

/* Is another thread inside uv_run()? The loop is sound. One that stands still
 * for a pause belongs to whoever pauses. */
static int runs_elsewhere(const uv_loop_t* loop) {
  const struct uv__loop_state* state = uv__loop_state(loop);

  if (!(state->flags & UV__LOOP_RUNNING) || uv__loop_runs_here(loop))
    return 0;
  return state->managed == NULL || state->managed->state == UV__MANAGED_RUNNING;
}

/* Says so if the loop's memory was reused; returns whether it is as it was. */
static int check_loop(struct uv__ledger_loop* entry) {
  if (is_sound(entry))
    return 1;
  if (!entry->is_reported)
    explain_loop(UV__RULE_LOOP_REUSED, entry->loop);
  entry->is_reported = 1;
  return 0;
}

void uv__observed_loop_init(const uv_loop_t* loop) {
  if (!is_on())
    return;
  uv__ledger_lock();
  struct uv__ledger_loop* entry = uv__ledger_find_loop(loop);
  if (entry != NULL && is_own(entry))
    explain_loop(UV__RULE_LOOP_INIT_OPEN, loop);
  if (entry != NULL)
    uv__ledger_remove_loop(entry);
  entry = uv__ledger_add_loop(loop);
  if (entry !=
      NULL) /* now: a sandbox may forbid it by the time the loop runs */
    uv__ledger_find_stack(entry);
  uv__ledger_unlock();
}

void uv__debug_loop_close(const uv_loop_t* loop) {
  if (!is_on())
    return;
  uv__ledger_lock();
  struct uv__ledger_loop* entry = uv__ledger_find_loop(loop);
  if (entry != NULL)
    uv__ledger_remove_loop(entry);
  uv__ledger_unlock();
}

void uv__observed_loop_fork(const uv_loop_t* loop) {
  if (!is_on())
    return;
  uv__ledger_lock();
  struct uv__ledger_loop* entry = uv__ledger_find_loop(loop);
  if (entry != NULL)
    entry->pid = uv_os_getpid();
  uv__ledger_unlock();
}

static void check_run(struct uv__ledger_loop* entry) {
  const uv_loop_t* loop = entry->loop;

  if (!check_loop(entry))
    return;
  if (!is_own(entry)) {
    if (!entry->is_reported)
      explain_loop(UV__RULE_LOOP_FORKED, loop);
    entry->is_reported = 1;
    return;
  }
  if (uv__loop_state(loop)->flags & UV__LOOP_RUNNING)
    explain_loop(uv__loop_runs_here(loop) ? UV__RULE_RUN_NESTED
                                          : UV__RULE_RUN_THREAD,
                 loop);
}

void uv__observed_run(const uv_loop_t* loop) {
  if (!is_on())
    return;
  uv__ledger_lock();
  struct uv__ledger_loop* entry = uv__ledger_find_loop(loop);
  if (entry != NULL)
    check_run(entry);
  uv__ledger_unlock();
}

void uv__observed_stop(const uv_loop_t* loop) {
  /* Programs stop their loops in signal handlers: those must not wait. */
  if (!is_on() || !uv__ledger_trylock())
    return;
  struct uv__ledger_loop* entry = uv__ledger_find_loop(loop);
  if (entry != NULL && is_sound(entry) && runs_elsewhere(loop))
    explain_loop(UV__RULE_STOP_THREAD, loop);
  uv__ledger_unlock();
}

/* Adds it to the loop that it was given. */
static void enter_handle(struct uv__ledger_loop* owner,
                         const uv_handle_t* handle,
                         uv_handle_type type) {
  if (check_loop(owner) && runs_elsewhere(owner->loop))
    explain_handle(UV__RULE_INIT_THREAD, type, handle);
  (void) uv__ledger_add(owner, UV__ENTRY_HANDLE, handle, type);
}

void uv__observed_handle_init(const uv_loop_t* loop,
                              const uv_handle_t* handle,
                              uv_handle_type type) {
  if (!is_on())
    return;
  uv__ledger_lock();
  struct uv__ledger_entry* old = uv__ledger_find(UV__ENTRY_HANDLE, handle);
  /* (A child has no use for its parent's handles, but for their memory.) */
  if (old != NULL && !old->is_reported && is_own(old->owner))
    explain_handle(UV__RULE_INIT_OPEN, old->type, handle);
  if (old != NULL)
    uv__ledger_remove(old);

  struct uv__ledger_loop* owner = uv__ledger_find_loop(loop);
  if (owner != NULL)
    enter_handle(owner, handle, type);
  else if (uv__ledger_is_complete())
    explain_handle(UV__RULE_INIT_LOOP, type, handle);
  uv__ledger_unlock();
}

/* A failed uv_spawn() leaves a handle that is not open and may be closed. */
static void enter_closing_process(const uv_handle_t* handle) {
  struct uv__ledger_loop* owner = uv__ledger_find_loop(handle->loop);
  struct uv__ledger_entry* entry = NULL;

  if (owner != NULL)
    entry = uv__ledger_add(owner, UV__ENTRY_HANDLE, handle, UV_PROCESS);
  if (entry != NULL)
    entry->is_closing = 1;
}

static void check_close(struct uv__ledger_entry* entry,
                        const uv_handle_t* handle) {
  entry->is_closing = 1;
  if (entry->is_reported || !check_loop(entry->owner))
    return;
  if (runs_elsewhere(entry->owner->loop))
    explain_handle(UV__RULE_CLOSE_THREAD, entry->type, handle);
}

void uv__observed_handle_close(const uv_handle_t* handle) {
  if (!is_on())
    return;
  uv__ledger_lock();
  struct uv__ledger_entry* entry = uv__ledger_find(UV__ENTRY_HANDLE, handle);
  if (entry != NULL)
    check_close(entry, handle);
  else if (handle->type == UV_PROCESS)
    enter_closing_process(handle);
  else if (uv__ledger_is_complete())
    uv__misuse_explain(UV__RULE_CLOSE_UNKNOWN, NULL, "handle", handle);
  uv__ledger_unlock();
}

void uv__observed_handle_discard(const uv_handle_t* handle) {
  if (!is_on())
    return;
  uv__ledger_lock();
  struct uv__ledger_entry* entry = uv__ledger_find(UV__ENTRY_HANDLE, handle);
  if (entry != NULL)
    uv__ledger_remove(entry);
  uv__ledger_unlock();
}

void uv__debug_submit(const uv_loop_t* loop, const struct uv__work* w) {
  uv__ledger_lock();
  struct uv__ledger_loop* owner = uv__ledger_find_loop(loop);
  struct uv__ledger_entry* entry = uv__ledger_find(UV__ENTRY_REQUEST, w);
  if (entry != NULL)
    uv__ledger_remove(entry); /* another executor gave it back */
  if (owner != NULL && is_sound(owner) && runs_elsewhere(loop))
    explain_loop(w->kind->id == UV__WORK_FS ? UV__RULE_FS_THREAD
                                            : UV__RULE_WORK_THREAD,
                 loop);
  if (owner != NULL) {
    entry = uv__ledger_add(owner, UV__ENTRY_REQUEST, w, w->kind->id);
    if (entry != NULL)
      entry->request = uv__work_request(w);
  }
  uv__ledger_unlock();
}

void uv__debug_done(const struct uv__work* w) {
  uv__ledger_lock();
  struct uv__ledger_entry* entry = uv__ledger_find(UV__ENTRY_REQUEST, w);
  if (entry != NULL)
    uv__ledger_remove(entry);
  uv__ledger_unlock();
}
