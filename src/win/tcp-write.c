/* SPDX-License-Identifier: MIT */
/* Writing to a connection, and shutting it down.
 *
 * A write is attempted at once, which usually completes it. What the system
 * does not accept is submitted as an overlapped send and completes through the
 * port. At most one write is in the kernel at a time; the others are queued
 * here, as are writes before the connection is established. Callbacks therefore
 * run in order even for cancelled writes (the system cancels in any order). A
 * queued write has a copy of its buffer array (write_buffer).
 *
 * A system call gets at most BUFS_MAX buffers. If a longer array has to be
 * submitted, what follows the first buffers is copied into one block
 * (write_buffer again), because a request can be submitted only once.
 *
 * req->coalesced holds WRITE_*; req->u.io.queued_bytes, the bytes left to
 * write.
 */
#include "util/alloc.h"
#include "win/tcp.h"

#include <string.h>

enum {
  WRITE_ENDED = 1 << 0,    /* the result is known; only the callback is due */
  WRITE_WAITS = 1 << 1,    /* in our queue */
  WRITE_CANCELED = 1 << 2, /* uv_cancel() returned success */
  WRITE_MERGED = 1 << 3    /* write_buffer is a block of data that we own */
};

/* Partly written arrays up to this length need no allocation. */
#define FEW_BUFS 16

/* Windows documents no limit, but locks the memory of every buffer; systems
 * underneath it (Wine on Linux, UIO_MAXIOV) refuse more. */
#define BUFS_MAX 1024

static struct uv__event_req places_of(uv_write_t* req) {
  struct uv__event_req places = { &req->event_handle, &req->wait_handle };
  return places;
}

static size_t total_size(const uv_buf_t bufs[], unsigned int nbufs) {
  size_t size = 0;
  for (unsigned int i = 0; i < nbufs; i++)
    size += bufs[i].len;
  return size;
}

/* Counts `bytes` as written. */
static void write_progress(uv_tcp_t* tcp, uv_write_t* req, size_t bytes) {
  assert(bytes <= req->u.io.queued_bytes);
  req->u.io.queued_bytes -= bytes;
  req->write_extra.nwritten += bytes;
  tcp->write_queue_size -= bytes;
}

/* Pends a request that already holds its result. */
static void write_end_later(uv_tcp_t* tcp, uv_write_t* req) {
  req->coalesced |= WRITE_ENDED;
  uv__req_pend(tcp->loop, req);
}

/* The write failed inside the call: nothing of it is queued, as in libuv. */
static void fail_later(uv_tcp_t* tcp, uv_write_t* req, DWORD sys_error) {
  tcp->write_queue_size -= req->u.io.queued_bytes;
  req->u.io.queued_bytes = 0;
  uv__req_overlapped(req);
  uv__req_set_error(req, sys_error);
  write_end_later(tcp, req);
}

/* Returns the bytes accepted, or the negated Winsock error. */
static ssize_t send_now(SOCKET sock,
                        const uv_buf_t bufs[],
                        unsigned int nbufs) {
  DWORD sent = 0;

  if (WSASend(sock, (WSABUF*) bufs, nbufs, &sent, 0, NULL, NULL) == 0)
    return (ssize_t) sent;
  return -(ssize_t) WSAGetLastError();
}

/* Sends any number of buffers, as far as possible without waiting. An error
 * after the first bytes is left for the next call to find. */
static ssize_t send_all_now(SOCKET sock,
                            const uv_buf_t bufs[],
                            unsigned int nbufs) {
  size_t sent = 0;

  while (nbufs > 0) {
    unsigned int count = nbufs < BUFS_MAX ? nbufs : BUFS_MAX;
    ssize_t n = send_now(sock, bufs, count);
    if (n < 0)
      return sent > 0 ? (ssize_t) sent : n;
    sent += (size_t) n;
    if ((size_t) n < total_size(bufs, count))
      break;
    bufs += count;
    nbufs -= count;
  }
  return (ssize_t) sent;
}

