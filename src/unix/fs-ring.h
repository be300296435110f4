/* SPDX-License-Identifier: MIT */
/* File requests without a thread of ours: an executor beside the pool, for
 * those who ask for it. On Linux io_uring; elsewhere there is none.
 *
 *   offer -> (next poll phase) commit -> kernel -> run_done -> uv__fs_done()
 *
 * A loop has it from its first request that it could take; a pointer in the
 * loop is all that others pay.
 */
#ifndef UV_UNIX_FS_RING_H_
#define UV_UNIX_FS_RING_H_

#include "unix/loop-os.h"
#include "unix/os.h"

#if UV__HAVE_URING

/* 1 if it takes the request; then uv__fs_done() or, if it turns out that it
 * cannot do it after all, uv__fs_to_pool() follows. */
int uv__fs_ring_offer(uv_fs_t* req);

/* As uv_cancel(), for a request that it has. */
int uv__fs_ring_cancel(uv_fs_t* req);

/* The next three are asked in every round, mostly of loops that never had a
 * ring; these functions are for the others. */
void uv__fs_uring_commit(uv_loop_t* loop);
int uv__fs_uring_uncommitted(const uv_loop_t* loop);
int uv__fs_uring_run_done(uv_loop_t* loop);

/* Before the poller waits: hands to the kernel what was offered since, and sees
 * to it that results which are there already are not slept over. */
static inline void uv__fs_ring_commit(uv_loop_t* loop) {
  if (uv__loop_os(loop)->fs_uring != NULL)
    uv__fs_uring_commit(loop);
}

/* Is there something to hand over? */
static inline int uv__fs_ring_uncommitted(const uv_loop_t* loop) {
  return uv__loop_os(loop)->fs_uring != NULL && uv__fs_uring_uncommitted(loop);
}

/* Runs the callbacks of what is done; returns how many. */
static inline int uv__fs_ring_run_done(uv_loop_t* loop) {
  if (uv__loop_os(loop)->fs_uring == NULL)
    return 0;
  return uv__fs_uring_run_done(loop);
}

/* Child side of fork: requests of the parent's are the parent's. Also when the
 * loop is closed: nothing is in flight then. */
void uv__fs_ring_close(uv_loop_t* loop);

#else

static inline int uv__fs_ring_offer(uv_fs_t* req) {
  (void) req;
  return 0;
}

static inline int uv__fs_ring_cancel(uv_fs_t* req) {
  (void) req;
  return UV_EBUSY; /* it has none */
}

static inline void uv__fs_ring_commit(uv_loop_t* loop) {
  (void) loop;
}

static inline int uv__fs_ring_uncommitted(const uv_loop_t* loop) {
  (void) loop;
  return 0;
}

static inline int uv__fs_ring_run_done(uv_loop_t* loop) {
  (void) loop;
  return 0;
}

static inline void uv__fs_ring_close(uv_loop_t* loop) {
  (void) loop;
}

#endif

#endif /* UV_UNIX_FS_RING_H_ */
