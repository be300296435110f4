/* SPDX-License-Identifier: MIT */
/* File requests without a thread of ours: an executor beside the pool, for
 * those who ask for it.
 *
 *   uv__fs_os_offer() -> (next poll phase) commit -> kernel -> run_done
 *   -> uv__fs_done()
 *
 * A loop has it from its first request that it could take; a pointer in the
 * loop is all that others pay. Where a build has no io_uring the pointer stays
 * NULL, and UV__HAVE_URING removes the calls.
 */
#ifndef UV_UNIX_FS_URING_H_
#define UV_UNIX_FS_URING_H_

#include "unix/loop.h"
#include "unix/os.h"

static inline int uv__fs_uring_is_there(const uv_loop_t* loop) {
  return UV__HAVE_URING && uv__loop_os(loop)->fs_uring != NULL;
}

/* These are for loops that have a ring. */

/* Before the poller waits: hands to the kernel what was offered since, and sees
 * to it that results which are there already are not slept over. */
void uv__fs_uring_commit(uv_loop_t* loop);

/* Is there something to hand over? */
int uv__fs_uring_uncommitted(const uv_loop_t* loop);

/* Runs the callbacks of what is done; returns how many. */
int uv__fs_uring_run_done(uv_loop_t* loop);

/* Child side of fork: requests of the parent's are the parent's. Also when the
 * loop is closed: nothing is in flight then. */
void uv__fs_uring_close(uv_loop_t* loop);

#endif /* UV_UNIX_FS_URING_H_ */
