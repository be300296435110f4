/* SPDX-License-Identifier: MIT */
/* Releases the library's process-wide state. Runs automatically when the
 * library is unloaded or the process exits, where the platform can join threads
 * at that point (see its loop.c). Calling it earlier, or twice, is fine.
 */
#include "observe/dump/signal.h"
#include "observe/metrics/session.h"
#include "observe/trace/trace.h"
#include "observe/watchdog.h"
#include "os/loop.h"
#include "pool/pool.h"
#include "util/atomic.h"

void uv_library_shutdown(void) {
  static int was_shut_down;

  if (uv__exchange(&was_shut_down, 1))
    return;
  uv__threadpool_shutdown();
  uv__dump_shutdown();
  uv__watchdog_shutdown();
  uv__metrics_shutdown();
  uv__trace_shutdown();
  uv__library_os_shutdown();
}
