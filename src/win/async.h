/* SPDX-License-Identifier: MIT */
#ifndef UV_WIN_ASYNC_H_
#define UV_WIN_ASYNC_H_

#include "handle.h"

/* A send has arrived (UV_WAKEUP). */
void uv__async_done(uv_handle_t* handle, uv_req_t* req);

enum uv__close_result uv__async_close(uv_handle_t* handle);

#endif /* UV_WIN_ASYNC_H_ */
