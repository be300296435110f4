/* SPDX-License-Identifier: MIT */
/* The end of a child: how the loop learns of it, and what happens then.
 *
 * A poller that reports children (kqueue) watches each of them. Otherwise
 * SIGCHLD is watched while there are children. SIGCHLD does not say which child
 * ended: waitid() names one, and while it names our own children, the others
 * need no check; otherwise each is checked. Only our own are waited for.
 *
 * A child is in one of three lists:
 *   loop->process_handles  SIGCHLD reports its end
 *   children_polled        the poller reports it
 *   children_ended         it has ended; exit_cb has not run yet
 * or in none: exit_cb ran, the handle was closed, or the process was forked.
 *
 * Failure: a child that can be watched neither way (refused by the poller, no
 * memory for a signal watcher) is killed, and uv_spawn() fails.
 */
#include "loop/loop.h"
#include "os/poller.h"
#include "unix/fd.h"
#include "unix/loop.h"
#include "unix/os.h"
#include "unix/process.h"
#include "unix/signal.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

/* Up to this many children are checked one by one, because waitid() costs calls
 * too. After NAMES_MAX children named by waitid(), the others are checked one
 * by one as well. */
#define FEW_CHILDREN 3
#define NAMES_MAX 8

static uv_process_t* process_of(struct uv__queue* q) {
  return container_of(q, uv_process_t, queue);
}

static int wait_for_child(int pid, int* status, int options) {
  int r;

  do
    r = waitpid(pid, status, options);
  while (r == -1 && errno == EINTR);
  return r;
}

/* Has the child ended? If so, stores its status; the pid is no longer ours.
 *
 * If the program itself waited for the child, only the program knows the
 * status, and exit_cb does not run: Neovim waits for its children in a SIGCHLD
 * watcher of its own and takes a second report for a second end. The handle
 * stays active until it is closed. Its pid may be reused, so it is left
 * alone. */
static int has_ended(uv_process_t* process, int options) {
  int status = 0;

  if (process->flags & UV__PROCESS_REAPED)
    return 0;
  int r = wait_for_child(process->pid, &status, options);
  if (r == 0)
    return 0;

  process->status = status;
  process->flags |= UV__PROCESS_REAPED;
  return r > 0;
}

/* Searches backwards: if the program waited for a child and its pid was reused,
 * the newer child is meant. */
