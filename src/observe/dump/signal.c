/* SPDX-License-Identifier: MIT */
/* UV_DUMP_SIGNAL=USR2.
 *
 * signal -> the handler posts a semaphore -> a thread requests a dump
 * (hooks.h) and wakes all loops -> each describes itself between two
 * callbacks, in memory -> the thread prints the results, the pool, and which
 * loops did not respond.
 *
 * So nothing is formatted in a signal handler, no loop is read by another
 * thread, and none waits for standard error. A loop that does not respond in
 * time is in a callback, and the list of threads shows what its thread does; or
 * it is not running.
 *
 * A forked child has no such thread until it makes a loop or calls
 * uv_loop_fork(); the signal does nothing there.
 *
 * Context: run_dumper() is the thread.
 */
#include "observe/dump/signal.h"
#include "loop/list.h"
#include "loop/wake.h"
#include "observe/dump/dump.h"
#include "observe/hooks.h"
#include "observe/names.h"
#include "observe/session.h"
#include "observe/signal-thread.h"
#include "observe/thread.h"
#include "os/system.h"
#include "os/thread-state.h"
#include "util/alloc.h"
#include "variable.h"

#include <string.h>

#define RESPONSE_MS 1000

/* The description of one loop. */
struct response {
  struct response* next;
  struct uv__dump dump;
};

struct dumper {
  uv_mutex_t lock;
  uv_cond_t responded;
  struct response* responses; /* the lock's; newest first */
};

static struct uv__signal_thread signaled;
static struct dumper dumper;
/* Atomic: the number of the latest dump that was requested. */
static unsigned requested;

void uv__dump_respond(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);
  unsigned now = uv__load_acquire(&requested);

  if (uv__load_relaxed(&state->dump_served) == now)
    return;
  struct response* response = uv__malloc(sizeof(*response));
  if (response != NULL) {
    uv__dump_init(&response->dump);
    uv__dump_loop(&response->dump, loop);
  }
  uv_mutex_lock(&dumper.lock);
  if (response != NULL) {
    response->next = dumper.responses;
    dumper.responses = response;
  }
  uv__store_relaxed(&state->dump_served, now);
  uv_cond_signal(&dumper.responded);
  uv_mutex_unlock(&dumper.lock);
}

/* Only the state is read: the loop may be gone, if the program never closed it
 * or its thread left uv_run() by pthread_exit(). One that is not running
 * responds when it runs again, if that is soon. */
static void request_dump(struct uv__loop_state* state, void* arg) {
  (void) arg;
  if (uv__wake_is_running(state))
    (void) uv__wake_send_state(state);
}

/* What the loop's thread is running, if it is observed. */
static void add_running_callback(struct uv__dump* dump, const uv_loop_t* loop) {
  struct uv__running now;

  for (struct uv__observe_thread* t = uv__observe_threads(); t; t = t->next)
    if (uv__observe_thread_running(t, &now) && now.begin_ns != 0 &&
        now.loop == loop)
      uv__strbuf_add(&dump->text,
                     "  in %s for %.3f ms: %s callback of %s %p, thread %llu\n",
                     uv__symbol_name(&dump->symbols, now.symbol),
                     (double) (int64_t) (dump->now_ns - now.begin_ns) / 1e6,
                     uv__call_name(uv__running_call(&now)),
                     uv__record_type_name(uv__running_type(&now)), now.object,
                     (unsigned long long) uv__load_relaxed(&t->tid));
}

static int is_loop_missing(const struct uv__loop_state* state) {
  return uv__load_relaxed(&state->dump_served) != uv__load_relaxed(&requested);
}

static void add_missing_loop(struct uv__loop_state* state, void* arg) {
  struct uv__dump* dump = arg;

  if (!is_loop_missing(state))
    return;
  if (!uv__wake_is_running(state)) {
    uv__strbuf_add(&dump->text, "loop %p: not running\n", (void*) state->loop);
    return;
  }
  uv__strbuf_add(
      &dump->text,
      "loop %p: no response within %d ms: it is in a callback, or its "
      "thread has ended\n",
      (void*) state->loop, RESPONSE_MS);
  add_running_callback(dump, state->loop);
}

static void count_blocked_loop(struct uv__loop_state* state, void* arg) {
  unsigned* blocked = arg;

  if (is_loop_missing(state) && uv__wake_is_running(state))
    ++*blocked;
}

