/* SPDX-License-Identifier: MIT */
/* Translation of system errors to UV_E*. Context: any. */
#ifndef UV_WIN_ERROR_H_
#define UV_WIN_ERROR_H_

#include "util/base.h"

/* The calling thread's last error, right after a failed call. Never 0. */
int uv__last_error(void);

/* The same after a Winsock call. */
int uv__wsa_error(void);

/* Translates an NTSTATUS: 0 for success, else UV_E*. */
int uv__status_error(LONG status);

/* The same for a socket operation, where some statuses have another meaning
 * (refused, reset, unreachable). */
int uv__status_sock_error(LONG status);

/* The Win32 error (ERROR_*) for an NTSTATUS; 0 for success. */
DWORD uv__status_to_win32(LONG status);

#endif /* UV_WIN_ERROR_H_ */
