/* SPDX-License-Identifier: MIT */
/* All loops of the process, for a dump on a signal and for debuggers
 * (scripts/gdb).
 *
 * The states are linked, not the loops: they are ours, while a program may free
 * a loop that it never closed.
 */
#ifndef UV_LOOP_LIST_H_
#define UV_LOOP_LIST_H_

#include "loop/state.h"

/* uv_loop_init() and uv_loop_close(). */
void uv__loop_list_add(uv_loop_t* loop);
void uv__loop_list_remove(const uv_loop_t* loop);

/* Calls `each` for all of them, newest first; none is closed meanwhile, but all
 * may be running. Context: any. */
void uv__loop_list_each(void (*each)(struct uv__loop_state* state, void* arg),
                        void* arg);

/* Waits until uv__loop_list_each() is not under way. Context: any. */
UV__COLD void uv__loop_list_wait(void);

#endif /* UV_LOOP_LIST_H_ */
