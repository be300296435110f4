/* SPDX-License-Identifier: MIT */
/* Calls into the program: every callback of a handle or request is called
 * through one of these functions, and nowhere else.
 *
 * While loops are observed, the call is made out of line, in callback.c, with a
 * span around it. Otherwise nothing comes before or after it: the arguments
 * stay in their registers and the compiler can jump.
 *
 * The callback is not NULL: callers without one check first. (UV__OBSERVE is a
 * constant that also a compiler which does not optimise knows.)
 */
#ifndef UV_OBSERVE_CALLBACK_H_
#define UV_OBSERVE_CALLBACK_H_

#include "observe/hooks.h"
#include "uv/ext.h"

UV__NOINLINE void uv__observed_alloc(uv_handle_t* handle,
                                     uv_alloc_cb cb,
                                     size_t size,
                                     uv_buf_t* buf);
UV__NOINLINE void uv__observed_read(uv_stream_t* stream,
                                    ssize_t nread,
                                    const uv_buf_t* buf);
UV__NOINLINE void uv__observed_read_req(uvx_read_t* req, ssize_t nread);
UV__NOINLINE void uv__observed_write(uv_write_t* req, int status);
UV__NOINLINE void uv__observed_connect(uv_connect_t* req, int status);
UV__NOINLINE void uv__observed_shutdown(uv_shutdown_t* req, int status);
UV__NOINLINE void uv__observed_connection(uv_stream_t* server, int status);
UV__NOINLINE void uv__observed_close(uv_loop_t* loop, uv_handle_t* handle);
UV__NOINLINE void uv__observed_timer(uv_timer_t* handle, uint64_t due_ns);
UV__NOINLINE void uv__observed_idle(uv_idle_t* handle);
UV__NOINLINE void uv__observed_prepare(uv_prepare_t* handle);
UV__NOINLINE void uv__observed_check(uv_check_t* handle);
UV__NOINLINE void uv__observed_async(uv_async_t* handle);
UV__NOINLINE void uv__observed_post(uvx_post_t* post);
UV__NOINLINE void uv__observed_poll(uv_poll_t* handle, int status, int events);
UV__NOINLINE void uv__observed_signal(uv_signal_t* handle, int signum);
UV__NOINLINE void uv__observed_exit(uv_process_t* process,
                                    int64_t exit_status,
                                    int term_signal);
UV__NOINLINE void uv__observed_udp_send_cb(uv_udp_send_t* req, int status);
UV__NOINLINE void uv__observed_recv(uv_udp_t* handle,
                                    ssize_t nread,
                                    const uv_buf_t* buf,
                                    const struct sockaddr* addr,
                                    unsigned flags);
UV__NOINLINE void uv__observed_fs(uv_fs_t* req);
UV__NOINLINE void uv__observed_fs_event(uv_fs_event_t* handle,
                                        const char* name,
                                        int events,
                                        int status);
UV__NOINLINE void uv__observed_fs_poll(uv_fs_poll_t* handle,
                                       uv_fs_poll_cb cb,
                                       int status,
                                       const uv_stat_t* prev,
                                       const uv_stat_t* curr);
UV__NOINLINE void uv__observed_getaddrinfo(uv_getaddrinfo_t* req,
                                           int status,
                                           struct addrinfo* res);
UV__NOINLINE void uv__observed_getnameinfo(uv_getnameinfo_t* req,
                                           int status,
                                           const char* host,
                                           const char* service);
UV__NOINLINE void uv__observed_random(uv_random_t* req, int status);
UV__NOINLINE void uv__observed_after_work(uv_work_t* req, int status);
UV__NOINLINE void uv__observed_walk(uv_handle_t* handle,
                                    uv_walk_cb cb,
                                    void* arg);

static inline void uv__call_after_work(uv_work_t* req, int status) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_after_work(req, status);
  else
    req->after_work_cb(req, status);
}

static inline void uv__call_alloc(uv_handle_t* handle,
                                  uv_alloc_cb cb,
                                  size_t size,
                                  uv_buf_t* buf) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_alloc(handle, cb, size, buf);
  else
    cb(handle, size, buf);
}

static inline void uv__call_read(uv_stream_t* stream,
                                 ssize_t nread,
                                 const uv_buf_t* buf) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_read(stream, nread, buf);
  else
    stream->read_cb(stream, nread, buf);
}

static inline void uv__call_read_req(uvx_read_t* req, ssize_t nread) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_read_req(req, nread);
  else
    req->cb(req, nread);
}

static inline void uv__call_write(uv_write_t* req, int status) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_write(req, status);
  else
    req->cb(req, status);
}

static inline void uv__call_connect(uv_connect_t* req, int status) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_connect(req, status);
  else
    req->cb(req, status);
}

