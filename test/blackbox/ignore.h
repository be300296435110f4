/* SPDX-License-Identifier: MIT */
/* Callbacks that do nothing, for tests in which only the call matters. */
#ifndef IGNORE_H_
#define IGNORE_H_

#include "uv.h"

void ignore_timer(uv_timer_t* handle);
void ignore_prepare(uv_prepare_t* handle);
void ignore_check(uv_check_t* handle);
void ignore_idle(uv_idle_t* handle);
void ignore_async(uv_async_t* handle);
void ignore_connection(uv_stream_t* server, int status);
void ignore_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf);
void ignore_recv(uv_udp_t* handle,
                 ssize_t nread,
                 const uv_buf_t* buf,
                 const struct sockaddr* addr,
                 unsigned flags);
void ignore_poll(uv_poll_t* handle, int status, int events);
void ignore_signal(uv_signal_t* handle, int signum);
void ignore_fs_event(uv_fs_event_t* handle,
                     const char* name,
                     int events,
                     int status);
void ignore_fs_poll(uv_fs_poll_t* handle,
                    int status,
                    const uv_stat_t* before,
                    const uv_stat_t* after);
void ignore_connect(uv_connect_t* req, int status);
void ignore_shutdown(uv_shutdown_t* req, int status);
void ignore_send(uv_udp_send_t* req, int status);
void ignore_fs(uv_fs_t* req);
void ignore_work(uv_work_t* req);
void ignore_after_work(uv_work_t* req, int status);
void ignore_addrinfo(uv_getaddrinfo_t* req, int status, struct addrinfo* list);
void ignore_nameinfo(uv_getnameinfo_t* req,
                     int status,
                     const char* host,
                     const char* service);
void ignore_random(uv_random_t* req, int status, void* buf, size_t len);
void ignore_thread(void* arg);

#endif /* IGNORE_H_ */
