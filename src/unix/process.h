/* SPDX-License-Identifier: MIT */
/* Process handles, as the loop and the handle table see them. */
#ifndef UV_UNIX_PROCESS_H_
#define UV_UNIX_PROCESS_H_

#include "process-os.h"

/* loop-os.c: a loop is made; is the child's copy after fork, where the parent's
 * children are nobody's to wait for. */
int uv__process_init_loop(uv_loop_t* loop);
void uv__process_fork(uv_loop_t* loop);

/* dispatch.c: the poller reports the end of a child (it may be nobody's, or not
 * quite over); the loop was woken. Both run callbacks and return how many. */
int uv__process_child_ended(uv_loop_t* loop, int pid);
int uv__process_run_ended(uv_loop_t* loop);

enum uv__close_answer uv__process_close(uv_handle_t* handle);

#endif /* UV_UNIX_PROCESS_H_ */
