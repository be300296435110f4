/* SPDX-License-Identifier: MIT */
/* Observed callbacks: begin a span, call, end the span.
 *
 * Everything recorded about a handle or request is read before the call: the
 * callback may free it.
 */
#include "observe/callback.h"
#include "handle.h"
#include "observe/metrics/metrics.h"
#include "observe/span.h"
#include "request-deadline.h"
#include "stream-reader.h"

#include <string.h>

/* The address of a function, to be looked up. */
#define ADDRESS(function) ((const void*) (uintptr_t) (function))

/* Its fd, -1 if it has none. */
static int32_t handle_fd(const uv_handle_t* handle) {
  uv_os_fd_t fd;

  return uv_fileno(handle, &fd) == 0 ? (int32_t) (intptr_t) fd : -1;
}

/* The library's own handles are called, but not shown as the program's. */
static int is_internal(const void* handle) {
  return (((const uv_handle_t*) handle)->flags & UV__INTERNAL) != 0;
}

static void span_fill(struct uv__span* span,
                      const uv_loop_t* loop,
                      enum uv__call call,
                      const void* object,
                      unsigned type,
                      const void* symbol) {
  struct uv__record* record = &span->record;

  record->kind = UV__RECORD_CALLBACK;
  record->call = (uint8_t) call;
  record->type = (uint8_t) type;
  record->op = 0;
  record->loop = loop;
  record->object = object;
  record->symbol = symbol;
  record->value = 0;
  record->detail = -1;
  span->about.count = 0;
}

/* The other end, if the handle is connected by TCP. */
static void span_name_peer(struct uv__span* span, const uv_stream_t* stream) {
  if (uv__span_wants_details() && stream->type == UV_TCP)
    uv__about_set_peer(&span->about, uv__observe_thread_self(),
                       span->record.object, (const uv_tcp_t*) stream);
}

static void span_name_address(struct uv__span* span,
                              const struct sockaddr* addr) {
  if (uv__span_wants_details())
    uv__about_set_addr(&span->about, span->record.object, addr);
}

/* What was remembered as the request was made. */
static void span_recall(struct uv__span* span) {
  if (uv__span_wants_details())
    uv__about_recall(&span->about, uv__observe_thread_self(),
                     span->record.object);
}

static void span_begin_handle(struct uv__span* span,
                              const void* handle,
                              enum uv__call call,
                              const void* symbol) {
  const uv_handle_t* base = handle;

  span_fill(span, base->loop, call, base, (unsigned) base->type, symbol);
  uv__span_begin(span);
}

/* For handles with an fd; `value` is bytes or a status. */
static void span_begin_io(struct uv__span* span,
                          const void* handle,
                          enum uv__call call,
                          const void* symbol,
                          int64_t value) {
  const uv_handle_t* base = handle;

  span_fill(span, base->loop, call, base, (unsigned) base->type, symbol);
  span->record.value = value;
  if (uv__span_wants_fd())
    span->record.detail = handle_fd(handle);
  uv__span_begin(span);
}

/* `req` is any request; `handle` what it is about, or NULL. */
static void span_begin_req(struct uv__span* span,
                           const uv_loop_t* loop,
                           const void* req,
                           const void* handle,
                           enum uv__call call,
                           const void* symbol,
                           int64_t status) {
  const uv_req_t* base = req;

  span_fill(span, loop, call, base, UV__RECORD_REQ + (unsigned) base->type,
            uv__deadline_symbol(base, symbol));
  span->record.value = status;
  if (handle != NULL && uv__span_wants_fd())
    span->record.detail = handle_fd(handle);
  uv__span_begin(span);
}

void uv__observed_alloc(uv_handle_t* handle,
                        uv_alloc_cb cb,
                        size_t size,
                        uv_buf_t* buf) {
  struct uv__span span;

  if (cb == uv__reader_alloc_cb) { /* not the program's */
    cb(handle, size, buf);
    return;
  }
  span_begin_io(&span, handle, UV__CALL_ALLOC, ADDRESS(cb), 0);
  cb(handle, size, buf);
  span.record.value = (int64_t) buf->len;
  uv__span_end(&span);
}

void uv__observed_read(uv_stream_t* stream,
                       ssize_t nread,
                       const uv_buf_t* buf) {
  struct uv__span span;

  if (uv__reader_owns(stream)) { /* calls uv__call_read_req() */
    stream->read_cb(stream, nread, buf);
    return;
  }
  span_begin_io(&span, stream, UV__CALL_READ, ADDRESS(stream->read_cb), nread);
  span_name_peer(&span, stream);
  stream->read_cb(stream, nread, buf);
  uv__span_end(&span);
}