static uv_process_t* find_child(struct uv__queue* list, int pid) {
  for (struct uv__queue* q = list->prev; q != list; q = q->prev) {
    uv_process_t* process = process_of(q);
    if (process->pid == pid && !(process->flags & UV__PROCESS_REAPED))
      return process;
  }
  return NULL;
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

/* Callbacks may close or spawn any process. */
static int report_exits(struct uv__queue* ended) {
  int ran = 0;

  while (!uv__queue_empty(ended)) {
    report_exit(process_of(uv__queue_pop_front(ended)));
    ran++;
  }
  return ran;
}

/* SIGCHLD. */

static void unwatch_if_childless(uv_loop_t* loop) {
  if (uv__queue_empty(&loop->process_handles))
    uv_signal_stop(&loop->child_watcher);
}

#if UV__HAVE_WAITID
/* Queries a child without reaping it: 0 or UV_E*; info->si_pid is 0 if none has
 * ended. */
static int child_peek(idtype_t which, int pid, siginfo_t* info) {
  int r;

  info->si_pid = 0;
  do
    r = waitid(which, (id_t) pid, info, WEXITED | WNOHANG | WNOWAIT);
  while (r == -1 && errno == EINTR);
  return r == 0 ? 0 : uv__errno();
}

/* The pid of a child that has ended, ours or not; 0 if there is none, -1 if
 * unknown. */
static int find_ended(void) {
  siginfo_t info;

  if (child_peek(P_ALL, 0, &info) != 0)
    return -1;
  /* A debugger is also notified of stops. */
  if (info.si_pid != 0 && info.si_code != CLD_EXITED &&
      info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED)
    return -1;
  return info.si_pid;
}

int uv__child_is_lost(const uv_process_t* process) {
  siginfo_t info;

  /* After a fork, only the parent can wait for it. */
  if (uv__queue_empty(&process->queue))
    return 0;
  return child_peek(P_PID, process->pid, &info) == -ECHILD;
}
#else
static int find_ended(void) {
  return -1;
}

int uv__child_is_lost(const uv_process_t* process) {
  (void) process;
  return 0; /* every SIGCHLD checks each of them */
}
#endif

static int has_few(const struct uv__queue* children) {
  const struct uv__queue* q = children->next;

  for (int n = 0; n < FEW_CHILDREN && q != children; n++)
    q = q->next;
  return q == children;
}

/* Moves the children that waitid() names to `ended`, with two calls each,
 * however many others there are. Returns 1 if those were all; 0 if it named a
 * foreign child, or too many. */
static int take_named(struct uv__queue* children, struct uv__queue* ended) {
  for (int taken = 0; taken < NAMES_MAX; taken++) {
    int pid = find_ended();
    if (pid == 0)
      return 1;
    uv_process_t* process = pid > 0 ? find_child(children, pid) : NULL;
    if (process == NULL || !has_ended(process, WNOHANG))
      return 0;
    uv__queue_remove(&process->queue);
    uv__queue_push_back(ended, &process->queue);
  }
  return 0;
}

static void take_ended(struct uv__queue* children, struct uv__queue* ended) {
  struct uv__queue todo;

  uv__queue_move(&todo, children);
  while (!uv__queue_empty(&todo)) {
    struct uv__queue* q = uv__queue_pop_front(&todo);
    int is_over = has_ended(process_of(q), WNOHANG);
    uv__queue_push_back(is_over ? ended : children, q);
  }
}

/* Checks all children first, then runs callbacks. As in libuv, every caught
 * SIGCHLD gets its own check, so a child that ends during an exit_cb may be
 * reported in the same iteration; and SIGCHLD stays watched until a handle is
 * closed and no child is left. */
static void reap_children(uv_signal_t* watcher, int signum) {
  uv_loop_t* loop = watcher->loop;
  struct uv__queue* children = &loop->process_handles;
  struct uv__queue ended;

  (void) signum;
  uv__queue_init(&ended);
  if (has_few(children) || !take_named(children, &ended))
    take_ended(children, &ended);
  report_exits(&ended);
}

static int watch_sigchld(uv_loop_t* loop) {
  if (uv__is_active(uv__base(&loop->child_watcher)))
    return 0;
  return uv_signal_start(&loop->child_watcher, reap_children, SIGCHLD);
}

/* Watches a running child with SIGCHLD. If it ended before the signal was
 * watched, it is moved to `ended`. */
static int watch_by_signal(uv_process_t* process, struct uv__queue* ended) {
  uv_loop_t* loop = process->loop;
  int err = watch_sigchld(loop);
  if (err != 0)
    return err;

  int is_over = has_ended(process, WNOHANG);
  uv__queue_push_back(is_over ? ended : &loop->process_handles,
                      &process->queue);
  unwatch_if_childless(loop);
  return 0;
}

/* The poller. */

static int watch_child(uv_process_t* process) {
  const struct uv__poller* poller = uv__loop_state(process->loop)->poller;
  return poller->watch->watch_child(process->loop, process->pid);
}

/* The poller reported the child, but it cannot be waited for. Either it is
 * still exiting (macOS reports before the child becomes a zombie), or the
 * report was for an earlier child with that pid. Use SIGCHLD, which arrives
 * only when a child can be waited for. */
static void watch_until_reaped(uv_process_t* process, struct uv__queue* ended) {
  uv__queue_remove(&process->queue);
  if (watch_child(process) != UV_ESRCH && watch_by_signal(process, ended) == 0)
    return;
  if (has_ended(process, 0))
    uv__queue_push_back(ended, &process->queue);
}

int uv__process_child_ended(uv_loop_t* loop, int pid) {
  uv_process_t* process = find_child(&uv__loop_os(loop)->children_polled, pid);
  struct uv__queue ended;

  if (process == NULL)
    return 0;
  uv__queue_init(&ended);
  if (has_ended(process, WNOHANG)) {
    uv__queue_remove(&process->queue);
    uv__queue_push_back(&ended, &process->queue);
  } else if (!(process->flags & UV__PROCESS_REAPED)) {
    watch_until_reaped(process, &ended);
  }
  return report_exits(&ended);
}

int uv__process_run_ended(uv_loop_t* loop) {
  struct uv__queue ended;

  uv__queue_move(&ended, &uv__loop_os(loop)->children_ended);
  return report_exits(&ended);
}

/* For uv_spawn(). */

int uv__child_prepare(uv_loop_t* loop) {
  if (uv__loop_state(loop)->poller->watch->watch_child != NULL)
    return 0;
  return watch_sigchld(loop);
}

/* Kills a child whose end cannot be detected. A program with other privileges
 * cannot be killed and is left running. */
static void kill_child(uv_process_t* process) {
  /* Waiting fails if the program has reaped the child itself. */
  if (kill(process->pid, SIGKILL) == 0)
    (void) wait_for_child(process->pid, NULL, 0);
}

int uv__child_watch(uv_process_t* process) {
  uv_loop_t* loop = process->loop;
  struct uv__loop_os* os = uv__loop_os(loop);
  int err = 0;

  if (uv__loop_state(loop)->poller->watch->watch_child == NULL) {
    uv__queue_push_back(&loop->process_handles, &process->queue);
    return 0;
  }

  /* ESRCH means that the child has ended, or is hidden (FreeBSD can hide
   * processes of other users), so never wait for it without WNOHANG. */
  if (watch_child(process) == 0)
    uv__queue_push_back(&os->children_polled, &process->queue);
  else if (has_ended(process, WNOHANG))
    uv__queue_push_back(&os->children_ended, &process->queue);
  else if (!(process->flags & UV__PROCESS_REAPED))
    err = watch_by_signal(process, &os->children_ended);

  if (err != 0)
    kill_child(process);
  else if (!uv__queue_empty(&os->children_ended))
    (void) uv__wake_send(loop); /* no way to report a failure */
  return err;
}

void uv__child_unwatch(uv_process_t* process) {
  uv__queue_remove(&process->queue);
  unwatch_if_childless(process->loop);
}

int uv__process_init_loop(uv_loop_t* loop) {
  uv__queue_init(&loop->process_handles);
  uv__queue_init(&uv__loop_os(loop)->children_polled);
  uv__queue_init(&uv__loop_os(loop)->children_ended);
  int err = uv_signal_init(loop, &loop->child_watcher);
  if (err == 0)
    uv__handle_make_internal(uv__base(&loop->child_watcher));
  return err;
}

static void unlink_all(struct uv__queue* list) {
  while (!uv__queue_empty(list))
    uv__queue_pop_front(list);
}

void uv__process_fork(uv_loop_t* loop) {
  /* The handles keep their state, but no end is reported for them here. */
  unlink_all(&loop->process_handles);
  unlink_all(&uv__loop_os(loop)->children_polled);
  unlink_all(&uv__loop_os(loop)->children_ended);
  unwatch_if_childless(loop);
}
