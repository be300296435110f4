/* SPDX-License-Identifier: MIT */
/* What the NT layer's statuses mean on a socket. Pure: no operating system in
 * here, so that it is tested on every one. */
#ifndef UV_WIN_SOCK_STATUS_H_
#define UV_WIN_SOCK_STATUS_H_

#include <stdint.h>

/* The UV_E* for a status that a socket's request failed with. */
int uv__sock_status_error(uint32_t status);

#endif /* UV_WIN_SOCK_STATUS_H_ */
