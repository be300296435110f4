/* SPDX-License-Identifier: MIT */
/* uvx_deadline(): what the rest of the library knows of it. */
#ifndef UV_REQUEST_DEADLINE_H_
#define UV_REQUEST_DEADLINE_H_

#include "deadline-table.h"

/* The request was cancelled by the program: removes its deadline, if any. */
void uv__deadline_drop(uv_req_t* req);

/* The callback to name in reports: `cb`, which is what the request has, or the
 * program's if that is the library's own. */
const void* uv__deadline_symbol(const void* req, const void* cb);

/* Frees what the loop has; there is no request. */
void uv__deadline_close_loop(uv_loop_t* loop);

#endif /* UV_REQUEST_DEADLINE_H_ */
