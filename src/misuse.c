/* SPDX-License-Identifier: MIT */
/* The texts of misuse.h, and what UV_DEBUG says about the environment. */
#include "misuse.h"
#include "handle.h"
#include "loop/state.h"
#include "observe/hooks.h"
#include "os/poller.h"
#include "os/system.h"
#include "util/atomic.h"
#include "util/env.h"
#include "util/fatal.h"
#include "variable.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LINE_SIZE 512
#define NAMED_MAX 8 /* handles in one line */

enum object { OF_HANDLE, OF_LOOP, OF_REQUEST, OF_POOL };

struct rule {
  const char* function; /* has the man page; NULL: the caller's, or the
                         * handle's init function */
  enum object object;
  const char* text; /* follows the object */
};

#define NEEDS_CALLBACK "needs a callback and must not be closing"
#define IN_USE "is in use until its callback has run"
#define ELSEWHERE "belongs to a loop that another thread runs"
#define ON_STACK "on the stack of a function that returned before its callback"

static const struct rule rules[] = {
  [UV__RULE_CLOSE_ONCE] = { "uv_close", OF_HANDLE, "is already closing" },
  [UV__RULE_CLOSE_HANDLE] = { "uv_close", OF_HANDLE,
                              "is no handle, or its memory was reused" },
  [UV__RULE_REUSED] = { "uv_close", OF_HANDLE,
                        "was freed, reused or initialised again before its "
                        "close callback" },
  [UV__RULE_LOOP_OPEN] = { "uv_loop_close", OF_LOOP, "is busy" },
  [UV__RULE_DISPATCH_NESTED] = { "uvx_backend_dispatch", OF_LOOP,
                                 "is running a callback already" },
  [UV__RULE_CLOSE_UNKNOWN] = { "uv_close", OF_HANDLE,
                               "is not open: it was never initialised, or its "
                               "memory was reused" },
  [UV__RULE_HANDLE_STACK] = { "uv_close", OF_HANDLE,
                              "is on the stack of a function that returned "
                              "before its close callback" },
  [UV__RULE_INIT_OPEN] = { NULL, OF_HANDLE,
                           "is open: it was initialised again before its close "
                           "callback" },
  [UV__RULE_INIT_LOOP] = { NULL, OF_HANDLE,
                           "was given a loop that is not open" },
  [UV__RULE_TIMER_UNKNOWN] = { "uv_timer_start", OF_HANDLE,
                               "was started as a timer and is none" },
  [UV__RULE_SEND_CLOSED] = { "uv_async_send", OF_HANDLE,
                             "is closed: its callback will not run" },
  [UV__RULE_LOOP_INIT_OPEN] = { "uv_loop_init", OF_LOOP,
                                "is open: it was initialised again before "
                                "uv_loop_close()" },
  [UV__RULE_LOOP_REUSED] = { "uv_loop_close", OF_LOOP,
                             "was freed or reused before it was closed" },
  [UV__RULE_LOOP_FORKED] = { "uv_loop_fork", OF_LOOP,
                             "runs in a child that did not call "
                             "uv_loop_fork()" },
  [UV__RULE_RUN_NESTED] = { "uv_run", OF_LOOP,
                            "is running: a callback must not run its loop" },
  [UV__RULE_REQUEST_STACK] = { NULL, OF_REQUEST, "is " ON_STACK },
  [UV__RULE_REQUEST_REUSED] = { NULL, OF_REQUEST,
                                "was freed, reused or submitted again before "
                                "its callback" },
  [UV__RULE_DATA_STACK] = { NULL, OF_REQUEST, "has data " ON_STACK },
  [UV__RULE_POOL_ONCE] = { "uv_queue_work", OF_POOL, IN_USE },
  [UV__RULE_WORK_ONCE] = { "uv_queue_work", OF_REQUEST, IN_USE },
  [UV__RULE_GETADDRINFO_ONCE] = { "uv_getaddrinfo", OF_REQUEST, IN_USE },
  [UV__RULE_GETNAMEINFO_ONCE] = { "uv_getnameinfo", OF_REQUEST, IN_USE },
  [UV__RULE_RANDOM_ONCE] = { "uv_random", OF_REQUEST, IN_USE },
  [UV__RULE_WRITE_ONCE] = { "uv_write", OF_REQUEST, IN_USE },
  [UV__RULE_SEND_ONCE] = { "uv_udp_send", OF_REQUEST, IN_USE },
  [UV__RULE_INIT_THREAD] = { NULL, OF_HANDLE, ELSEWHERE },
  [UV__RULE_CLOSE_THREAD] = { "uv_close", OF_HANDLE, ELSEWHERE },
  [UV__RULE_RUN_THREAD] = { "uv_run", OF_LOOP, "runs on another thread" },
  [UV__RULE_STOP_THREAD] = { "uv_stop", OF_LOOP,
                             "runs on another thread, which does not notice: "
                             "only uv_async_send() is for other threads" },
  [UV__RULE_TIMER_THREAD] = { "uv_timer_start", OF_HANDLE, ELSEWHERE },
  [UV__RULE_TIMER_STOP_THREAD] = { "uv_timer_stop", OF_HANDLE, ELSEWHERE },
  [UV__RULE_READ_THREAD] = { "uv_read_start", OF_HANDLE, ELSEWHERE },
  [UV__RULE_WRITE_THREAD] = { "uv_write", OF_HANDLE, ELSEWHERE },
  [UV__RULE_SEND_THREAD] = { "uv_udp_send", OF_HANDLE, ELSEWHERE },
  [UV__RULE_RECV_THREAD] = { "uv_udp_recv_start", OF_HANDLE, ELSEWHERE },
  [UV__RULE_POLL_THREAD] = { "uv_poll_start", OF_HANDLE, ELSEWHERE },
  [UV__RULE_WORK_THREAD] = { "uv_queue_work", OF_LOOP,
                             "runs on another thread" },
  [UV__RULE_FS_THREAD] = { "uv_fs_t", OF_LOOP,
                           "runs on another thread: no file request can be "
                           "submitted from this one" },
  [UV__RULE_TIMER_START] = { "uv_timer_start", OF_HANDLE, NEEDS_CALLBACK },
  [UV__RULE_TIMER_AGAIN] = { "uv_timer_again", OF_HANDLE, "was never started" },
  [UV__RULE_LISTEN] = { "uv_listen", OF_HANDLE,
                        "must be a TCP or pipe handle that is not closing" },
  [UV__RULE_LISTEN_CALLBACK] = { "uv_listen", OF_HANDLE,
                                 "has no callback: no connection is ever "
                                 "reported" },
  [UV__RULE_NO_STREAM] = { "uv_read_start", OF_HANDLE, "is no stream" },
  [UV__RULE_SPAWN] = { "uv_spawn", OF_HANDLE,
                       "cannot be started: args or env does not end with NULL, "
                       "or points to memory that is not there" },
  [UV__RULE_READ_START] = { "uv_read_start", OF_HANDLE,
                            "needs both callbacks and must not be closing" },
  [UV__RULE_RECV_START] = { "uv_udp_recv_start", OF_HANDLE,
                            "needs both callbacks and must not be closing" },
  [UV__RULE_IDLE_START] = { "uv_idle_start", OF_HANDLE, NEEDS_CALLBACK },
  [UV__RULE_PREPARE_START] = { "uv_prepare_start", OF_HANDLE, NEEDS_CALLBACK },
  [UV__RULE_CHECK_START] = { "uv_check_start", OF_HANDLE, NEEDS_CALLBACK },
  [UV__RULE_POLL_START] = { "uv_poll_start", OF_HANDLE,
                            "needs known events, a callback, and must not be "
                            "closing" },
  [UV__RULE_SIGNAL_START] = { "uv_signal_start", OF_HANDLE,
                              "needs a signal, a callback, and must not be "
                              "closing" },
  [UV__RULE_FS_EVENT_START] = { "uv_fs_event_start", OF_HANDLE,
                                "needs a path, a callback, and must be "
                                "stopped" },
  [UV__RULE_FS_POLL_START] = { "uv_fs_poll_start", OF_HANDLE,
                               "needs a path, a callback, and must not be "
                               "closing" },
  [UV__RULE_QUEUE_WORK] = { "uv_queue_work", OF_REQUEST,
                            "needs a loop and a work callback" },
};
static_assert(ARRAY_SIZE(rules) == UV__RULE_MAX, "a text for each rule");

