/* SPDX-License-Identifier: MIT */
/* uvx_deadline(): requests that end after a time.
 *
 * A request with a deadline has its callback exchanged for one of this file,
 * which removes the deadline and calls the program's (T3): a request without
 * one executes nothing of this.
 *
 * When a deadline is due, the internal timer starts the internal check handle
 * and keeps the next poll from sleeping; the check handle cancels what is still
 * under way. So a result that has arrived by then wins, even after a callback
 * that blocked for long. The program's callback gets UV_ETIMEDOUT if the
 * request was cancelled for that reason.
 */
#include "request-deadline.h"
#include "cancel.h"
#include "fs.h"
#include "handle.h"
#include "loop/check.h"
#include "loop/state.h"
#include "os/stream.h"
#include "os/udp.h"
#include "pool/kind.h"
#include "stream-reader.h"
#include "util/alloc.h"

#include <string.h>

#define NS_PER_MS 1000000

/* The deadlines of a loop; made by the first. */
struct uv__deadlines {
  struct uv__deadline_table table;
  uv_timer_t timer;
  uv_check_t check;
  uint64_t timer_ns; /* when the timer is due; UINT64_MAX: it is not started */
  uint64_t late_ns;  /* the check handle cancels what is due by then */
};

/* A type of request. */
struct kind {
  size_t cb_at;          /* offset of its callback */
  uv__any_fn* exchanged; /* its replacement, of this file */
  size_t owner_at;       /* offset of the loop, or of the handle */
  int has_handle;
  int (*is_under_way)(const uv_req_t* req);
};

static const struct kind* kind_of(const uv_req_t* req);

static uv__any_fn* get_cb(const uv_req_t* req, const struct kind* kind) {
  uv__any_fn* cb;

  memcpy(&cb, (const char*) req + kind->cb_at, sizeof(cb));
  return cb;
}

static void set_cb(uv_req_t* req, const struct kind* kind, uv__any_fn* cb) {
  memcpy((char*) req + kind->cb_at, &cb, sizeof(cb));
}

static uv_loop_t* loop_of(const uv_req_t* req, const struct kind* kind) {
  void* owner;

  memcpy(&owner, (const char*) req + kind->owner_at, sizeof(owner));
  return kind->has_handle ? ((uv_handle_t*) owner)->loop : (uv_loop_t*) owner;
}

static struct uv__deadlines* deadlines_of(const uv_loop_t* loop) {
  return uv__loop_state(loop)->deadlines;
}

/* Removes the deadline and restores the request's own callback. */
static void deadline_end(uv_req_t* req,
                         const struct kind* kind,
                         struct uv__deadline* entry) {
  set_cb(req, kind, entry->cb);
  uv__deadline_table_remove(&deadlines_of(loop_of(req, kind))->table, entry);
}

/* The request has ended with `status`. Returns the status for the program. */
static int request_ended(void* request, int status) {
  uv_req_t* req = request;
  const struct kind* kind = kind_of(req);
  struct uv__deadline* entry =
      uv__deadline_table_find(&deadlines_of(loop_of(req, kind))->table, req);
  int is_expired = (int) entry->is_expired;

  deadline_end(req, kind, entry);
  if (is_expired && (status == UV_ECANCELED || status == UV_EAI_CANCELED))
    return UV_ETIMEDOUT;
  return status;
}

/* ---- the callbacks, one for each type ---- */

static void connect_ended(uv_connect_t* req, int status) {
  status = request_ended(req, status);
  if (req->cb != NULL)
    req->cb(req, status);
}

static void write_ended(uv_write_t* req, int status) {
  status = request_ended(req, status);
  if (req->cb != NULL)
    req->cb(req, status);
}

static void shutdown_ended(uv_shutdown_t* req, int status) {
  status = request_ended(req, status);
  if (req->cb != NULL)
    req->cb(req, status);
}

static void udp_send_ended(uv_udp_send_t* req, int status) {
  status = request_ended(req, status);
  if (req->cb != NULL)
    req->cb(req, status);
}

static void work_ended(uv_work_t* req, int status) {
  status = request_ended(req, status);
  if (req->after_work_cb != NULL)
    req->after_work_cb(req, status);
}