static void write_submit(uv_tcp_t* tcp,
                         uv_write_t* req,
                         const uv_buf_t bufs[],
                         unsigned int nbufs) {
  OVERLAPPED* overlapped;
  int pending = 0;

  if (uv__tcp_overlapped(tcp, req, places_of(req), &overlapped) != 0) {
    fail_later(tcp, req, ERROR_OUTOFMEMORY);
    return;
  }
  if (WSASend(tcp->socket, (WSABUF*) bufs, nbufs, NULL, 0, overlapped, NULL) !=
      0) {
    DWORD sys_error = (DWORD) WSAGetLastError();
    if (sys_error != WSA_IO_PENDING) {
      fail_later(tcp, req, sys_error);
      return;
    }
    pending = 1;
  }

  if (!pending)
    write_progress(tcp, req, req->u.io.queued_bytes);
  if (!pending && (tcp->flags & (UV__SKIP_PORT | UV__TCP_NO_PORT))) {
    write_end_later(tcp, req);
    return;
  }
  uv__tcp_sends(tcp)->in_kernel++;
  uv__tcp_submitted(tcp, req, pending, places_of(req));
}

/* Copies all of `bufs` into one block that the request owns: 0 or UV_ENOMEM. */
static int write_merge(uv_write_t* req,
                       const uv_buf_t bufs[],
                       unsigned int nbufs,
                       uv_buf_t* out) {
  size_t size = total_size(bufs, nbufs);
  char* block = size > UINT32_MAX ? NULL : uv__malloc(size + 1); /* never 0 */
  char* at = block;

  if (block == NULL)
    return UV_ENOMEM;
  for (unsigned int i = 0; i < nbufs; i++) {
    memcpy(at, bufs[i].base, bufs[i].len);
    at += bufs[i].len;
  }
  *out = uv_buf_init(block, (unsigned int) size);
  req->write_buffer = *out;
  req->coalesced |= WRITE_MERGED;
  return 0;
}

/* Submits what is left after the first `skip` bytes. The provider copies the
 * array during the call. */
static void write_submit_rest(uv_tcp_t* tcp,
                              uv_write_t* req,
                              const uv_buf_t bufs[],
                              unsigned int nbufs,
                              size_t skip) {
  uv_buf_t few[FEW_BUFS];
  uv_buf_t* rest = few;

  for (; nbufs > 1 && skip >= bufs->len; nbufs--)
    skip -= (bufs++)->len;
  if (skip == 0 && nbufs <= BUFS_MAX) {
    write_submit(tcp, req, bufs, nbufs);
    return;
  }

  unsigned int count = nbufs < BUFS_MAX ? nbufs : BUFS_MAX;
  if (count > FEW_BUFS)
    rest = uv__malloc_array(count, sizeof(*rest));
  if (rest == NULL) {
    fail_later(tcp, req, ERROR_OUTOFMEMORY);
    return;
  }
  memcpy(rest, bufs, count * sizeof(*rest));
  rest[0].base += skip;
  rest[0].len -= (ULONG) skip;
  int err = 0;
  if (nbufs > count)
    err =
        write_merge(req, bufs + count - 1, nbufs - count + 1, &rest[count - 1]);
  if (err == 0)
    write_submit(tcp, req, rest, count);
  else
    fail_later(tcp, req, ERROR_OUTOFMEMORY);
  if (rest != few)
    uv__free(rest);
}

/* Starts a write that has no other ahead of it. */
static void write_begin(uv_tcp_t* tcp,
                        uv_write_t* req,
                        const uv_buf_t bufs[],
                        unsigned int nbufs) {
  size_t total = req->u.io.queued_bytes;

  /* The byte count on completion is a DWORD. */
  if (total > INT32_MAX) {
    write_submit_rest(tcp, req, bufs, nbufs, 0);
    return;
  }
  /* WSAENOBUFS concerns the attempt, not the connection: a non-blocking send
   * needs kernel memory for all of the data, an overlapped one does not. Wine
   * never returns it. https://learn.microsoft.com/windows/win32/api/winsock2/
   * nf-winsock2-wsasend */
  ssize_t n = send_all_now(tcp->socket, bufs, nbufs);
  if (n < 0 && n != -WSAEWOULDBLOCK && n != -WSAENOBUFS) {
    fail_later(tcp, req, (DWORD) -n);
    return;
  }
  if (n > 0)
    write_progress(tcp, req, (size_t) n);
  if (n >= 0 && (size_t) n == total) {
    uv__req_overlapped(req); /* success */
    write_end_later(tcp, req);
    return;
  }
  write_submit_rest(tcp, req, bufs, nbufs, n < 0 ? 0 : (size_t) n);
}

/* ---- queued writes ---- */

static int must_wait(uv_tcp_t* tcp) {
  const struct uv__tcp_sends* sends = uv__tcp_sends(tcp);

  return (tcp->flags & UV__TCP_CONNECTING) || sends->in_kernel > 0 ||
         sends->last != NULL;
}

