/* SPDX-License-Identifier: MIT */
/* Pipe API: argument checks and the rules for names. */
#include "os/pipe.h"
#include "os/stream.h"
#include "util/out-string.h"

static int is_usable(const uv_pipe_t* pipe) {
  return pipe != NULL && !uv__is_closing((const uv_handle_t*) pipe);
}

int uv_pipe_init(uv_loop_t* loop, uv_pipe_t* pipe, int ipc) {
  if (loop == NULL || pipe == NULL)
    return UV_EINVAL;

  uv__pipe_os_init(loop, pipe);
  pipe->ipc = ipc;
  return 0;
}

int uv_pipe_open(uv_pipe_t* pipe, uv_file fd) {
  if (!is_usable(pipe))
    return UV_EINVAL;
  if (fd < 0)
    return UV_EBADF;

  return uv__pipe_os_open(pipe, fd);
}

static int make_name(struct uv__pipe_name* out,
                     const char* text,
                     size_t len,
                     unsigned int flags) {
  if (text == NULL || (flags & ~(unsigned int) UV_PIPE_NO_TRUNCATE) != 0)
    return UV_EINVAL;

  out->text = text;
  out->len = len;
  out->is_abstract = len == 0 || text[0] == '\0';
  out->is_exact = (flags & UV_PIPE_NO_TRUNCATE) != 0;
  if (!out->is_abstract && memchr(text, '\0', len) != NULL)
    return UV_EINVAL;
  return 0;
}

int uv_pipe_bind2(uv_pipe_t* pipe,
                  const char* name,
                  size_t namelen,
                  unsigned int flags) {
  struct uv__pipe_name where;

  if (!is_usable(pipe))
    return UV_EINVAL;
  int err = make_name(&where, name, namelen, flags);
  return err != 0 ? err : uv__pipe_os_bind(pipe, &where);
}

int uv_pipe_bind(uv_pipe_t* pipe, const char* name) {
  if (name == NULL)
    return UV_EINVAL;
  return uv_pipe_bind2(pipe, name, strlen(name), 0);
}

int uv_pipe_connect2(uv_connect_t* req,
                     uv_pipe_t* pipe,
                     const char* name,
                     size_t namelen,
                     unsigned int flags,
                     uv_connect_cb cb) {
  struct uv__pipe_name where;

  if (req == NULL || !is_usable(pipe))
    return UV_EINVAL;
  if (namelen == 0)
    return UV_EINVAL; /* nothing can listen on an empty name */
  int err = make_name(&where, name, namelen, flags);
  if (err != 0)
    return err;

  req->cb = cb;
  return uv__pipe_os_connect(req, pipe, &where);
}

void uv_pipe_connect(uv_connect_t* req,
                     uv_pipe_t* pipe,
                     const char* name,
                     uv_connect_cb cb) {
  size_t len = name == NULL ? 0 : strlen(name);

  int err = uv_pipe_connect2(req, pipe, name, len, 0, cb);
  if (err == 0)
    return;
  /* This function returns nothing, so argument errors go to the callback
   * too. */
  req->cb = cb;
  uv__pipe_os_connect_fail(req, pipe, err);
}

int uv_pipe_getsockname(const uv_pipe_t* pipe, char* buffer, size_t* size) {
  int err = uv__out_string_check(buffer, size);
  return err != 0 ? err : uv__pipe_os_getsockname(pipe, buffer, size);
}

int uv_pipe_getpeername(const uv_pipe_t* pipe, char* buffer, size_t* size) {
  int err = uv__out_string_check(buffer, size);
  return err != 0 ? err : uv__pipe_os_getpeername(pipe, buffer, size);
}

int uv_pipe_chmod(uv_pipe_t* pipe, int mode) {
  if (pipe == NULL || !uv__stream_os_is_open((const uv_stream_t*) pipe))
    return UV_EBADF;
  if (mode == 0 || (mode & ~(UV_READABLE | UV_WRITABLE)) != 0)
    return UV_EINVAL;

  return uv__pipe_os_chmod(pipe, mode);
}

int uv_pipe_pending_count(uv_pipe_t* pipe) {
  return pipe->ipc ? uv__pipe_os_pending_count(pipe) : 0;
}

uv_handle_type uv_pipe_pending_type(uv_pipe_t* pipe) {
  if (uv_pipe_pending_count(pipe) == 0)
    return UV_UNKNOWN_HANDLE;
  return uv__pipe_os_pending_type(pipe);
}
