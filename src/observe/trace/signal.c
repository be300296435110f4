/* SPDX-License-Identifier: MIT */
/* UV_TRACE_SIGNAL: a thread that does to the trace what an operator asks for.
 * It is a session of its own, because it lives while the trace is off. */
#include "observe/session.h"
#include "observe/signal-thread.h"
#include "observe/trace/trace.h"
#include "variable.h"

static const char variable[] = "UV_TRACE_SIGNAL";
static struct uv__signal_thread signaled;

static void run_thread(void* arg) {
  (void) arg;
  uv__session_thread_begin(&uv__trace_signal_session);
  (void) uv_thread_setname("libuv-signal");
  while (uv__signal_thread_wait(&signaled))
    uv__trace_signaled();
}

static int start(enum uv__start why, const void* options) {
  (void) options;
  if (why == UV__START_CHILD)
    return uv__signal_thread_restart(&signaled, variable, run_thread);
  if (!uv__trace_has_output()) {
    uv__variable_refuse(variable, "", "UV_TRACE names no file");
    return UV__STAYS_OFF;
  }
  return uv__signal_thread_start(&signaled, variable, run_thread);
}

static void stop(void) {
  uv__signal_thread_end(&signaled);
  uv__signal_thread_join(&signaled);
}

/* The child goes on with the signal, in the same memory. */
static void forget(void) {
}

struct uv__session uv__trace_signal_session = {
  .variable = variable,
  .bit = 0,
  .start = start,
  .stop = stop,
  .forget = forget,
};

void uv__trace_ignore_signal(void) {
  uv__signal_thread_ignore(&signaled);
}