/* Copies the array of buffers: 0 or UV_ENOMEM. */
static int keep_bufs(uv_write_t* req,
                     const uv_buf_t bufs[],
                     unsigned int nbufs) {
  uv_buf_t* copy = uv__malloc_array(nbufs, sizeof(*copy));

  if (copy == NULL)
    return UV_ENOMEM;
  memcpy(copy, bufs, nbufs * sizeof(*copy));
  req->write_buffer.base = (char*) copy;
  req->write_buffer.len = nbufs;
  return 0;
}

static void append_queued(uv_tcp_t* tcp, uv_write_t* write) {
  struct uv__tcp_sends* sends = uv__tcp_sends(tcp);
  uv_req_t* req = uv__req_base(write);

  write->coalesced |= WRITE_WAITS;
  req->next_req = sends->last == NULL ? req : sends->last->next_req;
  if (sends->last != NULL)
    sends->last->next_req = req;
  sends->last = req;
}

/* Removes the write after `before` from the queue. */
static uv_write_t* unlink_after(uv_tcp_t* tcp, uv_req_t* before) {
  struct uv__tcp_sends* sends = uv__tcp_sends(tcp);
  uv_req_t* req = before->next_req;

  before->next_req = req->next_req;
  if (req == before)
    sends->last = NULL;
  else if (req == sends->last)
    sends->last = before;
  ((uv_write_t*) req)->coalesced &= ~WRITE_WAITS;
  return (uv_write_t*) req;
}

static void cancel_queued(uv_tcp_t* tcp, uv_req_t* before) {
  uv_write_t* req = unlink_after(tcp, before);

  uv__free(req->write_buffer.base);
  uv__req_overlapped(req);
  uv__req_set_error(req, ERROR_OPERATION_ABORTED);
  req->coalesced |= WRITE_ENDED;
  uv__req_pend(tcp->loop, req);
}

void uv__tcp_write_drop(uv_tcp_t* tcp) {
  struct uv__tcp_sends* sends = uv__tcp_sends(tcp);

  /* A write in the kernel comes first; its completion calls this again. */
  while (sends->last != NULL && sends->in_kernel == 0)
    cancel_queued(tcp, uv__tcp_sends(tcp)->last);
}

void uv__tcp_write_flush(uv_tcp_t* tcp) {
  struct uv__tcp_sends* sends = uv__tcp_sends(tcp);

  /* The completion of a write in the kernel calls this again. */
  while (sends->last != NULL && sends->in_kernel == 0) {
    uv_write_t* req = unlink_after(tcp, sends->last);
    uv_buf_t* bufs = (uv_buf_t*) (void*) req->write_buffer.base;
    write_begin(tcp, req, bufs, req->write_buffer.len);
    uv__free(bufs);
  }
}

/* ---- operations ---- */

int uv__tcp_write(uv_write_t* req,
                  uv_stream_t* stream,
                  const uv_buf_t bufs[],
                  unsigned int nbufs,
                  uv_stream_t* send_handle) {
  uv_tcp_t* tcp = (uv_tcp_t*) stream;
  int waits = must_wait(tcp);

  if (waits) {
    int err = keep_bufs(req, bufs, nbufs);
    if (err != 0)
      return err;
  }
  uv__stream_write_begin(stream, req, total_size(bufs, nbufs), send_handle);
  req->coalesced = 0;
  req->event_handle = NULL;
  req->wait_handle = NULL;
  if (waits)
    append_queued(tcp, req);
  else
    write_begin(tcp, req, bufs, nbufs);
  return 0;
}

int uv__tcp_try_write(uv_stream_t* stream,
                      const uv_buf_t bufs[],
                      unsigned int nbufs,
                      uv_stream_t* send_handle) {
  uv_tcp_t* tcp = (uv_tcp_t*) stream;
  const struct uv__tcp_sends* sends = uv__tcp_sends(tcp);

  (void) send_handle; /* NULL: can_send() refuses others */
  if (tcp->flags & UV__TCP_CONNECTING)
    return UV_EAGAIN;
  if (sends->in_kernel > 0 || sends->last != NULL)
    return UV_EAGAIN;
  /* Callbacks are due: keep the order, as libuv does on Windows. */
  if (stream->write_reqs_pending > 0)
    return UV_EAGAIN;

  /* A short count is a valid result, so the first buffers suffice. */
  size_t total = 0;
  unsigned int n = 0;
  while (n < nbufs && total + bufs[n].len <= INT32_MAX)
    total += bufs[n++].len;
  uv_buf_t first = uv_buf_init(bufs[0].base, INT32_MAX);
  ssize_t sent = n == 0 ? send_now(tcp->socket, &first, 1)
                        : send_all_now(tcp->socket, bufs, n);
  if (sent == -WSAENOBUFS)
    return UV_EAGAIN;
  return sent < 0 ? uv_translate_sys_error((int) -sent) : (int) sent;
}

