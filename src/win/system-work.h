/* SPDX-License-Identifier: MIT */
/* Work that blocks, on the threads of the system's own pool. */
#ifndef UV_WIN_SYSTEM_WORK_H_
#define UV_WIN_SYSTEM_WORK_H_

#include "util/base.h"

/* Declares the parameters of such a function; `arg` is the submitted one. */
typedef void CALLBACK uv__system_work_fn(PTP_CALLBACK_INSTANCE instance,
                                         void* arg);

/* Runs `run` on a thread, where it may block for any time. The library stays
 * loaded until it has returned, even if the program unloads it. 0 or UV_E*. */
int uv__system_work(uv__system_work_fn* run, void* arg);

#endif /* UV_WIN_SYSTEM_WORK_H_ */
