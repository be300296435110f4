/* SPDX-License-Identifier: MIT */
/* Releases the library's process-wide state. Runs automatically when the
 * library is unloaded or the process exits, where the platform can join threads
 * at that point (see its loop.c). Calling it earlier, or twice, is fine.
 */
#include "observe/hooks.h"
#include "os/loop.h"
#include "pool/lanes.h"
#include "pool/registry.h"
#include "util/atomic.h"

void uv_library_shutdown(void) {
  static int was_shut_down;

  if (uv__exchange(&was_shut_down, 1))
    return;
  uv__hook_shutdown();
  uv__lanes_shutdown();
  uv__registry_shutdown();
  uv__hook_threads_end();
  uv__library_os_shutdown();
}