static void count_missing_loop(struct uv__loop_state* state, void* arg) {
  unsigned* missing = arg;

  if (is_loop_missing(state))
    ++*missing;
}

/* Returns the descriptions, newest first, once all loops have responded or the
 * time is up. */
static struct response* collect_responses(void) {
  uint64_t end_ns = uv_hrtime() + (uint64_t) RESPONSE_MS * 1000000;

  uv_mutex_lock(&dumper.lock);
  for (;;) {
    uint64_t now_ns = uv_hrtime();
    unsigned missing = 0;
    uv__loop_list_each(count_missing_loop, &missing);
    if (missing == 0 || now_ns >= end_ns ||
        uv__load_relaxed(&signaled.is_ending))
      break;
    (void) uv_cond_timedwait(&dumper.responded, &dumper.lock, end_ns - now_ns);
  }
  struct response* responses = dumper.responses;
  dumper.responses = NULL;
  uv_mutex_unlock(&dumper.lock);
  return responses;
}

static void print_dump(const struct uv__dump* dump) {
  uv__os_print(dump->text.data, dump->text.used);
}

static void dump_all_loops(void) {
  struct uv__dump rest;
  unsigned blocked = 0;

  /* Release: pairs with uv__dump_respond(). */
  uv__fetch_add(&requested, 1);
  uv__observe_start(UV__OBSERVE_DUMP);
  uv__loop_list_each(request_dump, NULL);
  struct response* response = collect_responses();
  uv__observe_stop(UV__OBSERVE_DUMP);

  uv__dump_init(&rest);
  uv__strbuf_add(&rest.text, "libuv: dump of process %d\n",
                 (int) uv_os_getpid());
  print_dump(&rest);
  rest.text.used = 0;
  while (response != NULL) {
    struct response* next = response->next;
    print_dump(&response->dump);
    uv__dump_free(&response->dump);
    uv__free(response);
    response = next;
  }
  uv__loop_list_each(add_missing_loop, &rest);
  uv__loop_list_each(count_blocked_loop, &blocked);
  uv__dump_pool(&rest);
  if (blocked != 0)
    uv__thread_state_os_add_all(&rest.text);
  uv__strbuf_add(&rest.text, "libuv: end of dump\n");
  print_dump(&rest);
  uv__dump_free(&rest);
}

static void run_dumper(void* arg) {
  (void) arg;
  uv__session_thread_begin(&uv__dump_session);
  (void) uv_thread_setname("libuv-dump");
  while (uv__signal_thread_wait(&signaled))
    dump_all_loops();
}

static int make_dumper(void) {
  memset(&dumper, 0, sizeof(dumper));
  int err = uv_mutex_init(&dumper.lock);
  if (err != 0)
    return err;
  err = uv_cond_init(&dumper.responded);
  if (err != 0)
    uv_mutex_destroy(&dumper.lock);
  return err;
}

static void free_dumper(void) {
  uv_cond_destroy(&dumper.responded);
  uv_mutex_destroy(&dumper.lock);
}

static void stop(void) {
  uv__signal_thread_end(&signaled);
  uv_mutex_lock(&dumper.lock);
  uv_cond_signal(&dumper.responded);
  uv_mutex_unlock(&dumper.lock);
  uv__signal_thread_join(&signaled);
}

static int start(enum uv__start why, const void* options) {
  static const char variable[] = "UV_DUMP_SIGNAL";

  (void) options;
  int err = make_dumper();
  if (err != 0) {
    uv__variable_refuse(variable, "", uv_strerror(err));
    return UV__STAYS_OFF;
  }
  err = why == UV__START_CHILD
            ? uv__signal_thread_restart(&signaled, variable, run_dumper)
            : uv__signal_thread_start(&signaled, variable, run_dumper);
  if (err != 0)
    free_dumper();
  return err;
}

/* The child goes on with the signal, in the same memory. */
static void forget(void) {
}

struct uv__session uv__dump_session = {
  .variable = "UV_DUMP_SIGNAL",
  .bit = 0, /* only while a dump is requested */
  .start = start,
  .stop = stop,
  .forget = forget,
};

void uv__dump_ignore_signal(void) {
  uv__signal_thread_ignore(&signaled);
}
