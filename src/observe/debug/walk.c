/* SPDX-License-Identifier: MIT */
/* Compares the memory of what is open with the ledger.
 *
 * Between two phases, no callback of the loop is on the stack: whatever is open
 * and lies below the loop's own frame belongs to a function that has returned.
 * Memory that was freed is recognised once something else is in it. Nothing is
 * followed that has not been compared first.
 */
#include "misuse.h"
#include "observe/debug/debug.h"
#include "observe/debug/ledger.h"
#include "observe/hooks.h"
#include "os/lent.h"

/* Each thread has one. */
struct walk {
  uintptr_t low; /* from here ... */
  uintptr_t end; /* ... to here is stack that nobody uses; both may be 0 */
  struct uv__ledger_entry* entry; /* what is being looked at */
};

/* The functions that took a request. */
static const char* const lent_names[] = {
  [UV__LENT_WRITE] = "uv_write",
  [UV__LENT_SEND] = "uv_udp_send",
  [UV__LENT_CONNECT] = "uv_tcp_connect",
  [UV__LENT_PIPE_CONNECT] = "uv_pipe_connect",
  [UV__LENT_SHUTDOWN] = "uv_shutdown",
};
static_assert(ARRAY_SIZE(lent_names) == UV__LENT_MAX, "one per kind");

/* NULL: a request of the library's own. */
static const char* const work_names[] = {
  [UV__WORK_USER] = "uv_queue_work",
  [UV__WORK_RANDOM] = "uv_random",
  [UV__WORK_FS] = "uv_fs_t",
  [UV__WORK_SCAN] = NULL,
  [UV__WORK_GETADDRINFO] = "uv_getaddrinfo",
  [UV__WORK_GETNAMEINFO] = "uv_getnameinfo",
};
static_assert(ARRAY_SIZE(work_names) == UV__WORK_MAX, "one per kind");

static int is_dead(const struct walk* walk, const void* address) {
  return (uintptr_t) address >= walk->low && (uintptr_t) address < walk->end;
}

static void report_handle(struct uv__ledger_entry* entry, enum uv__rule rule) {
  uv__misuse_explain(rule, NULL,
                     uv_handle_type_name((uv_handle_type) entry->type),
                     entry->object);
  entry->is_reported = 1;
}

static void report_request(struct uv__ledger_entry* entry,
                           enum uv__rule rule,
                           const char* function,
                           const void* request) {
  uv__misuse_explain(rule, function, "request", request);
  entry->is_reported = 1;
}

/* Returns 0 if the request must not be read. */
static int visit_request(void* arg,
                         enum uv__lent_kind kind,
                         const void* request) {
  struct walk* walk = arg;

  if (!is_dead(walk, request))
    return 1;
  report_request(walk->entry, UV__RULE_REQUEST_STACK, lent_names[kind],
                 request);
  return 0;
}

static void visit_broken(void* arg,
                         enum uv__lent_kind kind,
                         const void* request) {
  struct walk* walk = arg;

  report_request(walk->entry, UV__RULE_REQUEST_REUSED, lent_names[kind],
                 request);
}

static void visit_data(void* arg,
                       enum uv__lent_kind kind,
                       const void* request,
                       const uv_buf_t* bufs,
                       unsigned nbufs) {
  struct walk* walk = arg;

  for (unsigned i = 0; i < nbufs && !walk->entry->is_reported; i++)
    if (bufs[i].len != 0 && is_dead(walk, bufs[i].base))
      report_request(walk->entry, UV__RULE_DATA_STACK, lent_names[kind],
                     request);
}

static const struct uv__lent_visitor visitor = {
  visit_request,
  visit_broken,
  visit_data,
};

/* Are `loop`, `type` and the flags what they were? */
static int handle_is_sound(const struct uv__ledger_entry* entry) {
  const uv_handle_t* handle = entry->object;

  return handle->loop == entry->owner->loop && handle->type == entry->type &&
         uv_is_closing(handle) == entry->is_closing;
}

static void walk_handle(struct walk* walk) {
  struct uv__ledger_entry* entry = walk->entry;

  if (is_dead(walk, entry->object))
    report_handle(entry, UV__RULE_HANDLE_STACK);
  else if (!handle_is_sound(entry))
    report_handle(entry, UV__RULE_REUSED);
  else
    uv__lent_os_visit(entry->object, &visitor, walk);
}

static void walk_request(struct walk* walk) {
  struct uv__ledger_entry* entry = walk->entry;
  const char* name = work_names[entry->type];

  if (name != NULL && is_dead(walk, entry->request))
    report_request(entry, UV__RULE_REQUEST_STACK, name, entry->request);
}

static void walk_loop(struct uv__ledger_loop* loop, struct walk* walk) {
  const struct uv__queue* head = &loop->things;

  for (struct uv__queue* q = head->next; q != head; q = q->next) {
    walk->entry = container_of(q, struct uv__ledger_entry, in_loop);
    if (walk->entry->is_reported)
      continue;
    if (walk->entry->kind == UV__ENTRY_HANDLE)
      walk_handle(walk);
    else
      walk_request(walk);
  }
}

/* The stack below `frame`; none if the frame is on another stack than the
 * thread's own, as that of a coroutine. */
static void find_dead_stack(struct uv__ledger_loop* loop,
                            uintptr_t frame,
                            struct walk* walk) {
  uv__ledger_find_stack(loop);
  int is_inside = frame >= loop->stack_low && frame < loop->stack_end;
  walk->low = is_inside ? loop->stack_low : 0;
  walk->end = is_inside ? frame : 0;
}

void uv__debug_walk(const uv_loop_t* loop, uintptr_t frame) {
  struct walk walk;

  uv__ledger_lock();
  struct uv__ledger_loop* entry = uv__ledger_find_loop(loop);
  if (entry != NULL && !entry->is_lost) {
    find_dead_stack(entry, frame, &walk);
    walk_loop(entry, &walk);
  }
  uv__ledger_unlock();
}

void uv__debug_walk_closing(const uv_loop_t* loop) {
  const uv_handle_t* handle = loop->closing_handles;

  uv__ledger_lock();
  struct uv__ledger_loop* owner = uv__ledger_find_loop(loop);
  while (handle != NULL && owner != NULL && !owner->is_lost) {
    struct uv__ledger_entry* entry = uv__ledger_find(UV__ENTRY_HANDLE, handle);
    /* What lies there now leads nowhere: it is unknown who else is closed. */
    owner->is_lost = entry == NULL || !handle_is_sound(entry);
    if (owner->is_lost)
      break;
    handle = handle->next_closing;
    uv__ledger_remove(entry);
  }
  uv__ledger_unlock();
}

void uv__debug_walk_timers(const uv_loop_t* loop) {
  const struct uv__timers* timers = &uv__loop_state(loop)->timers;

  uv__ledger_lock();
  struct uv__ledger_loop* owner = uv__ledger_find_loop(loop);
  for (size_t i = 0; owner != NULL && i < timers->count; i++) {
    const uv_timer_t* timer = timers->heap[i].timer;
    struct uv__ledger_entry* entry = uv__ledger_find(UV__ENTRY_HANDLE, timer);
    if (entry == NULL || entry->is_reported || entry->type == UV_TIMER)
      continue;
    report_handle(entry, UV__RULE_TIMER_UNKNOWN);
  }
  uv__ledger_unlock();
}
