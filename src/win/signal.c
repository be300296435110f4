/* SPDX-License-Identifier: MIT */
/* Signal handles.
 *
 *   console event (on a system thread), or a change of the window size
 *     -> uv__signal_deliver: sets pending_signum, posts signal_req -> signal_cb
 *
 * Windows has SIGINT (Ctrl-C), SIGBREAK (Ctrl-Break) and SIGHUP (the console
 * closes); SIGWINCH is emulated. Handles may wait for any other number, which
 * is never delivered. A signal delivered again before its callback runs counts
 * once.
 *
 * `lock` guards the list of started handles, their signum and pending_signum; a
 * request is outstanding while pending_signum is not 0.
 */
#include "win/signal.h"
#include "util/queue.h"
#include "win/tty.h"

static SRWLOCK lock = SRWLOCK_INIT;
static struct uv__queue started = { &started, &started };

/* The header's tree fields are unused, so their first two pointers link the
 * started handles of the process. */
static_assert(sizeof(((uv_signal_t*) 0)->tree_entry) >=
                  sizeof(struct uv__queue),
              "a queue node fits");

static struct uv__queue* node_of(uv_signal_t* handle) {
  return (struct uv__queue*) (void*) &handle->tree_entry;
}

static uv_signal_t* handle_of(struct uv__queue* node) {
  return container_of(node, uv_signal_t, tree_entry);
}

/* The lock is held. */
static void signal_notify(uv_signal_t* handle, int signum) {
  unsigned long before = handle->pending_signum;

  handle->pending_signum = (unsigned long) signum;
  if (before != 0)
    return; /* its request was posted already */
  uv__req_set_bytes(&handle->signal_req, 0);
  uv__req_post(handle->loop, &handle->signal_req);
}

int uv__signal_deliver(int signum) {
  int heard = 0;

  AcquireSRWLockExclusive(&lock);
  for (struct uv__queue* q = started.next; q != &started; q = q->next) {
    uv_signal_t* handle = handle_of(q);
    if (handle->signum != signum)
      continue;
    signal_notify(handle, signum);
    heard = 1;
  }
  ReleaseSRWLockExclusive(&lock);
  return heard;
}

/* Context: system thread. */
static BOOL WINAPI on_console_event(DWORD event) {
  switch (event) {
  case CTRL_C_EVENT:
    return uv__signal_deliver(SIGINT);
  case CTRL_BREAK_EVENT:
    return uv__signal_deliver(SIGBREAK);
  case CTRL_CLOSE_EVENT:
    if (!uv__signal_deliver(SIGHUP))
      return FALSE;
    /* The process ends when this returns. Until the system's timeout expires,
     * the program can clean up and exit by itself. */
    Sleep(INFINITE);
    return TRUE;
  default: /* logging off, shutting down: for services */
    return FALSE;
  }
}

void uv__signal_init_process(void) {
  /* Fails without a console, where no events can occur. */
  (void) SetConsoleCtrlHandler(on_console_event, TRUE);
}

void uv__signal_cleanup(void) {
  (void) SetConsoleCtrlHandler(on_console_event, FALSE);
}

void uv__signal_os_init(uv_signal_t* handle) {
  uv__queue_init(node_of(handle));
  uv__req_init_own(&handle->signal_req, UV_SIGNAL_REQ, handle);
  handle->pending_signum = 0;
}

int uv__signal_os_check(int signum) {
  return signum < 0 || signum >= NSIG ? UV_EINVAL : 0;
}

int uv__signal_os_start(uv_signal_t* handle, int signum, int one_shot) {
  (void) one_shot; /* counted by src/signal.c */
  AcquireSRWLockExclusive(&lock);
  if (handle->signum == 0)
    uv__queue_push_back(&started, node_of(handle));
  handle->signum = signum;
  ReleaseSRWLockExclusive(&lock);

  if (signum == SIGWINCH)
    uv__tty_watch_resize();
  return 0;
}

/* A request that was posted will find the handle stopped. */
void uv__signal_os_stop(uv_signal_t* handle) {
  AcquireSRWLockExclusive(&lock);
  uv__queue_remove(node_of(handle));
  handle->signum = 0;
  ReleaseSRWLockExclusive(&lock);
}

enum uv__close_result uv__signal_close(uv_handle_t* handle) {
  uv_signal_t* signal = (uv_signal_t*) handle;

  (void) uv_signal_stop(signal); /* cannot fail */
  /* Only uv__signal_done() still writes it. */
  return uv__close_when_idle(signal->pending_signum != 0 ? 1 : 0);
}

void uv__signal_done(uv_handle_t* base, uv_req_t* req) {
  uv_signal_t* handle = (uv_signal_t*) base;

  (void) req;
  AcquireSRWLockExclusive(&lock);
  int signum = (int) handle->pending_signum;
  handle->pending_signum = 0;
  int is_awaited = signum == handle->signum;
  ReleaseSRWLockExclusive(&lock);

  if (uv__is_closing(base)) {
    uv__handle_close_later_done(base);
    return;
  }
  if (is_awaited)
    uv__signal_report(handle, signum);
}

/* Signals do not come from other processes. */
int uv__signal_os_number(const char* name) {
  (void) name;
  return UV_ENOSYS;
}

int uv__signal_os_post_start(int signum, uv_sem_t* sem) {
  (void) signum;
  (void) sem;
  return UV_ENOSYS;
}

void uv__signal_os_post_stop(int signum, const uv_sem_t* sem) {
  (void) signum;
  (void) sem;
}
