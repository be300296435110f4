/* SPDX-License-Identifier: MIT */
/* The callbacks of ignore.h. */
#include "ignore.h"

void ignore_timer(uv_timer_t* handle) {
  (void) handle;
}

void ignore_prepare(uv_prepare_t* handle) {
  (void) handle;
}

void ignore_check(uv_check_t* handle) {
  (void) handle;
}

void ignore_idle(uv_idle_t* handle) {
  (void) handle;
}

void ignore_async(uv_async_t* handle) {
  (void) handle;
}

void ignore_connection(uv_stream_t* server, int status) {
  (void) server;
  (void) status;
}

void ignore_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  (void) nread;
  (void) buf;
}

void ignore_recv(uv_udp_t* handle,
                 ssize_t nread,
                 const uv_buf_t* buf,
                 const struct sockaddr* addr,
                 unsigned flags) {
  (void) handle;
  (void) nread;
  (void) buf;
  (void) addr;
  (void) flags;
}

void ignore_poll(uv_poll_t* handle, int status, int events) {
  (void) handle;
  (void) status;
  (void) events;
}

void ignore_signal(uv_signal_t* handle, int signum) {
  (void) handle;
  (void) signum;
}

void ignore_fs_event(uv_fs_event_t* handle,
                     const char* name,
                     int events,
                     int status) {
  (void) handle;
  (void) name;
  (void) events;
  (void) status;
}

void ignore_fs_poll(uv_fs_poll_t* handle,
                    int status,
                    const uv_stat_t* before,
                    const uv_stat_t* after) {
  (void) handle;
  (void) status;
  (void) before;
  (void) after;
}

void ignore_connect(uv_connect_t* req, int status) {
  (void) req;
  (void) status;
}

void ignore_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  (void) status;
}

void ignore_send(uv_udp_send_t* req, int status) {
  (void) req;
  (void) status;
}

void ignore_fs(uv_fs_t* req) {
  (void) req;
}

void ignore_work(uv_work_t* req) {
  (void) req;
}

void ignore_after_work(uv_work_t* req, int status) {
  (void) req;
  (void) status;
}

void ignore_addrinfo(uv_getaddrinfo_t* req, int status, struct addrinfo* list) {
  (void) req;
  (void) status;
  (void) list;
}

void ignore_nameinfo(uv_getnameinfo_t* req,
                     int status,
                     const char* host,
                     const char* service) {
  (void) req;
  (void) status;
  (void) host;
  (void) service;
}

void ignore_random(uv_random_t* req, int status, void* buf, size_t len) {
  (void) req;
  (void) status;
  (void) buf;
  (void) len;
}

void ignore_thread(void* arg) {
  (void) arg;
}
