/* SPDX-License-Identifier: MIT */
/* uv_cancel: which requests can be taken back, and how. */
#include "fs.h"
#include "os/stream.h"
#include "threadpool.h"

/* Where each type keeps its pool item and loop. */
#define POOL_REQ(type)                                                         \
  { 1, offsetof(type, work_req), offsetof(type, loop) }

struct pool_req {
  int is_pool_req;
  size_t work;
  size_t loop;
};

static const struct pool_req pool_reqs[UV_REQ_TYPE_MAX] = {
  [UV_WORK] = POOL_REQ(uv_work_t),
  [UV_GETADDRINFO] = POOL_REQ(uv_getaddrinfo_t),
  [UV_GETNAMEINFO] = POOL_REQ(uv_getnameinfo_t),
  [UV_RANDOM] = POOL_REQ(uv_random_t),
};

int uv_cancel(uv_req_t* req) {
  if (req == NULL || req->type <= UV_UNKNOWN_REQ ||
      req->type >= UV_REQ_TYPE_MAX)
    return UV_EINVAL;
  if (req->type == UV_WRITE)
    return uv__stream_os_cancel_write((uv_write_t*) req);
  if (req->type == UV_FS)
    return uv__fs_cancel((uv_fs_t*) req);

  const struct pool_req* where = &pool_reqs[req->type];
  if (!where->is_pool_req)
    return UV_EINVAL;

  char* base = (char*) req;
  uv_loop_t* loop = *(uv_loop_t**) (base + where->loop);
  return uv__work_cancel(loop, (struct uv__work*) (base + where->work));
}
