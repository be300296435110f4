/* SPDX-License-Identifier: MIT */
/* Process handles: spawning and signalling. process-end.c handles their end.
 *
 *   prepare descriptors and program -> launch -> watch for the end
 */
#include "unix/process.h"
#include "unix/fd.h"
#include "unix/newer-calls.h"
#include "unix/os.h"
#include "util/alloc.h"

#include <fcntl.h>

/* Without close_range(), uv_disable_stdio_inheritance() stops after this many
 * closed numbers in a row. libuv looks at the first 16, then stops at the first
 * that is closed. */
#define FD_GAP_MAX 16

static int process_spawn(uv_process_t* process,
                         const uv_process_options_t* options) {
  struct uv__stdio stdio;
  struct uv__child child;

  int err = uv__stdio_init(&stdio, options);
  if (err != 0)
    return err;

  child.fds = stdio.fds;
  child.fds_count = stdio.count;
  child.report_fd = -1;
  child.cwd = options->cwd;
  child.flags = options->flags;
  child.uid = options->uid;
  child.gid = options->gid;
  void* memory = uv__child_find_program(&child, options);
  err = memory == NULL ? UV_ENOMEM : 0;

  if (err == 0)
    err = uv__child_prepare(process->loop);
  if (err == 0)
    err = uv__stdio_open_streams(&stdio);
  if (err == 0)
    err = uv__child_launch(&child, &process->pid);
  if (err == 0)
    err = uv__child_watch(process);
  uv__free(memory);
  uv__stdio_close(&stdio);
  return err;
}

void uv__process_os_init(uv_process_t* process) {
  uv__queue_init(&process->queue);
  process->status = 0;
}

int uv__process_os_spawn(uv_process_t* process,
                         const uv_process_options_t* options) {
  int err = process_spawn(process, options);

  if (err != 0)
    uv__child_unwatch(process);
  return err;
}

int uv__process_os_kill(uv_process_t* process, int signum) {
  /* The pid may have been reused. */
  if (process->flags & UV__PROCESS_REAPED)
    return UV_ESRCH;
  if (uv__child_is_lost(process)) {
    process->flags |= UV__PROCESS_REAPED;
    return UV_ESRCH;
  }
  return uv_kill(process->pid, signum);
}

enum uv__close_result uv__process_close(uv_handle_t* handle) {
  uv_process_t* process = (uv_process_t*) handle;

  assert(handle->type == UV_PROCESS);
  uv__child_unwatch(process);
  uv__handle_stop(handle);
  return UV__CLOSE_DONE;
}

#if UV__HAVE_CLOSE_RANGE
static int cloexec_all(void) {
  return uv__cloexec_from(0);
}
#else
static int cloexec_all(void) {
  return -1;
}
#endif

void uv_disable_stdio_inheritance(void) {
  int gap = 0;

  if (cloexec_all() == 0)
    return;
  for (int fd = 0; gap < FD_GAP_MAX; fd++)
    gap = uv__fd_cloexec(fd, 1) == 0 ? 0 : gap + 1;
}