int uv__tcp_cancel_write(uv_write_t* req) {
  uv_tcp_t* tcp = (uv_tcp_t*) req->handle;

  if (req->coalesced & WRITE_ENDED)
    return UV_EBUSY;
  if (req->coalesced & WRITE_WAITS) {
    uv_req_t* before = uv__tcp_sends(tcp)->last;
    while (before->next_req != uv__req_base(req))
      before = before->next_req;
    cancel_queued(tcp, before);
    return 0;
  }
  if (!CancelIoEx((HANDLE) tcp->socket, &req->u.io.overlapped))
    return UV_EBUSY; /* completed, and its callback is due */
  req->coalesced |= WRITE_CANCELED;
  return 0;
}

/* Accounts for the bytes of a write that has left the kernel. */
static void write_account(uv_tcp_t* tcp, uv_write_t* req) {
  size_t left = req->u.io.queued_bytes;

  uv__tcp_sends(tcp)->in_kernel--;
  write_progress(
      tcp, req,
      uv__req_succeeded(req) ? left : uv__min_size(left, uv__req_bytes(req)));
}

static int write_result(const uv_tcp_t* tcp, const uv_write_t* req) {
  if (req->coalesced & WRITE_CANCELED)
    return UV_ECANCELED;
  if (uv__req_succeeded(req))
    return 0;
  /* An error that was known before the close stays. */
  if ((tcp->flags & UV__CLOSING) && !(req->coalesced & WRITE_ENDED))
    return UV_ECANCELED;
  int err = uv__req_sock_error(req);
  /* The system dropped the connection, or another process that shares the
   * socket did. */
  return err == UV_ECONNABORTED ? UV_ECANCELED : err;
}

void uv__tcp_write_done(uv_handle_t* handle, uv_req_t* base) {
  uv_tcp_t* tcp = (uv_tcp_t*) handle;
  uv_write_t* req = (uv_write_t*) base;

  /* Also a send that completed or failed inside the call has an event. */
  uv__event_req_end(places_of(req));
  if (!(req->coalesced & WRITE_ENDED))
    write_account(tcp, req);
  if (uv__is_closing(handle))
    uv__tcp_write_drop(tcp);
  else if (!(tcp->flags & UV__TCP_CONNECTING))
    uv__tcp_write_flush(tcp);
  if (req->coalesced & WRITE_MERGED)
    uv__free(req->write_buffer.base);
  uv__stream_write_report((uv_stream_t*) tcp, req, write_result(tcp, req));
}

/* The request holds the result and counts. */
static void end_writing(uv_stream_t* stream, uv_shutdown_t* req) {
  uv__req_overlapped(req); /* success */
  if (shutdown(((uv_tcp_t*) stream)->socket, SD_SEND) != 0)
    uv__req_set_error(req, (DWORD) WSAGetLastError());
  stream->reqs_pending++;
}

void uv__tcp_shutdown(uv_stream_t* stream, uv_shutdown_t* req) {
  if ((stream->flags & UV__TCP_CONNECTING) || stream->write_reqs_pending > 0)
    return; /* the last completion calls again */

  end_writing(stream, req);
  uv__req_pend(stream->loop, req);
}

void uv__tcp_shutdown_done(uv_handle_t* handle, uv_req_t* req) {
  uv_stream_t* stream = (uv_stream_t*) handle;
  int err = uv__is_closing(handle) ? UV_ECANCELED : uv__req_sock_error(req);

  uv__stream_shutdown_end(stream, err);
  uv__req_finished(stream, &stream->reqs_pending);
}

/* In the same iteration as the callback of the last write, as in libuv. */
void uv__tcp_shutdown_after_write(uv_stream_t* stream, uv_shutdown_t* req) {
  if (stream->flags & UV__TCP_CONNECTING)
    return; /* see uv__tcp_shutdown() */

  end_writing(stream, req);
  uv__tcp_shutdown_done(uv__base(stream), uv__req_base(req));
}
