/* SPDX-License-Identifier: MIT */
/* The sockets of area poll, with the system's own functions (poll-unix.c,
 * poll-win.c). Those that fail return UV_E*. */
#ifndef DIFFERENTIAL_POLL_WORLD_H_
#define DIFFERENTIAL_POLL_WORLD_H_

#include <uv.h>

#define POLL_NONE ((uv_os_sock_t) -1)

/* Two connected sockets, or the two ends of a pipe where those can be polled,
 * that do not block. */
void poll_pair(int is_pipe, uv_os_sock_t both[2]);

/* Closes `old`. `now` gets its number, where that is possible. */
void poll_replace(uv_os_sock_t old, uv_os_sock_t* now);

/* Whether a program may start a handle for a socket that another one watches.
 * On unix that is UV_EEXIST; on Windows it is undefined in libuv. */
int poll_may_start_twice(void);

long poll_send(uv_os_sock_t sock, const char* data, size_t size);
long poll_receive(uv_os_sock_t sock, char* data, size_t size);
/* Ends writing, or both directions. */
int poll_shutdown(uv_os_sock_t sock, int both);
void poll_close(uv_os_sock_t sock);

/* Initialises the handle by the number of the socket, if it is a
 * descriptor. */
int poll_init_number(uv_loop_t* loop, uv_poll_t* handle, uv_os_sock_t sock);

/* A descriptor of a new file. */
int poll_file_open(void);
void poll_file_close(int fd);

#endif
