/* SPDX-License-Identifier: MIT */
/* Private state of a loop on Windows. Each part has one owning module. */
#ifndef UV_WIN_LOOP_H_
#define UV_WIN_LOOP_H_

#include "loop/state.h"
#include "util/queue.h"

struct uv__loop_os {
  struct uv__loop_state base;    /* must be first */
  struct uv__queue resume;       /* resume.c: in the list of loops */
  uv_loop_t* loop;               /* resume.c: the owner of this state */
  uv_req_t work_req;             /* dispatch.c: stands for finished work and
                                  * posts on the pending list */
  int is_work_pending;           /* dispatch.c: work_req is on the list */
  struct uv__queue shared_pipes; /* pipe.c: those that others may use, too */
  uint32_t last_pipe_key;        /* pipe.c: given to the newest of them */
};

static inline struct uv__loop_os* uv__loop_os(const uv_loop_t* loop) {
  return (struct uv__loop_os*) loop->internal_fields;
}

/* Attaches `handle` to the loop's port: 0 or UV_E*. loop.c. */
int uv__loop_attach(uv_loop_t* loop, HANDLE handle);

/* The same, for a handle that others may use, too: `key` is in each of its
 * packets, so that those of others can be told from ours (dispatch.c). */
int uv__loop_attach_as(uv_loop_t* loop, HANDLE handle, uint32_t key);

/* Process-wide initialisation, done once: called by every loop, and by
 * functions that need no loop. Context: any. */
void uv__library_init(void);

#endif /* UV_WIN_LOOP_H_ */
