/* SPDX-License-Identifier: MIT */
/* From a file request to an entry of a ring, and back from its result. What the
 * program sees is what the pool would have given it, or the pool gives it.
 */
#ifndef UV_LINUX_FS_URING_MAP_H_
#define UV_LINUX_FS_URING_MAP_H_

#include "unix/uring/uring-abi.h"

/* Where the kernel puts the attributes of a file: too large for the request.
 * Those that nobody uses are linked. */
struct uv__statx_room;

/* What the mapping keeps, per loop. */
struct uv__fs_uring_map {
  uint64_t ops; /* what the kernel can do: a bit per opcode */
  struct uv__statx_room* rooms;
  int64_t seekable; /* the last descriptor found so, and for what; or -1 */
  int takes_all;    /* also what the kernel gives to workers of its own */
  int writes_off;   /* this many writes go to the pool before one is tried */
};

/* Could a ring take this type of request? */
int uv__fs_uring_is_mapped(uv_fs_type type, int takes_all);

/* Fills the (zeroed) entry: 1, or 0 if this one is for the pool. */
int uv__fs_uring_fill(struct uv__fs_uring_map* map,
                      uv_fs_t* req,
                      struct uv__sqe* sqe);

/* Takes the kernel's answer over into the request: 1, or 0 if the pool is to do
 * it, or the rest of it. */
int uv__fs_uring_finish(struct uv__fs_uring_map* map, uv_fs_t* req, int res);

/* For a request that was filled and is not going to be done: as before. */
void uv__fs_uring_undo(struct uv__fs_uring_map* map, uv_fs_t* req);

/* What is known about descriptors is no longer true. */
void uv__fs_uring_forget_fds(struct uv__fs_uring_map* map);

void uv__fs_uring_map_close(struct uv__fs_uring_map* map);

#endif /* UV_LINUX_FS_URING_MAP_H_ */
