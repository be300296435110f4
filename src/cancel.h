/* SPDX-License-Identifier: MIT */
/* Cancelling requests, for uv_cancel() and for deadlines. */
#ifndef UV_CANCEL_H_
#define UV_CANCEL_H_

#include "util/base.h"

/* Takes back a request that is under way. 0: its callback will get
 * UV_ECANCELED (UV_EAI_CANCELED), or has got it already: that of a shutdown is
 * called inside. UV_EBUSY: too late, the result will come. UV_EINVAL: no such
 * type. */
int uv__req_cancel(uv_req_t* req);

#endif /* UV_CANCEL_H_ */