void uv__observed_read_req(uvx_read_t* req, ssize_t nread) {
  struct uv__span span;

  span_begin_io(&span, req->stream, UV__CALL_READ,
                uv__deadline_symbol((const uv_req_t*) req, ADDRESS(req->cb)),
                nread);
  span_name_peer(&span, req->stream);
  req->cb(req, nread);
  uv__span_end(&span);
}

void uv__observed_write(uv_write_t* req, int status) {
  struct uv__span span;
  int64_t result = status == 0 ? (int64_t) uv_write_nwritten(req) : status;

  span_begin_req(&span, req->handle->loop, req, req->handle, UV__CALL_WRITE,
                 ADDRESS(req->cb), result);
  span_name_peer(&span, req->handle);
  req->cb(req, status);
  uv__span_end(&span);
}

void uv__observed_connect(uv_connect_t* req, int status) {
  struct uv__span span;

  span_begin_req(&span, req->handle->loop, req, req->handle, UV__CALL_CONNECT,
                 ADDRESS(req->cb), status);
  span_recall(&span);
  req->cb(req, status);
  uv__span_end(&span);
}

void uv__observed_shutdown(uv_shutdown_t* req, int status) {
  struct uv__span span;

  span_begin_req(&span, req->handle->loop, req, req->handle, UV__CALL_SHUTDOWN,
                 ADDRESS(req->cb), status);
  span_name_peer(&span, req->handle);
  req->cb(req, status);
  uv__span_end(&span);
}

void uv__observed_connection(uv_stream_t* server, int status) {
  struct uv__span span;

  span_begin_io(&span, server, UV__CALL_CONNECTION,
                ADDRESS(server->connection_cb), status);
  server->connection_cb(server, status);
  uv__span_end(&span);
}

void uv__observed_close(uv_loop_t* loop, uv_handle_t* handle) {
  struct uv__span span;

  if (is_internal(handle)) {
    handle->close_cb(handle);
    return;
  }
  span_fill(&span, loop, UV__CALL_CLOSE, handle, (unsigned) handle->type,
            ADDRESS(handle->close_cb));
  uv__span_begin(&span);
  if (uv__span_wants_details())
    uv__about_forget(uv__observe_thread_self(), handle);
  handle->close_cb(handle);
  uv__span_end(&span);
}

void uv__observed_timer(uv_timer_t* handle, uint64_t due_ns) {
  struct uv__span span;

  if (is_internal(handle)) {
    handle->timer_cb(handle);
    return;
  }
  span_begin_handle(&span, handle, UV__CALL_TIMER, ADDRESS(handle->timer_cb));
  span.record.value = (int64_t) (span.record.begin_ns - due_ns);
  handle->timer_cb(handle);
  uv__span_end(&span);
}

void uv__observed_idle(uv_idle_t* handle) {
  struct uv__span span;

  span_begin_handle(&span, handle, UV__CALL_IDLE, ADDRESS(handle->idle_cb));
  handle->idle_cb(handle);
  uv__span_end(&span);
}

void uv__observed_prepare(uv_prepare_t* handle) {
  struct uv__span span;

  span_begin_handle(&span, handle, UV__CALL_PREPARE,
                    ADDRESS(handle->prepare_cb));
  handle->prepare_cb(handle);
  uv__span_end(&span);
}

void uv__observed_check(uv_check_t* handle) {
  struct uv__span span;

  span_begin_handle(&span, handle, UV__CALL_CHECK, ADDRESS(handle->check_cb));
  handle->check_cb(handle);
  uv__span_end(&span);
}

void uv__observed_async(uv_async_t* handle) {
  struct uv__span span;

  span_begin_handle(&span, handle, UV__CALL_ASYNC, ADDRESS(handle->async_cb));
  span.record.flow = (uintptr_t) handle;
  handle->async_cb(handle);
  uv__span_end(&span);
}

void uv__observed_post(uvx_post_t* post) {
  struct uv__span span;

  span_fill(&span, post->loop, UV__CALL_POST, post, UV__RECORD_POST,
            ADDRESS(post->cb));
  uv__span_begin(&span);
  post->cb(post);
  uv__span_end(&span);
}

void uv__observed_poll(uv_poll_t* handle, int status, int events) {
  struct uv__span span;

  span_begin_io(&span, handle, UV__CALL_POLL, ADDRESS(handle->poll_cb), status);
  span.record.op = (uint8_t) events;
  handle->poll_cb(handle, status, events);
  uv__span_end(&span);
}

