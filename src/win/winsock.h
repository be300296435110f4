/* SPDX-License-Identifier: MIT */
/* Winsock's life in this process. Context: any. */
#ifndef UV_WIN_WINSOCK_H_
#define UV_WIN_WINSOCK_H_

#include "base.h"

/* Makes Winsock usable, once; uv_loop_init() does it, and so must functions
 * that need no loop (names, interfaces, socket pairs). 0 or UV_E*. */
int uv__winsock_startup(void);

#endif /* UV_WIN_WINSOCK_H_ */
