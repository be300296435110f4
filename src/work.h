/* SPDX-License-Identifier: MIT */
#ifndef UV_WORK_H_
#define UV_WORK_H_

#include "util/base.h"

/* uv_cancel() for a uv_work_t, whichever pool it is in. */
int uv__work_cancel_user(uv_work_t* req);

#endif /* UV_WORK_H_ */