/* How many refusals are still explained; atomic. Debug builds explain a few of
 * them by themselves: tests that provoke them make thousands. UV_DEBUG=1 sets
 * it before the first loop exists. */
#ifdef UV__DEBUG
static unsigned refusals_left = 8;
#else
static unsigned refusals_left;
#endif
static uv_once_t init_once = UV_ONCE_INIT;

static const char* handle_name(const uv_handle_t* handle) {
  const char* name = uv_handle_type_name(handle->type);

  return name != NULL ? name : "handle";
}

static const char* object_name(enum object kind, const void* object) {
  switch (kind) {
  case OF_HANDLE:
    return object != NULL ? handle_name(object) : "handle";
  case OF_LOOP:
    return "loop";
  case OF_REQUEST:
    return "request";
  case OF_POOL:
    return "the thread pool's request around";
  }
  return "object";
}

static int is_explained(void) {
  unsigned left = uv__load_relaxed(&refusals_left);

  if (left != 0 && left != UINT_MAX)
    uv__store_relaxed(&refusals_left, left - 1);
  return left != 0;
}

/* Makes the line; `why` is the error's name, or who is to blame. */
static void describe_object(char line[LINE_SIZE],
                            const struct rule* rule,
                            const char* function,
                            const char* name,
                            const void* object,
                            const char* more,
                            const char* why) {
  char init[32];

  if (function == NULL && strcmp(name, "process") == 0)
    function = "uv_spawn";
  if (function == NULL) {
    snprintf(init, sizeof(init), "uv_%s_init", name);
    function = init;
  }
  snprintf(line, LINE_SIZE, "%s: %s %p %s%s (%s); see man %s", function, name,
           object, rule->text, more, why, function);
}

