/* SPDX-License-Identifier: MIT */
/* The stack of the calling thread, through generated code as well. */
#ifndef UV_UNIX_STACK_WALK_H_
#define UV_UNIX_STACK_WALK_H_

#include "util/base.h"

/* Loads what a walk needs; a walk before it finds nothing. */
void uv__stack_walk_init(void);

/* Stores the return addresses of the caller and of its callers, innermost
 * first; returns how many. Context: any | signal. */
int uv__stack_walk(void** frames, int max);

#endif /* UV_UNIX_STACK_WALK_H_ */
