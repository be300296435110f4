/* SPDX-License-Identifier: MIT */
/* Maps file requests to ring entries, and results back to requests. The program
 * sees the same result as from the pool; where that is not possible, the pool
 * executes the request.
 */
#ifndef UV_LINUX_FS_URING_MAP_H_
#define UV_LINUX_FS_URING_MAP_H_

#include "unix/uring/uring-abi.h"

/* A buffer for file attributes, too large for the request. Unused ones are kept
 * in a list. */
struct uv__statx_buffer;

/* State of the mapping, per loop. */
struct uv__fs_uring_map {
  uint64_t ops; /* supported opcodes, one bit each */
  struct uv__statx_buffer* buffers;
  int64_t seekable; /* last fd found seekable, and for what; or -1 */
  int takes_all;    /* also operations that the kernel runs in workers */
  int writes_off;   /* writes to pass to the pool before trying again */
};

/* Could a ring take this type of request? */
int uv__fs_uring_is_mapped(uv_fs_type type, int takes_all);

/* Fills the zeroed entry: 1, or 0 if the pool should execute the request. */
int uv__fs_uring_fill(struct uv__fs_uring_map* map,
                      uv_fs_t* req,
                      struct uv__sqe* sqe);

/* Stores the result in the request: 1, or 0 if the pool should execute the
 * request or the rest of it. */
int uv__fs_uring_finish(struct uv__fs_uring_map* map, uv_fs_t* req, int res);

/* Restores a request that was filled in but will not be submitted. */
void uv__fs_uring_undo(struct uv__fs_uring_map* map, uv_fs_t* req);

/* Drops cached knowledge about descriptors. */
void uv__fs_uring_forget_fds(struct uv__fs_uring_map* map);

void uv__fs_uring_map_close(struct uv__fs_uring_map* map);

#endif /* UV_LINUX_FS_URING_MAP_H_ */