static void fs_ended(uv_fs_t* req) {
  int status = request_ended(req, req->result < 0 ? (int) req->result : 0);

  if (status == UV_ETIMEDOUT)
    req->result = status;
  req->cb(req);
}

static void addr_ended(uv_getaddrinfo_t* req,
                       int status,
                       struct addrinfo* res) {
  status = request_ended(req, status);
  req->retcode = status;
  req->cb(req, status, res);
}

static void name_ended(uv_getnameinfo_t* req,
                       int status,
                       const char* host,
                       const char* service) {
  status = request_ended(req, status);
  req->retcode = status;
  req->getnameinfo_cb(req, status, host, service);
}

static void random_ended(uv_random_t* req, int status, void* buf, size_t len) {
  status = request_ended(req, status);
  req->cb(req, status, buf, len);
}

static void read_ended(uvx_read_t* req, ssize_t nread) {
  int result = request_ended(req, (int) nread);
  if (req->cb != NULL)
    req->cb(req, result);
}

/* ---- is it under way? ---- */

static int connect_is_under_way(const uv_req_t* req) {
  return uv__stream_os_is_connecting((const uv_connect_t*) req);
}

static int write_is_under_way(const uv_req_t* req) {
  return uv__stream_os_is_writing((const uv_write_t*) req);
}

static int shutdown_is_under_way(const uv_req_t* req) {
  const uv_shutdown_t* shutdown = (const uv_shutdown_t*) req;
  const uv_stream_t* stream = shutdown->handle;

  return (stream->flags & UV__SHUTTING) && stream->shutdown_req == shutdown;
}

static int udp_send_is_under_way(const uv_req_t* req) {
  return uv__udp_os_is_sending((const uv_udp_send_t*) req);
}

/* The pool clears the kind when it reports the item. Calls without a callback
 * are synchronous, so never under way. */
static int work_is_under_way(const uv_req_t* req) {
  return ((const uv_work_t*) req)->work_req.kind != NULL;
}

static int fs_is_under_way(const uv_req_t* base) {
  uv_fs_t* req = (uv_fs_t*) base;

  return req->cb != NULL &&
         (*uv__fs_off_pool(req) != NULL || req->work_req.kind != NULL);
}

static int addr_is_under_way(const uv_req_t* base) {
  const uv_getaddrinfo_t* req = (const uv_getaddrinfo_t*) base;
  return req->cb != NULL && req->work_req.kind != NULL;
}

static int name_is_under_way(const uv_req_t* base) {
  const uv_getnameinfo_t* req = (const uv_getnameinfo_t*) base;
  return req->getnameinfo_cb != NULL && req->work_req.kind != NULL;
}

static int random_is_under_way(const uv_req_t* req) {
  return ((const uv_random_t*) req)->work_req.kind != NULL;
}

static int read_is_under_way(const uv_req_t* req) {
  return uv__reader_is_pending((const uvx_read_t*) req);
}

#define ON_HANDLE(type, cb, prefix)                                            \
 {                                                                             \
  offsetof(type, cb), (uv__any_fn*) prefix##_ended, offsetof(type, handle), 1, \
      prefix##_is_under_way                                                    \
 }
#define ON_LOOP(type, cb, prefix)                                              \
 {                                                                             \
  offsetof(type, cb), (uv__any_fn*) prefix##_ended, offsetof(type, loop), 0,   \
      prefix##_is_under_way                                                    \
 }

/* A type that can have a deadline has a row here and one in cancel.c. One whose
 * number is not libuv's needs a test in kind_of(). */
static const struct kind kinds[UV_REQ_TYPE_MAX] = {
  [UV_CONNECT] = ON_HANDLE(uv_connect_t, cb, connect),
  [UV_WRITE] = ON_HANDLE(uv_write_t, cb, write),
  [UV_SHUTDOWN] = ON_HANDLE(uv_shutdown_t, cb, shutdown),
  [UV_UDP_SEND] = ON_HANDLE(uv_udp_send_t, cb, udp_send),
  [UV_WORK] = ON_LOOP(uv_work_t, after_work_cb, work),
  [UV_FS] = ON_LOOP(uv_fs_t, cb, fs),
  [UV_GETADDRINFO] = ON_LOOP(uv_getaddrinfo_t, cb, addr),
  [UV_GETNAMEINFO] = ON_LOOP(uv_getnameinfo_t, getnameinfo_cb, name),
  [UV_RANDOM] = ON_LOOP(uv_random_t, cb, random),
};

