/* SPDX-License-Identifier: MIT */
/* uvx_read(): reading as requests, on top of the reading that streams do. What
 * platforms use of it is in os/stream.h. */
#ifndef UV_STREAM_READER_H_
#define UV_STREAM_READER_H_

#include "os/stream.h"
#include "uv/ext.h"

/* The alloc_cb of a stream with a request. */
void uv__reader_alloc_cb(uv_handle_t* handle, size_t size, uv_buf_t* buf);

/* uv_cancel(): 0; UV_EBUSY: the result is there. */
int uv__reader_cancel(uvx_read_t* req);

/* Is the request, which was submitted, still to be reported? */
int uv__reader_is_pending(const uvx_read_t* req);

#endif /* UV_STREAM_READER_H_ */
