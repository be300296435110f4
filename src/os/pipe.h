/* SPDX-License-Identifier: MIT */
/* Pipes: what pipe.c asks of the platform. */
#ifndef UV_OS_PIPE_H_
#define UV_OS_PIPE_H_

#include "handle.h"

/* A name as a program gave it. */
struct uv__pipe_name {
  const char* text; /* not NUL-terminated */
  size_t len;
  int is_abstract; /* begins with a NUL, or is empty; others have no NUL */
  int is_exact;    /* UV_PIPE_NO_TRUNCATE: all of it or UV_EINVAL */
};

/* Sets up the handle in its loop, without a pipe. */
void uv__pipe_os_init(uv_loop_t* loop, uv_pipe_t* pipe);

/* Takes over a descriptor of the caller's, who keeps it on failure. */
int uv__pipe_os_open(uv_pipe_t* pipe, uv_file fd);

/* UV_EINVAL where the handle is bound, connected or connecting, and for names
 * that cannot be here. */
int uv__pipe_os_bind(uv_pipe_t* pipe, const struct uv__pipe_name* name);

/* req->cb is set. Refusals by the system come to the callback; UV_EALREADY
 * while another request is under way. On success the request is registered. */
int uv__pipe_os_connect(uv_connect_t* req,
                        uv_pipe_t* pipe,
                        const struct uv__pipe_name* name);

/* Fails a connect request that could not be attempted: req->cb is set and gets
 * `err` later. */
void uv__pipe_os_connect_fail(uv_connect_t* req, uv_pipe_t* pipe, int err);

/* Into a buffer that was checked, see out-string.h. UV_EBADF: no pipe. */
int uv__pipe_os_getsockname(const uv_pipe_t* pipe, char* buffer, size_t* size);
int uv__pipe_os_getpeername(const uv_pipe_t* pipe, char* buffer, size_t* size);

/* The pipe is open, `mode` is UV_READABLE, UV_WRITABLE or both: lets everybody
 * do that. */
int uv__pipe_os_chmod(uv_pipe_t* pipe, int mode);

/* The pipe passes handles: how many wait for uv_accept(), and what the first of
 * them is, if there is one. */
int uv__pipe_os_pending_count(const uv_pipe_t* pipe);
uv_handle_type uv__pipe_os_pending_type(const uv_pipe_t* pipe);

#endif /* UV_OS_PIPE_H_ */
