/* SPDX-License-Identifier: MIT */
/* Pipes: what the platform supplies to pipe.c. */
#ifndef UV_OS_PIPE_H_
#define UV_OS_PIPE_H_

#include "handle.h"

/* A name as the program passed it. */
struct uv__pipe_name {
  const char* text; /* not NUL-terminated */
  size_t len;
  int is_abstract; /* begins with a NUL, or is empty; others have no NUL */
  int is_exact;    /* UV_PIPE_NO_TRUNCATE: UV_EINVAL if it does not fit */
};

/* Sets up the handle in its loop, without a pipe. */
void uv__pipe_os_init(uv_loop_t* loop, uv_pipe_t* pipe);

/* Takes over the caller's descriptor; on failure the caller keeps it. */
int uv__pipe_os_open(uv_pipe_t* pipe, uv_file fd);

/* UV_EINVAL if the handle is bound, connected or connecting, or if the platform
 * has no such names. */
int uv__pipe_os_bind(uv_pipe_t* pipe, const struct uv__pipe_name* name);

/* req->cb is set. The callback gets errors of the system; UV_EALREADY while
 * another connect is in progress. On success the request is registered. */
int uv__pipe_os_connect(uv_connect_t* req,
                        uv_pipe_t* pipe,
                        const struct uv__pipe_name* name);

/* Fails a connect request that could not be attempted: req->cb is set and gets
 * `err` later. */
void uv__pipe_os_connect_fail(uv_connect_t* req, uv_pipe_t* pipe, int err);

/* The buffer has been checked (out-string.h). UV_EBADF: no pipe is open. */
int uv__pipe_os_getsockname(const uv_pipe_t* pipe, char* buffer, size_t* size);
int uv__pipe_os_getpeername(const uv_pipe_t* pipe, char* buffer, size_t* size);

/* Lets every user read, write or both: `mode` is UV_READABLE, UV_WRITABLE or
 * their union. The pipe is open. */
int uv__pipe_os_chmod(uv_pipe_t* pipe, int mode);

/* How many received handles wait for uv_accept(), and the type of the first, if
 * there is one. The pipe was initialised with ipc set. */
int uv__pipe_os_pending_count(const uv_pipe_t* pipe);
uv_handle_type uv__pipe_os_pending_type(const uv_pipe_t* pipe);

#endif /* UV_OS_PIPE_H_ */
