/* SPDX-License-Identifier: MIT */
/* See event-req.h. */
#include "win/event-req.h"
#include "win/error.h"

/* Setting the low bit prevents a packet; see GetQueuedCompletionStatus(). */
#define NO_PORT_BIT ((uintptr_t) 1)

int uv__event_req_prepare(struct uv__event_req places, OVERLAPPED* overlapped) {
  if (*places.event == NULL) {
    *places.event = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (*places.event == NULL)
      return uv__last_error();
  }
  ResetEvent(*places.event);
  overlapped->hEvent = (HANDLE) ((uintptr_t) *places.event | NO_PORT_BIT);
  return 0;
}

/* All of these requests belong to streams. */
static uv_loop_t* loop_of(const uv_req_t* req) {
  const uv_stream_t* stream;

  if (req->type == UV_WRITE)
    stream = ((const uv_write_t*) req)->handle;
  else if (req->type == UV_CONNECT)
    stream = ((const uv_connect_t*) req)->handle;
  else
    stream = req->data;
  return stream->loop;
}

/* Context: system thread pool. The request must not be touched after
 * posting. */
static void CALLBACK post_to_loop(void* arg, BOOLEAN timed_out) {
  uv_req_t* req = arg;
  uv_loop_t* loop = loop_of(req);

  (void) timed_out; /* the wait has no timeout */
  uv__req_post(loop, req);
}

void uv__event_req_wait(struct uv__event_req places,
                        uv_handle_t* handle,
                        void* request,
                        SOCKET sock) {
  uv_req_t* req = request;
  OVERLAPPED* overlapped = &req->u.io.overlapped;
  DWORD bytes;
  DWORD flags;

  if (RegisterWaitForSingleObject(places.wait, *places.event, post_to_loop, req,
                                  INFINITE,
                                  WT_EXECUTEINWAITTHREAD | WT_EXECUTEONLYONCE))
    return;

  *places.wait = NULL;
  CancelIoEx((HANDLE) sock, overlapped);
  /* Fails if it was cancelled in time; the status says so too. */
  (void) WSAGetOverlappedResult(sock, overlapped, &bytes, TRUE, &flags);
  uv__req_pend(handle->loop, req);
}

void uv__event_req_end(struct uv__event_req places) {
  /* The callback has run, or there was none: nothing to wait for. */
  if (*places.wait != NULL)
    UnregisterWait(*places.wait);
  if (*places.event != NULL)
    CloseHandle(*places.event);
  *places.wait = NULL;
  *places.event = NULL;
}