static void describe_rule(char line[LINE_SIZE],
                          enum uv__rule which,
                          const void* object,
                          const char* more,
                          const char* why) {
  const struct rule* rule = &rules[which];
  const char* name = object_name(rule->object, object);

  describe_object(line, rule, rule->function, name, object, more, why);
}

static void print_rule(enum uv__rule which,
                       const void* object,
                       const char* more,
                       const char* why) {
  char line[LINE_SIZE];

  describe_rule(line, which, object, more, why);
  uv__os_print_line(line);
}

int uv__misuse_refuse(enum uv__rule rule, const void* handle, int err) {
  char name[32] = "UV_";

  if (is_explained()) {
    uv_err_name_r(err, name + 3, sizeof(name) - 3);
    print_rule(rule, handle, "", name);
  }
  return err;
}

/* Appends as much as there is room for. */
static void append_text(char* text, size_t size, const char* more) {
  size_t len = strlen(text);

  snprintf(text + len, size - len, "%s", more);
}

int uv__misuse_refuse_busy(const uv_loop_t* loop) {
  if (!is_explained())
    return UV_EBUSY;

  char text[LINE_SIZE] = ":";
  char item[64];
  unsigned count = 0;
  const struct uv__queue* head = &loop->handle_queue;
  for (const struct uv__queue* q = head->next; q != head; q = q->next) {
    const uv_handle_t* handle = container_of(q, uv_handle_t, handle_queue);
    if (handle->flags & UV__INTERNAL)
      continue;
    if (++count > NAMED_MAX)
      continue;
    snprintf(item, sizeof(item), "%s %s %p%s", count == 1 ? "" : ",",
             handle_name(handle), (const void*) handle,
             uv__is_closing(handle) ? " (closing)" : "");
    append_text(text, sizeof(text), item);
  }
  if (count > NAMED_MAX) {
    snprintf(item, sizeof(item), " and %u more handles", count - NAMED_MAX);
    append_text(text, sizeof(text), item);
  }
  if (loop->active_reqs.count > 0) {
    snprintf(item, sizeof(item), "%s %u request%s", count == 0 ? "" : ",",
             loop->active_reqs.count, loop->active_reqs.count == 1 ? "" : "s");
    append_text(text, sizeof(text), item);
  }
  print_rule(UV__RULE_LOOP_OPEN, loop, text, "UV_EBUSY");
  return UV_EBUSY;
}

void uv__misuse_end(enum uv__rule rule, const void* object) {
  char line[LINE_SIZE];

  /* As the message of a failed assertion: it goes wherever the stream leads. */
  describe_rule(line, rule, object, "", "caller's error");
  fprintf(stderr, "libuv: %s\n", line);
  fflush(stderr);
  uv__end_process();
}

void uv__misuse_undefined(enum uv__rule rule, const void* object) {
#ifdef UV__DEBUG
  uv__misuse_end(rule, object);
#else
  if (is_explained())
    print_rule(rule, object, "", "caller's error");
#endif
}

void uv__misuse_explain(enum uv__rule which,
                        const char* function,
                        const char* type,
                        const void* object) {
  const struct rule* rule = &rules[which];
  char line[LINE_SIZE];

  if (!is_explained())
    return;
  const char* name = type != NULL ? type : object_name(rule->object, object);
  describe_object(line, rule,
                  rule->function != NULL ? rule->function : function, name,
                  object, "", "caller's error");
  uv__os_print_line(line);
}

/* ------------------------------------------------------------------------- */
/* The environment. */

static int is_poller(const char* text) {
  return uv__poller_os_find(text) != NULL;
}

struct variable {
  const char* name;
  int (*is_known)(const char* text); /* or NULL: a number */
  long min;
  long max;
  const char* problem;
};

/* (0 and more than 1024 threads are understood as 1 and 1024. The variables of
 * what observes the loops explain themselves, see variable.h.) */
static const struct variable variables[] = {
  { "UV_THREADPOOL_SIZE", NULL, 0, LONG_MAX, "not a number from 1 to 1024" },
  { "UV_THREADPOOL_LANES", NULL, 0, 1, "not 0 or 1" },
  { "UV_USE_IO_URING", NULL, 0, 2, "not 0, 1 or 2" },
  { "UV_POLLER", is_poller, 0, 0, "not a poller of this system" },
};

static void check_variable(const struct variable* variable) {
  char text[256];
  long number;

  if (!uv__variable_get(variable->name, text, sizeof(text)))
    return;
  int is_known =
      variable->is_known != NULL
          ? variable->is_known(text)
          : uv__env_number(text, variable->min, variable->max, &number) == 0;
  if (!is_known)
    uv__variable_refuse(variable->name, text, variable->problem);
}

static void read_environment(void) {
  char text[8];

  if (!uv__variable_get("UV_DEBUG", text, sizeof(text)) ||
      strcmp(text, "0") == 0)
    return;
  uv__store_relaxed(&refusals_left, UINT_MAX);
  for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
    check_variable(&variables[i]);
  uv__hook_debug_begin();
}

void uv__misuse_init_process(void) {
  uv_once(&init_once, read_environment);
}
