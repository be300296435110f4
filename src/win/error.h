/* SPDX-License-Identifier: MIT */
/* From the system's errors to UV_E*. Context: any. */
#ifndef UV_WIN_ERROR_H_
#define UV_WIN_ERROR_H_

#include "base.h"

/* The calling thread's last error, right after a call that failed. Never 0. */
int uv__last_error(void);

/* Likewise after a Winsock call. */
int uv__wsa_error(void);

/* A status of the NT layer: 0 for success, else UV_E*. */
int uv__status_error(LONG status);

/* The same for a status that a socket's request ended with, where some
 * statuses mean something of their own (refused, reset, unreachable). */
int uv__status_sock_error(LONG status);

/* The Win32 error (ERROR_*) a status stands for; 0 for success. */
DWORD uv__status_to_win32(LONG status);

#endif /* UV_WIN_ERROR_H_ */