static const struct kind read_kind = {
  offsetof(uvx_read_t, cb),
  (uv__any_fn*) read_ended,
  offsetof(uvx_read_t, stream),
  1,
  read_is_under_way,
};

/* NULL: it cannot have a deadline. */
static const struct kind* kind_of(const uv_req_t* req) {
  if ((int) req->type == UVX_READ)
    return &read_kind;
  if (req->type <= UV_UNKNOWN_REQ || req->type >= UV_REQ_TYPE_MAX ||
      kinds[req->type].exchanged == NULL)
    return NULL;
  return &kinds[req->type];
}

/* ---- expiry ---- */

/* Cancels the request that is due first. If that is no longer possible, its
 * result is about to be reported. */
static void deadline_expire(struct uv__deadlines* deadlines) {
  struct uv__deadline* entry = uv__deadline_table_first(&deadlines->table);
  uv_req_t* req = (uv_req_t*) (uintptr_t) entry->key;

  entry->is_expired = 1;
  uv__deadline_table_unschedule(&deadlines->table, entry);
  if (uv__req_cancel(req) != 0)
    deadline_end(req, kind_of(req), entry);
}

/* Ends although callbacks may set deadlines: those are due later. */
static void deadlines_expire(uv_check_t* check) {
  struct uv__deadlines* deadlines =
      container_of(check, struct uv__deadlines, check);

  uv_check_stop(check);
  while (uv__deadline_table_due(&deadlines->table) <= deadlines->late_ns)
    deadline_expire(deadlines);
}

static uint64_t after_ms(const uv_loop_t* loop, uint64_t ms) {
  uint64_t now_ns = uv__loop_state(loop)->now_ns;

  /* UINT64_MAX means never. */
  if (ms > (UINT64_MAX - 1 - now_ns) / NS_PER_MS)
    return UINT64_MAX - 1;
  return now_ns + ms * NS_PER_MS;
}

static void timer_fired(uv_timer_t* timer);

/* Starts the timer for the first deadline, rounded up to a millisecond. */
static int timer_restart(struct uv__deadlines* deadlines) {
  uv_loop_t* loop = deadlines->timer.loop;
  uint64_t due_ns = uv__deadline_table_due(&deadlines->table);
  uint64_t now_ns = uv__loop_state(loop)->now_ns;
  uint64_t left_ns = due_ns > now_ns ? due_ns - now_ns : 0;
  uint64_t left_ms = left_ns / NS_PER_MS + (left_ns % NS_PER_MS != 0);

  int err = uv_timer_start(&deadlines->timer, timer_fired, left_ms, 0);
  if (err == 0)
    deadlines->timer_ns = after_ms(loop, left_ms);
  return err;
}

/* The timer has just left the heap, so starting it again needs no memory. */
static void timer_fired(uv_timer_t* timer) {
  struct uv__deadlines* deadlines =
      container_of(timer, struct uv__deadlines, timer);
  uint64_t now_ns = uv__loop_state(timer->loop)->now_ns;

  deadlines->timer_ns = UINT64_MAX;
  if (deadlines->table.heap_count == 0)
    return;
  if (uv__deadline_table_due(&deadlines->table) <= now_ns) {
    deadlines->late_ns = now_ns;
    (void) uv_check_start(&deadlines->check, deadlines_expire); /* valid */
  }
  /* If a deadline is late, the timer is due at once and the next poll does not
   * sleep. */
  (void) timer_restart(deadlines);
}

/* ---- the functions ---- */

static void make_handles(struct uv__deadlines* deadlines, uv_loop_t* loop) {
  uv_timer_init(loop, &deadlines->timer);
  uv_check_init(loop, &deadlines->check);
  uv__handle_make_internal(uv__base(&deadlines->timer));
  uv__handle_make_internal(uv__base(&deadlines->check));
  deadlines->timer_ns = UINT64_MAX;
}