void uv__observed_signal(uv_signal_t* handle, int signum) {
  struct uv__span span;

  if (is_internal(handle)) {
    handle->signal_cb(handle, signum);
    return;
  }
  span_begin_handle(&span, handle, UV__CALL_SIGNAL, ADDRESS(handle->signal_cb));
  span.record.detail = signum;
  handle->signal_cb(handle, signum);
  uv__span_end(&span);
}

void uv__observed_exit(uv_process_t* process,
                       int64_t exit_status,
                       int term_signal) {
  struct uv__span span;

  span_begin_handle(&span, process, UV__CALL_EXIT, ADDRESS(process->exit_cb));
  span.record.value = exit_status;
  span.record.detail = process->pid;
  span_recall(&span);
  process->exit_cb(process, exit_status, term_signal);
  uv__span_end(&span);
}

void uv__observed_udp_send_cb(uv_udp_send_t* req, int status) {
  struct uv__span span;

  span_begin_req(&span, req->handle->loop, req, req->handle, UV__CALL_SEND,
                 ADDRESS(req->cb), status);
  req->cb(req, status);
  uv__span_end(&span);
}

void uv__observed_recv(uv_udp_t* handle,
                       ssize_t nread,
                       const uv_buf_t* buf,
                       const struct sockaddr* addr,
                       unsigned flags) {
  struct uv__span span;

  span_begin_io(&span, handle, UV__CALL_RECV, ADDRESS(handle->recv_cb), nread);
  span_name_address(&span, addr);
  handle->recv_cb(handle, nread, buf, addr, flags);
  uv__span_end(&span);
}

void uv__observed_fs(uv_fs_t* req) {
  struct uv__span span;

  span_fill(&span, req->loop, UV__CALL_FS, req, UV__RECORD_REQ + UV_FS,
            uv__deadline_symbol(req, ADDRESS(req->cb)));
  span.record.value = req->result;
  span.record.op = (uint8_t) req->fs_type;
  uv__span_begin(&span);
  if (uv__span_wants_details())
    uv__about_set_text(&span.about, req, UV__ABOUT_PATH, req->path);
  req->cb(req);
  uv__span_end(&span);
}

void uv__observed_fs_event(uv_fs_event_t* handle,
                           const char* name,
                           int events,
                           int status) {
  struct uv__span span;

  span_begin_handle(&span, handle, UV__CALL_FS_EVENT, ADDRESS(handle->cb));
  span.record.value = status;
  handle->cb(handle, name, events, status);
  uv__span_end(&span);
}

void uv__observed_fs_poll(uv_fs_poll_t* handle,
                          uv_fs_poll_cb cb,
                          int status,
                          const uv_stat_t* prev,
                          const uv_stat_t* curr) {
  struct uv__span span;

  span_begin_handle(&span, handle, UV__CALL_FS_POLL, ADDRESS(cb));
  span.record.value = status;
  cb(handle, status, prev, curr);
  uv__span_end(&span);
}

void uv__observed_getaddrinfo(uv_getaddrinfo_t* req,
                              int status,
                              struct addrinfo* res) {
  struct uv__span span;

  span_begin_req(&span, req->loop, req, NULL, UV__CALL_GETADDRINFO,
                 ADDRESS(req->cb), status);
  span_recall(&span);
  req->cb(req, status, res);
  uv__span_end(&span);
}

void uv__observed_getnameinfo(uv_getnameinfo_t* req,
                              int status,
                              const char* host,
                              const char* service) {
  struct uv__span span;

  span_begin_req(&span, req->loop, req, NULL, UV__CALL_GETNAMEINFO,
                 ADDRESS(req->getnameinfo_cb), status);
  span_name_address(&span, (const struct sockaddr*) &req->storage);
  req->getnameinfo_cb(req, status, host, service);
  uv__span_end(&span);
}

void uv__observed_random(uv_random_t* req, int status) {
  struct uv__span span;

  span_begin_req(&span, req->loop, req, NULL, UV__CALL_RANDOM, ADDRESS(req->cb),
                 status);
  req->cb(req, status, req->buf, req->buflen);
  uv__span_end(&span);
}

void uv__observed_after_work(uv_work_t* req, int status) {
  struct uv__span span;

  span_begin_req(&span, req->loop, req, NULL, UV__CALL_AFTER_WORK,
                 ADDRESS(req->after_work_cb), status);
  req->after_work_cb(req, status);
  uv__span_end(&span);
}

void uv__observed_walk(uv_handle_t* handle, uv_walk_cb cb, void* arg) {
  struct uv__span span;

  span_begin_handle(&span, handle, UV__CALL_WALK, ADDRESS(cb));
  cb(handle, arg);
  uv__span_end(&span);
}
