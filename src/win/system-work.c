/* SPDX-License-Identifier: MIT */
/* Work that blocks, on the threads of the system's own pool.
 *
 * A job ends with a packet to its loop, after which the program may close the
 * loop and unload the library, while the thread has still to return. So each
 * job names the module it is in, and the pool keeps that loaded:
 * https://learn.microsoft.com/windows/win32/api/winbase/
 * nf-winbase-setthreadpoolcallbacklibrary
 */
#include "win/system-work.h"
#include "win/error.h"

/* The first byte of the module, which the linker defines. */
extern IMAGE_DOS_HEADER __ImageBase;

int uv__system_work(uv__system_work_fn* run, void* arg) {
  TP_CALLBACK_ENVIRON environment;

  InitializeThreadpoolEnvironment(&environment);
  SetThreadpoolCallbackRunsLong(&environment);
  SetThreadpoolCallbackLibrary(&environment, &__ImageBase);
  BOOL ok = TrySubmitThreadpoolCallback(run, arg, &environment);
  int err = ok ? 0 : uv__last_error();
  DestroyThreadpoolEnvironment(&environment);
  return err;
}
