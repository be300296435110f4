/* SPDX-License-Identifier: MIT */
/* Wakes loops when the machine resumes from sleep; resume.c. */
#ifndef UV_WIN_RESUME_H_
#define UV_WIN_RESUME_H_

#include "win/loop.h"

/* The loop is woken on resume until it is removed. Context: any. */
void uv__resume_add(uv_loop_t* loop);
void uv__resume_remove(uv_loop_t* loop);

/* The machine has resumed: wakes every loop, which then updates its time.
 * Context: any. */
void uv__resume_wake_all(void);

#endif /* UV_WIN_RESUME_H_ */
