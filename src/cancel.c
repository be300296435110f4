/* SPDX-License-Identifier: MIT */
/* uv_cancel(): which requests can be cancelled, and how. A type has a row in
 * the table; one whose number is not libuv's needs a test in cancel_of(). */
#include "cancel.h"
#include "fs.h"
#include "os/stream.h"
#include "os/udp.h"
#include "pool/lanes.h"
#include "pool/lookup.h"
#include "request-deadline.h"
#include "stream-reader.h"
#include "work.h"

typedef int cancel_fn(uv_req_t* req);

static int connect_cancel(uv_req_t* req) {
  return uv__stream_os_cancel_connect((uv_connect_t*) req);
}

static int write_cancel(uv_req_t* req) {
  return uv__stream_os_cancel_write((uv_write_t*) req);
}

static int shutdown_cancel(uv_req_t* req) {
  return uv__stream_os_cancel_shutdown((uv_shutdown_t*) req);
}

static int udp_send_cancel(uv_req_t* req) {
  return uv__udp_os_cancel_send((uv_udp_send_t*) req);
}

static int fs_cancel(uv_req_t* req) {
  return uv__fs_cancel((uv_fs_t*) req);
}

static int work_cancel(uv_req_t* req) {
  return uv__work_cancel_user((uv_work_t*) req);
}

static int addr_cancel(uv_req_t* req) {
  return uv__lookup_cancel(&((uv_getaddrinfo_t*) req)->work_req);
}

static int name_cancel(uv_req_t* req) {
  return uv__lookup_cancel(&((uv_getnameinfo_t*) req)->work_req);
}

static int random_cancel(uv_req_t* base) {
  uv_random_t* req = (uv_random_t*) base;
  return uv__work_cancel(req->loop, &req->work_req, &uv__random_kind);
}

/* NULL: such a request cannot be cancelled. */
static cancel_fn* const cancels[UV_REQ_TYPE_MAX] = {
  [UV_CONNECT] = connect_cancel,
  [UV_WRITE] = write_cancel,
  [UV_SHUTDOWN] = shutdown_cancel,
  [UV_UDP_SEND] = udp_send_cancel,
  [UV_FS] = fs_cancel,
  [UV_WORK] = work_cancel,
  [UV_GETADDRINFO] = addr_cancel,
  [UV_GETNAMEINFO] = name_cancel,
  [UV_RANDOM] = random_cancel,
};

static int read_cancel(uv_req_t* req) {
  return uv__reader_cancel((uvx_read_t*) req);
}

static cancel_fn* cancel_of(const uv_req_t* req) {
  if ((int) req->type == UVX_READ)
    return read_cancel;
  if (req->type <= UV_UNKNOWN_REQ || req->type >= UV_REQ_TYPE_MAX)
    return NULL;
  return cancels[req->type];
}

int uv__req_cancel(uv_req_t* req) {
  cancel_fn* cancel = cancel_of(req);
  return cancel == NULL ? UV_EINVAL : cancel(req);
}

/* A shutdown that waits for writes ends with them, as in libuv: cancel those.
 */
int uv_cancel(uv_req_t* req) {
  if (req == NULL || req->type == UV_SHUTDOWN)
    return UV_EINVAL;
  int err = uv__req_cancel(req);
  if (err == 0)
    uv__deadline_drop(req); /* cancelled, not timed out */
  return err;
}