/* NULL: no memory for one more deadline. */
static struct uv__deadlines* deadlines_reserve(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  if (state->deadlines == NULL) {
    struct uv__deadlines* deadlines = uv__calloc(1, sizeof(*deadlines));
    if (deadlines == NULL)
      return NULL;
    make_handles(deadlines, loop);
    state->deadlines = deadlines;
  }
  if (uv__deadline_table_reserve(&state->deadlines->table) != 0)
    return NULL;
  return state->deadlines;
}

static int timer_update(struct uv__deadlines* deadlines, uint64_t due_ns) {
  return due_ns < deadlines->timer_ns ? timer_restart(deadlines) : 0;
}

static int deadline_set(uv_req_t* req,
                        const struct kind* kind,
                        uint64_t timeout_ms) {
  uv_loop_t* loop = loop_of(req, kind);
  struct uv__deadlines* deadlines = deadlines_reserve(loop);
  uint64_t due_ns = after_ms(loop, timeout_ms);

  if (deadlines == NULL)
    return UV_ENOMEM;
  struct uv__deadline* entry =
      uv__deadline_table_add(&deadlines->table, req, due_ns);
  int err = timer_update(deadlines, due_ns);
  if (err != 0) {
    uv__deadline_table_remove(&deadlines->table, entry);
    return err;
  }
  entry->cb = get_cb(req, kind);
  set_cb(req, kind, kind->exchanged);
  return 0;
}

/* Changes or removes the deadline that the request has. */
static int deadline_change(uv_req_t* req,
                           const struct kind* kind,
                           uint64_t timeout_ms) {
  uv_loop_t* loop = loop_of(req, kind);
  struct uv__deadlines* deadlines = deadlines_of(loop);
  struct uv__deadline* entry = uv__deadline_table_find(&deadlines->table, req);

  if (entry->is_expired)
    return UV_ESRCH; /* its callback will get UV_ETIMEDOUT */
  if (timeout_ms == 0) {
    deadline_end(req, kind, entry);
    return 0;
  }
  /* The timer first: it may need memory. */
  uint64_t due_ns = after_ms(loop, timeout_ms);
  uint64_t before_ns = deadlines->table.heap[entry->heap_at - 1].due_ns;
  uv__deadline_table_move(&deadlines->table, entry, due_ns);
  int err = timer_update(deadlines, due_ns);
  if (err != 0)
    uv__deadline_table_move(&deadlines->table, entry, before_ns);
  return err;
}

int uvx_deadline(uv_req_t* req, uint64_t timeout_ms) {
  const struct kind* kind = req == NULL ? NULL : kind_of(req);

  if (kind == NULL)
    return UV_EINVAL;
  if (!kind->is_under_way(req))
    return UV_ESRCH;
  if (get_cb(req, kind) == kind->exchanged)
    return deadline_change(req, kind, timeout_ms);
  return timeout_ms == 0 ? 0 : deadline_set(req, kind, timeout_ms);
}

void uv__deadline_drop(uv_req_t* req) {
  const struct kind* kind = kind_of(req);

  if (kind == NULL || get_cb(req, kind) != kind->exchanged)
    return;
  struct uv__deadline* entry =
      uv__deadline_table_find(&deadlines_of(loop_of(req, kind))->table, req);
  if (!entry->is_expired)
    deadline_end(req, kind, entry);
}

const void* uv__deadline_symbol(const void* request, const void* cb) {
  const uv_req_t* req = request;
  const struct kind* kind = kind_of(req);

  if (kind == NULL || cb != (const void*) (uintptr_t) kind->exchanged)
    return cb;
  return (const void*) (uintptr_t) uv__deadline_table_find(
             &deadlines_of(loop_of(req, kind))->table, req)
      ->cb;
}

void uv__deadline_close_loop(uv_loop_t* loop) {
  struct uv__deadlines* deadlines = deadlines_of(loop);

  if (deadlines == NULL)
    return;
  uv_timer_stop(&deadlines->timer);
  uv_check_stop(&deadlines->check);
  uv__handle_discard(uv__base(&deadlines->timer));
  uv__handle_discard(uv__base(&deadlines->check));
  uv__deadline_table_close(&deadlines->table);
  uv__free(deadlines);
  uv__loop_state(loop)->deadlines = NULL;
}
