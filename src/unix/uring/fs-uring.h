/* SPDX-License-Identifier: MIT */
/* File requests through io_uring: an opt-in alternative to the pool.
 *
 *   uv__fs_os_offer() -> (next poll phase) commit -> kernel -> run_done
 *   -> uv__fs_done()
 *
 * A loop gets a ring with its first request that could use one, or loses
 * UV__LOOP_OFFERS_FS. In builds without io_uring it never has that flag.
 */
#ifndef UV_UNIX_FS_URING_H_
#define UV_UNIX_FS_URING_H_

#include "unix/loop.h"
#include "unix/os.h"

static inline int uv__fs_uring_is_open(const uv_loop_t* loop) {
  return UV__HAVE_URING && uv__loop_os(loop)->fs_uring != NULL;
}

#if UV__HAVE_URING

/* The functions below require that the loop has a ring. */

/* Before the poller waits: submits the requests offered since the last call,
 * and keeps the loop from sleeping if results are available. */
void uv__fs_uring_commit(uv_loop_t* loop);

/* Are there requests to submit? */
int uv__fs_uring_uncommitted(const uv_loop_t* loop);

/* Runs the callbacks of completed requests; returns how many. */
int uv__fs_uring_run_done(uv_loop_t* loop);

/* Child side of fork, where the requests belong to the parent; and when the
 * loop is closed, with nothing in flight. */
void uv__fs_uring_close(uv_loop_t* loop);

/* Does this process have a ring, or will it get one with the next request?
 * Exported: Node 20 and later refuse setuid() and its relatives if this
 * function says so, or if libuv does not have it. Context: any. */
UV_EXTERN int uv__node_patch_is_using_io_uring(void);

#else

/* Never called, but a compiler that does not optimise leaves the calls in. */
static inline void uv__fs_uring_commit(uv_loop_t* loop) {
  (void) loop;
}

static inline int uv__fs_uring_uncommitted(const uv_loop_t* loop) {
  (void) loop;
  return 0;
}

static inline int uv__fs_uring_run_done(uv_loop_t* loop) {
  (void) loop;
  return 0;
}

static inline void uv__fs_uring_close(uv_loop_t* loop) {
  (void) loop;
}

#endif

#endif /* UV_UNIX_FS_URING_H_ */
