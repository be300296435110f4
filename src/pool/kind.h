/* SPDX-License-Identifier: MIT */
/* What runs on a worker. */
#ifndef UV_POOL_KIND_H_
#define UV_POOL_KIND_H_

#include "util/base.h"

enum uv__work_id {
  UV__WORK_USER, /* uv_queue_work() */
  UV__WORK_RANDOM,
  UV__WORK_FS,
  UV__WORK_SCAN, /* a directory of a watched tree */
  UV__WORK_GETADDRINFO,
  UV__WORK_GETNAMEINFO,
  UV__WORK_MAX
};

/* One kind of work; each module that submits any defines its own row. */
struct uv__work_kind {
  void (*work)(struct uv__work* w); /* on a worker; NULL: is never queued */
  /* On the loop's thread; status is 0 or UV_ECANCELED. */
  void (*done)(struct uv__work* w, int status);
  enum uv__work_id id; /* its name in traces, metrics and dumps; its lane */
  size_t offset;       /* of the item in its request */
};

/* uv_cancel() looks for it by the type of the request. */
extern const struct uv__work_kind uv__random_kind; /* random.c */

/* Name resolution is slow: it may wait for servers. */
static inline int uv__work_is_slow(enum uv__work_id work_id) {
  return work_id >= UV__WORK_GETADDRINFO;
}

/* The request that contains the item. */
static inline const void* uv__work_request(const struct uv__work* w) {
  return (const char*) w - w->kind->offset;
}

#endif /* UV_POOL_KIND_H_ */
