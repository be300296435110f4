/* SPDX-License-Identifier: MIT */
/* Giving back what the library holds process-wide. Happens by itself when the
 * library is unloaded or the process exits, where the platform lets threads be
 * joined then (see its loop.c); calling it earlier is fine, twice too.
 */
#include "atomic.h"
#include "os/loop.h"
#include "stats-session.h"
#include "threadpool.h"
#include "trace-session.h"

void uv_library_shutdown(void) {
  static int was_shut_down;

  if (uv__exchange(&was_shut_down, 1))
    return;
  uv__threadpool_shutdown();
  uv__stats_shutdown();
  uv__trace_shutdown();
  uv__library_os_shutdown();
}
