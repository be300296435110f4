/* SPDX-License-Identifier: MIT */
/* What a program has lent to a handle until a callback runs: requests, and the
 * data of writes. For UV_DEBUG, which looks whether it is still there. */
#ifndef UV_OS_LENT_H_
#define UV_OS_LENT_H_

#include "util/base.h"

enum uv__lent_kind {
  UV__LENT_WRITE,
  UV__LENT_SEND,
  UV__LENT_CONNECT,
  UV__LENT_PIPE_CONNECT,
  UV__LENT_SHUTDOWN,
  UV__LENT_MAX
};

struct uv__lent_visitor {
  /* A request waits in the handle. It has not been read yet: 0 forbids it, and
   * ends the visit of its list. */
  int (*request)(void* arg, enum uv__lent_kind kind, const void* request);
  /* Something else is in its memory; ends the visit of its list. */
  void (*broken)(void* arg, enum uv__lent_kind kind, const void* request);
  /* What it has still to send. */
  void (*data)(void* arg,
               enum uv__lent_kind kind,
               const void* request,
               const uv_buf_t* bufs,
               unsigned nbufs);
};

/* Visits the requests of a handle, which is what it was. Of none on Windows:
 * there the kernel has them. */
void uv__lent_os_visit(const uv_handle_t* handle,
                       const struct uv__lent_visitor* visitor,
                       void* arg);

#endif /* UV_OS_LENT_H_ */
