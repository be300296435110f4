/* SPDX-License-Identifier: MIT */
/* The end of a child: who tells of it, and what is done then.
 *
 * A poller that reports children (kqueue) is asked for each of them, and the
 * program's SIGCHLD is left alone. Otherwise that signal is watched while there
 * are children. Only own children are ever waited for.
 *
 * A child is in one of three lists:
 *   loop->process_handles  SIGCHLD tells of its end
 *   children_polled        the poller does
 *   children_ended         it has ended, the loop owes its exit_cb
 * or in none: exit_cb ran, the handle was closed, or the process was forked.
 *
 * SIGCHLD does not say whose end it is about. The kernel is asked for a name
 * (waitid); while the names are those of own children, nobody else need be
 * asked. Otherwise each own child is.
 *
 * Failure: a child that nobody can tell us of (refused by the poller, no memory
 * for a signal watcher) is killed, and uv_spawn() fails.
 */
#include "os/poller.h"
#include "unix/fd.h"
#include "unix/loop.h"
#include "unix/os.h"
#include "unix/process.h"
#include "unix/signal.h"
#include "wake.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

/* So few are asked one by one: the kernel's word on who has ended costs calls,
 * too. And after so many of those, the others are asked as well. */
#define FEW_CHILDREN 3
#define NAMES_MAX 8

static uv_process_t* process_of(struct uv__queue* q) {
  return container_of(q, uv_process_t, queue);
}

static int wait_for(int pid, int* status, int options) {
  int r;

  do
    r = waitpid(pid, status, options);
  while (r == -1 && errno == EINTR);
  return r;
}

/* Has the child ended? Then its status is stored and its pid no longer ours.
 *
 * When the program has waited for it behind our back, how it went only the
 * program knows, and exit_cb does not come: Neovim waits for its children in a
 * SIGCHLD watcher of its own and takes a second report for a second end. The
 * handle stays active until it is closed; its pid may be somebody else's soon
 * and is left alone. */
static int has_ended(uv_process_t* process, int options) {
  int status = 0;

  if (process->flags & UV__PROCESS_REAPED)
    return 0;
  int r = wait_for(process->pid, &status, options);
  if (r == 0)
    return 0;

  process->status = status;
  process->flags |= UV__PROCESS_REAPED;
  return r > 0;
}

/* From the back: if the program waited for a child and its number was given to
 * another one, the later is meant. */
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

