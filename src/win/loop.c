/* SPDX-License-Identifier: MIT */
/* Windows part of a loop's life cycle, and process-wide initialisation.
 *
 * Programs have to call uv_library_shutdown() themselves: when a DLL is
 * unloaded, the system holds the loader lock, which threads need to exit, so
 * joining them would deadlock; when the process exits, they are gone already.
 */
#include "win/loop.h"
#include "os/loop.h"
#include "util/queue.h"
#include "win/afd.h"
#include "win/error.h"
#include "win/fd.h"
#include "win/resume.h"
#include "win/signal.h"
#include "win/sock.h"
#include "win/tty.h"

#include <stdlib.h>

const size_t uv__loop_os_state_size = sizeof(struct uv__loop_os);

static uv_once_t init_once = UV_ONCE_INIT;

/* By default the C runtime terminates the process when it gets an invalid fd;
 * we return UV_EBADF. */
static void ignore_invalid_parameter(const wchar_t* expression,
                                     const wchar_t* function,
                                     const wchar_t* file,
                                     unsigned int line,
                                     uintptr_t reserved) {
  (void) expression;
  (void) function;
  (void) file;
  (void) line;
  (void) reserved;
}

static void init_process(void) {
  _set_invalid_parameter_handler(ignore_invalid_parameter);
  /* No message boxes for a missing disk or file: the calls return errors. */
  SetErrorMode(GetErrorMode() | SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX |
               SEM_NOOPENFILEERRORBOX);
  uv__fd_init_process();
  uv__signal_init_process();
  uv__tty_init_process();
}

void uv__library_init(void) {
  uv_once(&init_once, init_process);
}

int uv__loop_os_init(uv_loop_t* loop) {
  uv__library_init();
  int err = uv__winsock_startup();
  if (err != 0)
    return err;

  loop->pending_reqs_tail = NULL;
  /* The large batch from the start: a server that is closed has 32 requests to
   * give back, which belong in one iteration. */
  uv__loop_state(loop)->batch.was_full = 1;
  uv__queue_init(&loop->wq);
  uv__queue_init(&uv__loop_os(loop)->shared_pipes);
  uv__afd_init_loop(loop);
  err = uv__loop_state(loop)->poller->open(loop);
  if (err == 0)
    uv__resume_add(loop);
  return err;
}

void uv__loop_os_close(uv_loop_t* loop) {
  uv__resume_remove(loop);
  uv__afd_close_loop(loop);
  uv__loop_state(loop)->poller->close(loop);
}

/* Never called: no poller can be reopened. */
int uv__loop_os_fork(uv_loop_t* loop) {
  (void) loop;
  return UV_ENOSYS;
}

int uv__loop_os_block_signal(uv_loop_t* loop, int signum) {
  (void) loop;
  (void) signum;
  return UV_ENOSYS;
}

int uv__loop_attach_as(uv_loop_t* loop, HANDLE handle, uint32_t key) {
  if (CreateIoCompletionPort(handle, loop->iocp, key, 0) == NULL)
    return uv__last_error();
  return 0;
}

int uv__loop_attach(uv_loop_t* loop, HANDLE handle) {
  return uv__loop_attach_as(loop, handle, 0);
}

/* Requests are submitted immediately: nothing to commit. */
int uv__loop_os_commit(uv_loop_t* loop) {
  (void) loop;
  return 0;
}

int uv__loop_os_uncommitted(const uv_loop_t* loop) {
  (void) loop;
  return 0;
}

/* The port is loop->iocp, which is not an fd. */
int uv_backend_fd(const uv_loop_t* loop) {
  (void) loop;
  return -1;
}

void uv__library_os_shutdown(void) {
  uv__signal_cleanup();
  uv__fd_cleanup();
}
