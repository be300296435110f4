/* SPDX-License-Identifier: MIT */
/* Waking loops when the machine has been asleep; resume.c. */
#ifndef UV_WIN_RESUME_H_
#define UV_WIN_RESUME_H_

#include "win/loop.h"

/* From now on the loop is woken, until it is removed. Context: any. */
void uv__resume_add(uv_loop_t* loop);
void uv__resume_remove(uv_loop_t* loop);

/* The machine is awake again: ends the wait of every loop, which then looks at
 * the clock. Context: any. */
void uv__resume_wake_all(void);

#endif /* UV_WIN_RESUME_H_ */
