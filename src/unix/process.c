/* SPDX-License-Identifier: MIT */
/* Process handles: spawning, waiting for the end, signalling.
 *
 *   uv_spawn: descriptors, program -> SIGCHLD watched -> launched -> active
 *   SIGCHLD -> each own child asked (never anybody else's) -> exit_cb
 */
#include "unix/process.h"
#include "alloc.h"
#include "unix/fd.h"
#include "unix/process-impl.h"
#include "unix/signal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

/* uv_disable_stdio_inheritance() gives up after as many closed fds in a row. */
#define FD_GAP_MAX 1024

static void unwatch_if_childless(uv_loop_t* loop) {
  if (uv__queue_empty(&loop->process_handles))
    uv_signal_stop(&loop->child_watcher);
}

/* Has the child ended? Then its status is stored and its pid no longer ours.
 *
 * When the program has waited for it behind our back, how it went only the
 * program knows, and exit_cb does not come: Neovim waits for its children in a
 * SIGCHLD watcher of its own and takes a second report for a second end. The
 * handle stays active until it is closed; its pid may be somebody else's soon
 * and is left alone. */
static int has_ended(uv_process_t* process) {
  int status = 0;
  int r;

  if (process->flags & UV__PROCESS_REAPED)
    return 0;
  do
    r = waitpid(process->pid, &status, WNOHANG);
  while (r == -1 && errno == EINTR);
  if (r == 0)
    return 0;

  process->status = status;
  process->flags |= UV__PROCESS_REAPED;
  return r > 0;
}

static void report_exit(uv_process_t* process) {
  int status = process->status;
  int64_t exit_status = 0;
  int term_signal = 0;

  if (WIFEXITED(status))
    exit_status = WEXITSTATUS(status);
  else if (WIFSIGNALED(status))
    term_signal = WTERMSIG(status);

  uv__process_report_exit(process, exit_status, term_signal);
}

/* Looks at all first, then calls back: a callback may close or spawn any. */
static void reap_children(uv_signal_t* watcher, int signum) {
  uv_loop_t* loop = watcher->loop;
  struct uv__queue todo;
  struct uv__queue ended;

  (void) signum;
  uv__queue_init(&ended);
  uv__queue_move(&todo, &loop->process_handles);
  while (!uv__queue_empty(&todo)) {
    struct uv__queue* q = uv__queue_pop_front(&todo);
    uv_process_t* process = container_of(q, uv_process_t, queue);
    int over = has_ended(process);
    uv__queue_push_back(over ? &ended : &loop->process_handles, q);
  }
  unwatch_if_childless(loop);

  while (!uv__queue_empty(&ended)) {
    struct uv__queue* q = uv__queue_pop_front(&ended);
    report_exit(container_of(q, uv_process_t, queue));
  }
}

static int watch_children(uv_loop_t* loop) {
  if (uv__is_active(uv__base(&loop->child_watcher)))
    return 0;
  return uv_signal_start(&loop->child_watcher, reap_children, SIGCHLD);
}

static int spawn(uv_process_t* process, const uv_process_options_t* options) {
  uv_loop_t* loop = process->loop;
  struct uv__stdio stdio;
  struct uv__child child;

  int err = uv__stdio_init(&stdio, options);
  if (err != 0)
    return err;

  child.fds = stdio.fds;
  child.fds_count = stdio.count;
  child.cwd = options->cwd;
  child.flags = options->flags;
  child.uid = options->uid;
  child.gid = options->gid;
  void* memory = uv__child_find_program(&child, options);
  err = memory == NULL ? UV_ENOMEM : 0;

  if (err == 0)
    err = watch_children(loop);
  if (err == 0)
    err = uv__stdio_open_streams(&stdio);
  if (err == 0)
    err = uv__child_launch(&child, &process->pid);
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
  int err = spawn(process, options);

  if (err == 0)
    uv__queue_push_back(&process->loop->process_handles, &process->queue);
  else
    unwatch_if_childless(process->loop);
  return err;
}

int uv__process_os_kill(uv_process_t* process, int signum) {
  return uv_kill(process->pid, signum);
}

enum uv__close_answer uv__process_close(uv_handle_t* handle) {
  uv_process_t* process = (uv_process_t*) handle;

  uv__queue_remove(&process->queue);
  uv__handle_stop(handle);
  unwatch_if_childless(handle->loop);
  return UV__CLOSE_DONE;
}

int uv__process_init_loop(uv_loop_t* loop) {
  uv__queue_init(&loop->process_handles);
  int err = uv_signal_init(loop, &loop->child_watcher);
  if (err == 0)
    uv__handle_make_internal(uv__base(&loop->child_watcher));
  return err;
}

void uv__process_fork(uv_loop_t* loop) {
  /* The handles stay as they are, but no end will be reported for them here. */
  while (!uv__queue_empty(&loop->process_handles))
    uv__queue_pop_front(&loop->process_handles);
  unwatch_if_childless(loop);
}

void uv_disable_stdio_inheritance(void) {
  int gap = 0;

  for (int fd = 0; gap < FD_GAP_MAX; fd++)
    gap = uv__fd_cloexec(fd, 1) == 0 ? 0 : gap + 1;
}
