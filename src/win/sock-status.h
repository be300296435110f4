/* SPDX-License-Identifier: MIT */
/* NTSTATUS values of socket operations. Pure: independent of the operating
 * system, so that it is tested everywhere. */
#ifndef UV_WIN_SOCK_STATUS_H_
#define UV_WIN_SOCK_STATUS_H_

#include <stdint.h>

/* The UV_E* for the status of a failed socket request. */
int uv__sock_status_error(uint32_t status);

#endif /* UV_WIN_SOCK_STATUS_H_ */