static inline void uv__call_shutdown(uv_shutdown_t* req, int status) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_shutdown(req, status);
  else
    req->cb(req, status);
}

static inline void uv__call_connection(uv_stream_t* server, int status) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_connection(server, status);
  else
    server->connection_cb(server, status);
}

/* H5: does not read the loop from the handle. */
static inline void uv__call_close(uv_loop_t* loop, uv_handle_t* handle) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_close(loop, handle);
  else
    handle->close_cb(handle);
}

static inline void uv__call_timer(uv_timer_t* handle, uint64_t due_ns) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_timer(handle, due_ns);
  else
    handle->timer_cb(handle);
}

static inline void uv__call_idle(uv_idle_t* handle) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_idle(handle);
  else
    handle->idle_cb(handle);
}

static inline void uv__call_prepare(uv_prepare_t* handle) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_prepare(handle);
  else
    handle->prepare_cb(handle);
}

static inline void uv__call_check(uv_check_t* handle) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_check(handle);
  else
    handle->check_cb(handle);
}

static inline void uv__call_async(uv_async_t* handle) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_async(handle);
  else
    handle->async_cb(handle);
}

/* A start or end function of managed loops. */
static inline void uv__call_loop(uvx_loop_cb cb, uv_loop_t* loop, void* arg) {
  cb(loop, arg);
}

/* A server that could not be opened: the handle has no callback. */
static inline void uv__call_refused(uv_connection_cb cb,
                                    uv_stream_t* server,
                                    int err) {
  cb(server, err);
}

/* The end of a listener. */
static inline void uv__call_closed(void (*closed)(void* arg), void* arg) {
  closed(arg);
}

static inline void uv__call_post(uvx_post_t* post) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_post(post);
  else
    post->cb(post);
}

static inline void uv__call_poll(uv_poll_t* handle, int status, int events) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_poll(handle, status, events);
  else
    handle->poll_cb(handle, status, events);
}

static inline void uv__call_signal(uv_signal_t* handle, int signum) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_signal(handle, signum);
  else
    handle->signal_cb(handle, signum);
}

static inline void uv__call_exit(uv_process_t* process,
                                 int64_t exit_status,
                                 int term_signal) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_exit(process, exit_status, term_signal);
  else
    process->exit_cb(process, exit_status, term_signal);
}

static inline void uv__call_udp_send(uv_udp_send_t* req, int status) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_udp_send_cb(req, status);
  else
    req->cb(req, status);
}

static inline void uv__call_recv(uv_udp_t* handle,
                                 ssize_t nread,
                                 const uv_buf_t* buf,
                                 const struct sockaddr* addr,
                                 unsigned flags) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_recv(handle, nread, buf, addr, flags);
  else
    handle->recv_cb(handle, nread, buf, addr, flags);
}

static inline void uv__call_fs(uv_fs_t* req) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_fs(req);
  else
    req->cb(req);
}

static inline void uv__call_fs_event(uv_fs_event_t* handle,
                                     const char* name,
                                     int events,
                                     int status) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_fs_event(handle, name, events, status);
  else
    handle->cb(handle, name, events, status);
}

/* A question of a start or an event, and a part of it. */
static inline int uv__call_fs_event_filter(uv_fs_event_t* handle,
                                           uvx_fs_event_filter_cb filter,
                                           const char* path) {
  return filter(handle, path);
}

static inline void uv__call_fs_poll(uv_fs_poll_t* handle,
                                    uv_fs_poll_cb cb,
                                    int status,
                                    const uv_stat_t* prev,
                                    const uv_stat_t* curr) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_fs_poll(handle, cb, status, prev, curr);
  else
    cb(handle, status, prev, curr);
}

static inline void uv__call_getaddrinfo(uv_getaddrinfo_t* req,
                                        int status,
                                        struct addrinfo* res) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_getaddrinfo(req, status, res);
  else
    req->cb(req, status, res);
}

static inline void uv__call_getnameinfo(uv_getnameinfo_t* req,
                                        int status,
                                        const char* host,
                                        const char* service) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_getnameinfo(req, status, host, service);
  else
    req->getnameinfo_cb(req, status, host, service);
}

static inline void uv__call_random(uv_random_t* req, int status) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_random(req, status);
  else
    req->cb(req, status, req->buf, req->buflen);
}

/* Context: worker. The span is in hooks.c. */
static inline void uv__call_work(uv_work_t* req) {
  req->work_cb(req);
}

static inline void uv__call_walk(uv_handle_t* handle,
                                 uv_walk_cb cb,
                                 void* arg) {
  if (UV__OBSERVE && uv__is_recorded())
    uv__observed_walk(handle, cb, arg);
  else
    cb(handle, arg);
}

#endif /* UV_OBSERVE_CALLBACK_H_ */
