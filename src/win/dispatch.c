/* SPDX-License-Identifier: MIT */
/* Delivers completed requests to their modules: the pending list and a table of
 * handlers. win/overlapped.h describes the path of a request.
 */
#include "loop/loop.h"
#include "os/loop.h"
#include "pool/done.h"
#include "win/async.h"
#include "win/fs.h"
#include "win/loop.h"
#include "win/overlapped.h"
#include "win/pipe.h"
#include "win/poll-handle.h"
#include "win/process.h"
#include "win/signal.h"
#include "win/tcp.h"
#include "win/tty.h"
#include "win/udp.h"

/* Columns of the table, for streams. Other handles use the first. */
enum side { SIDE_TCP, SIDE_PIPE, SIDE_TTY, SIDE_MAX };

struct route {
  size_t handle_at;           /* offset of the request's handle */
  uv__req_fn* done[SIDE_MAX]; /* NULL: no such request */
};

#define OF_USER(type) offsetof(type, handle)
#define OF_HANDLE offsetof(uv_req_t, data)

static const struct route routes[UV_REQ_TYPE_MAX] = {
  [UV_CONNECT] = { OF_USER(uv_connect_t),
                   { uv__tcp_connect_done, uv__pipe_connect_done, NULL } },
  [UV_WRITE] = { OF_USER(uv_write_t),
                 { uv__tcp_write_done, uv__pipe_write_done,
                   uv__tty_write_done } },
  [UV_SHUTDOWN] = { OF_USER(uv_shutdown_t),
                    { uv__tcp_shutdown_done, uv__pipe_shutdown_done,
                      uv__tty_shutdown_done } },
  [UV_ACCEPT] = { OF_HANDLE,
                  { uv__tcp_accept_done, uv__pipe_accept_done, NULL } },
  [UV_READ] = { OF_HANDLE,
                { uv__tcp_read_done, uv__pipe_read_done, uv__tty_read_done } },
  [UV_UDP_SEND] = { OF_USER(uv_udp_send_t), { uv__udp_send_done } },
  [UV_UDP_RECV] = { OF_HANDLE, { uv__udp_recv_done } },
  [UV_POLL_REQ] = { OF_HANDLE, { uv__poll_handle_done } },
  [UV_FS_EVENT_REQ] = { OF_HANDLE, { uv__fs_event_done } },
  [UV_PROCESS_EXIT] = { OF_HANDLE, { uv__process_exit_done } },
  [UV_SIGNAL_REQ] = { OF_HANDLE, { uv__signal_done } },
  [UV_WAKEUP] = { OF_HANDLE, { uv__async_done } },
};

static const unsigned char sides[UV_HANDLE_TYPE_MAX] = {
  [UV_TCP] = SIDE_TCP,
  [UV_NAMED_PIPE] = SIDE_PIPE,
  [UV_TTY] = SIDE_TTY,
};

static void run_req(uv_req_t* req) {
  const struct route* route = &routes[req->type];
  char* at = (char*) req + route->handle_at;
  uv_handle_t* handle = *(uv_handle_t**) (void*) at;

  route->done[sides[handle->type]](handle, req);
}

/* Finished work, then posts. */
static void run_work(uv_loop_t* loop) {
  uv__loop_os(loop)->is_work_pending = 0;
  int work = uv__work_run_done(loop);
  if (uv__post_is_due(loop))
    (void) uv__post_run(loop); /* counted as the wake-up */
  /* The wake-up itself was counted as one event. */
  if (work > 1)
    uv__counters_add(loop, work - 1, uv__loop_state(loop)->batch.was_waiting);
}

void uv__req_pend(uv_loop_t* loop, void* request) {
  uv_req_t* req = request;
  uv_req_t* last = loop->pending_reqs_tail;

  if (last == NULL) {
    req->next_req = req;
  } else {
    req->next_req = last->next_req;
    last->next_req = req;
  }
  loop->pending_reqs_tail = req;
  uv__loop_state(loop)->may_have_pending = 1;
  uv__loop_changed(loop);
}

void uv__req_post(uv_loop_t* loop, void* request) {
  uv__loop_state(loop)->poller->post(loop, request);
}

int uv__loop_os_has_pending(const uv_loop_t* loop) {
  return loop->pending_reqs_tail != NULL;
}

void uv__loop_os_run_pending(uv_loop_t* loop) {
  uv_req_t* last = loop->pending_reqs_tail;
  if (last == NULL)
    return;

  /* Detach the list: what handlers pend meanwhile is for the next iteration. */
  uv_req_t* req = last->next_req;
  last->next_req = NULL;
  loop->pending_reqs_tail = NULL;
  uv__loop_state(loop)->may_have_pending = 0;

  while (req != NULL) {
    /* Read it first: the handler may pend or free the request. */
    uv_req_t* next = req->next_req;
    if (req == &uv__loop_os(loop)->work_req)
      run_work(loop);
    else
      run_req(req);
    req = next;
  }
}

/* Queues the callbacks of finished work and of posts behind the requests that
 * completed before them. */
static int dispatch_wake(uv_loop_t* loop) {
  struct uv__loop_os* os = uv__loop_os(loop);

  if (os->is_work_pending ||
      !(uv__work_has_done(loop) || uv__post_is_due(loop)))
    return 0;
  os->is_work_pending = 1;
  uv__req_pend(loop, &os->work_req);
  return 1;
}

int uv__loop_os_dispatch(uv_loop_t* loop, const struct uv__event* event) {
  switch ((enum uv__event_kind) event->kind) {
  case UV__EVENT_REQ:
    /* Not of this process: an address that means nothing here. */
    if (event->bits != 0 &&
        !uv__pipe_expects(loop, event->bits, (void*) event->key))
      return 0;
    uv__req_pend(loop, (void*) event->key);
    return 1;
  case UV__EVENT_WAKE:
    return dispatch_wake(loop);
  case UV__EVENT_IO:
  case UV__EVENT_CHILD:
    break; /* never reported by the port */
  }
  return 0;
}

int uv__loop_os_dispatch_signals(uv_loop_t* loop) {
  (void) loop;
  return 0; /* signals are requests */
}
