/* SPDX-License-Identifier: MIT */
/* How a completed operation reaches the code that waits for it.
 *
 *   kernel, or uv__req_post() on another thread
 *     -> poller-iocp.c reports UV__EVENT_REQ, found from the OVERLAPPED
 *     -> dispatch.c appends it to the loop's pending list (uv__req_pend)
 *     -> the pending phase runs its handler from the table in dispatch.c, by
 *        request type and, for streams, handle type
 *
 * An operation that completes inside the call enters at uv__req_pend(): no
 * callback runs inside an API call.
 *
 * R1  From submission until its handler runs, a request is with the system, in
 *     the port or on the pending list, in exactly one of them. Until then
 *     neither the request nor its handle may be freed or reused.
 * R2  A handle counts its outstanding requests (reqs_pending or the type's own
 *     counter): up when submitted or pended, down by uv__req_finished(), the
 *     last thing the handler does, after the user's callback. Requests that the
 *     kernel refused at once and that are not pended are not counted.
 * R3  close() cancels outstanding requests (by closing the OS handle or with
 *     CancelIoEx) and returns uv__close_when_idle(). Handlers of a closing
 *     handle still run: they report UV_ECANCELED to the user's requests, submit
 *     nothing new and end with uv__req_finished(), which allows close_cb.
 * R4  The result of a request is in its OVERLAPPED: a status in Internal, bytes
 *     in InternalHigh. We store our own results there with uv__req_set_*.
 */
#ifndef UV_WIN_OVERLAPPED_H_
#define UV_WIN_OVERLAPPED_H_

#include "handle.h"
#include "req.h"
#include "win/error.h"
#include "win/winapi.h"

/* Handles a completed request. `handle` is its handle, of the type for which
 * the table names the function. Context: pending phase. */
typedef void uv__req_fn(uv_handle_t* handle, uv_req_t* req);

/* The base of any request type; `r` is a pointer to a request. */
#define uv__req_base(r) ((uv_req_t*) (r))

/* Initialises a request that is part of a handle: UV_READ, UV_ACCEPT,
 * UV_UDP_RECV, UV_POLL_REQ, UV_FS_EVENT_REQ, UV_PROCESS_EXIT, UV_SIGNAL_REQ.
 * They find their handle through req->data. */
static inline void uv__req_init_own(void* request,
                                    uv_req_type type,
                                    void* handle) {
  uv_req_t* req = (uv_req_t*) request;
  req->type = type;
  req->data = handle;
  req->next_req = NULL;
}

/* The request's OVERLAPPED, zeroed for the next operation; hEvent may be set
 * afterwards. */
static inline OVERLAPPED* uv__req_overlapped(void* request) {
  uv_req_t* req = (uv_req_t*) request;
  OVERLAPPED* overlapped = &req->u.io.overlapped;

  *overlapped = (OVERLAPPED) { 0 };
  return overlapped;
}

static inline uv_req_t* uv__req_of(OVERLAPPED* overlapped) {
  return container_of(overlapped, uv_req_t, u.io.overlapped);
}

/* ---- results (R4) ---- */

/* Success with `bytes` transferred. */
static inline void uv__req_set_bytes(void* request, size_t bytes) {
  uv_req_t* req = (uv_req_t*) request;
  req->u.io.overlapped.Internal = 0;
  req->u.io.overlapped.InternalHigh = bytes;
}

/* Failure with a Win32 or Winsock error; 0 is success without bytes. */
static inline void uv__req_set_error(void* request, DWORD sys_error) {
  uv_req_t* req = (uv_req_t*) request;
  /* Like NTSTATUS_FROM_WIN32: severity error, facility NTWIN32. */
  uint32_t status = sys_error == 0 ? 0 : 0xC0070000u | (sys_error & 0xFFFF);
  req->u.io.overlapped.Internal = status;
  req->u.io.overlapped.InternalHigh = 0;
}

static inline LONG uv__req_status(const void* request) {
  return (LONG) ((const uv_req_t*) request)->u.io.overlapped.Internal;
}

/* Warnings (buffer overflow: part of a message was read) are failures. */
static inline int uv__req_succeeded(const void* request) {
  return uv__req_status(request) >= 0;
}

static inline size_t uv__req_bytes(const void* request) {
  return (size_t) ((const uv_req_t*) request)->u.io.overlapped.InternalHigh;
}

/* The Win32 error the request ended with, 0 for success. */
static inline DWORD uv__req_win32_error(const void* request) {
  return uv__status_to_win32(uv__req_status(request));
}

/* 0 or UV_E*; the second form for operations on sockets. */
static inline int uv__req_error(const void* request) {
  return uv__status_error(uv__req_status(request));
}

static inline int uv__req_sock_error(const void* request) {
  return uv__status_sock_error(uv__req_status(request));
}

/* A user's request whose callback has begun is marked, so that one which is
 * under way can be told from it. The next operation removes the mark. */
#define UV__STATUS_REPORTED 0xE5000001u

static inline void uv__req_set_reported(void* request) {
  ((uv_req_t*) request)->u.io.overlapped.Internal = UV__STATUS_REPORTED;
}

static inline int uv__req_is_reported(const void* request) {
  return (uint32_t) uv__req_status(request) == UV__STATUS_REPORTED;
}

/* Cancels the operation of a request: 0 if it will end, or has ended, as
 * cancelled; UV_EBUSY otherwise. */
static inline int uv__req_cancel_io(HANDLE file, void* request) {
  uv_req_t* req = (uv_req_t*) request;

  if (HasOverlappedIoCompleted(&req->u.io.overlapped))
    return uv__req_status(req) == UV__STATUS_CANCELLED ? 0 : UV_EBUSY;
  return CancelIoEx(file, &req->u.io.overlapped) ? 0 : UV_EBUSY;
}

/* ---- delivery (dispatch.c) ---- */

/* Appends a completed request to the pending list. It must not be in the
 * port. */
void uv__req_pend(uv_loop_t* loop, void* request);

/* Passes a completed request to the loop through the port. Cannot fail: waits
 * until the system has the memory for it. The handle waits for the request, so
 * the loop cannot go away meanwhile; afterwards it can. Context: any. */
void uv__req_post(uv_loop_t* loop, void* request);

/* ---- handles and their requests (R2, R3) ---- */

/* What close() returns: done if nothing is outstanding, else later. */
static inline enum uv__close_result uv__close_when_idle(
    unsigned int under_way) {
  return under_way == 0 ? UV__CLOSE_DONE : UV__CLOSE_LATER;
}

/* A handler has finished one of the handle's requests. Call it last. */
static inline void uv__req_finished(void* handle, unsigned int* under_way) {
  uv_handle_t* base = (uv_handle_t*) handle;

  assert(*under_way > 0);
  if (--*under_way == 0 && (base->flags & UV__CLOSING))
    uv__handle_close_later_done(base);
}

/* Streams and UDP handles are active during a listen, a read, or a request
 * of the user. `count` is the handle's activecnt. After close() it only
 * decreases. */
static inline void uv__activity_begin(void* handle, int* count) {
  if ((*count)++ == 0)
    uv__handle_start((uv_handle_t*) handle);
}

static inline void uv__activity_end(void* handle, int* count) {
  assert(*count > 0);
  if (--*count == 0)
    uv__handle_stop((uv_handle_t*) handle);
}

#endif /* UV_WIN_OVERLAPPED_H_ */