/* A callback may close or spawn any. */
static int report_all(struct uv__queue* ended) {
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
/* Asks without taking: 0 or UV_E*; info->si_pid is 0 if none has ended. */
static int look_at(idtype_t which, int pid, siginfo_t* info) {
  int r;

  info->si_pid = 0;
  do
    r = waitid(which, (id_t) pid, info, WEXITED | WNOHANG | WNOWAIT);
  while (r == -1 && errno == EINTR);
  return r == 0 ? 0 : uv__errno();
}

/* One of the process's children, ours or not, that has ended: its pid; 0 if
 * there is none, -1 if that cannot be said. */
static int who_has_ended(void) {
  siginfo_t info;

  if (look_at(P_ALL, 0, &info) != 0)
    return -1;
  /* A program that traces others is told of their stops, too. */
  if (info.si_pid != 0 && info.si_code != CLD_EXITED &&
      info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED)
    return -1;
  return info.si_pid;
}

int uv__child_is_lost(const uv_process_t* process) {
  siginfo_t info;

  /* After fork they are the parent's to wait for. */
  if (uv__queue_empty(&process->queue))
    return 0;
  return look_at(P_PID, process->pid, &info) == -ECHILD;
}
#else
static int who_has_ended(void) {
  return -1;
}

int uv__child_is_lost(const uv_process_t* process) {
  (void) process;
  return 0; /* each of them is asked at each SIGCHLD */
}
#endif

static int are_few(const struct uv__queue* children) {
  const struct uv__queue* q = children->next;

  for (int n = 0; n < FEW_CHILDREN && q != children; n++)
    q = q->next;
  return q == children;
}

/* Moves children that the kernel names to `ended`: two calls for each of them,
 * however many others there are. 1 if those were all; 0 if it named somebody
 * else's child, or many. */
static int take_named(struct uv__queue* children, struct uv__queue* ended) {
  for (int taken = 0; taken < NAMES_MAX; taken++) {
    int pid = who_has_ended();
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

static void ask_each(struct uv__queue* children, struct uv__queue* ended) {
  struct uv__queue todo;

  uv__queue_move(&todo, children);
  while (!uv__queue_empty(&todo)) {
    struct uv__queue* q = uv__queue_pop_front(&todo);
    int over = has_ended(process_of(q), WNOHANG);
    uv__queue_push_back(over ? ended : children, q);
  }
}

/* Looks at all first, then calls back. Each SIGCHLD that was caught has its own
 * look, as in libuv: a child that ends in an exit_cb may be reported in the
 * same iteration. SIGCHLD is watched until a handle is closed and no child is
 * left, as in libuv, too. */
static void reap_children(uv_signal_t* watcher, int signum) {
  uv_loop_t* loop = watcher->loop;
  struct uv__queue* children = &loop->process_handles;
  struct uv__queue ended;

  (void) signum;
  uv__queue_init(&ended);
  if (are_few(children) || !take_named(children, &ended))
    ask_each(children, &ended);
  report_all(&ended);
}

static int watch_sigchld(uv_loop_t* loop) {
  if (uv__is_active(uv__base(&loop->child_watcher)))
    return 0;
  return uv_signal_start(&loop->child_watcher, reap_children, SIGCHLD);
}

/* Has SIGCHLD tell of a child that runs already; it may have ended before the
 * signal was watched, and is in `ended` then. */
static int follow_by_signal(uv_process_t* process, struct uv__queue* ended) {
  uv_loop_t* loop = process->loop;
  int err = watch_sigchld(loop);
  if (err != 0)
    return err;

  int over = has_ended(process, WNOHANG);
  uv__queue_push_back(over ? ended : &loop->process_handles, &process->queue);
  unwatch_if_childless(loop);
  return 0;
}

/* The poller. */

static int watch_child(uv_process_t* process) {
  const struct uv__poller* poller = uv__loop_state(process->loop)->poller;
  return poller->watch->watch_child(process->loop, process->pid);
}

/* The child was reported and cannot be waited for: it is on its way out, and
 * where the kernel does not know it any more it will be there in a moment
 * (macOS). Or the report was of an earlier child of that number. Either way
 * SIGCHLD comes only when a child can be waited for. */
static void follow_to_the_end(uv_process_t* process, struct uv__queue* ended) {
  uv__queue_remove(&process->queue);
  if (watch_child(process) != UV_ESRCH &&
      follow_by_signal(process, ended) == 0)
    return;
  if (has_ended(process, 0))
    uv__queue_push_back(ended, &process->queue);
}

int uv__process_child_ended(uv_loop_t* loop, int pid) {
  uv_process_t* process =
      find_child(&uv__loop_os(loop)->children_polled, pid);
  struct uv__queue ended;

  if (process == NULL)
    return 0;
  uv__queue_init(&ended);
  if (has_ended(process, WNOHANG)) {
    uv__queue_remove(&process->queue);
    uv__queue_push_back(&ended, &process->queue);
  } else if (!(process->flags & UV__PROCESS_REAPED)) {
    follow_to_the_end(process, &ended);
  }
  return report_all(&ended);
}

int uv__process_run_ended(uv_loop_t* loop) {
  struct uv__queue ended;

  uv__queue_move(&ended, &uv__loop_os(loop)->children_ended);
  return report_all(&ended);
}

/* What uv_spawn() needs. */

int uv__child_prepare(uv_loop_t* loop) {
  if (uv__loop_state(loop)->poller->watch->watch_child != NULL)
    return 0;
  return watch_sigchld(loop);
}

/* There is nobody to tell of its end. A program with other rights cannot be
 * killed; it is left alone. */
static void give_up(uv_process_t* process) {
  if (kill(process->pid, SIGKILL) == 0)
    (void) wait_for(process->pid, NULL, 0); /* the program may be quicker */
}

int uv__child_follow(uv_process_t* process) {
  uv_loop_t* loop = process->loop;
  struct uv__loop_os* os = uv__loop_os(loop);
  int err = 0;

  if (uv__loop_state(loop)->poller->watch->watch_child == NULL) {
    uv__queue_push_back(&loop->process_handles, &process->queue);
    return 0;
  }

  /* Not found may mean gone, or hidden from us (FreeBSD can hide programs of
   * other users): not to be waited for blindly. */
  if (watch_child(process) == 0)
    uv__queue_push_back(&os->children_polled, &process->queue);
  else if (has_ended(process, WNOHANG))
    uv__queue_push_back(&os->children_ended, &process->queue);
  else if (!(process->flags & UV__PROCESS_REAPED))
    err = follow_by_signal(process, &os->children_ended);

  if (err != 0)
    give_up(process);
  else if (!uv__queue_empty(&os->children_ended))
    (void) uv__wake_send(loop); /* nothing else to try */
  return err;
}

void uv__child_leave(uv_process_t* process) {
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

static void drop_all(struct uv__queue* list) {
  while (!uv__queue_empty(list))
    uv__queue_pop_front(list);
}

void uv__process_fork(uv_loop_t* loop) {
  /* The handles stay as they are, but no end will be reported for them here. */
  drop_all(&loop->process_handles);
  drop_all(&uv__loop_os(loop)->children_polled);
  drop_all(&uv__loop_os(loop)->children_ended);
  unwatch_if_childless(loop);
}
