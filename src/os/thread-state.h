/* SPDX-License-Identifier: MIT */
/* What the threads of the process do, in words. Context: any. */
#ifndef UV_OS_THREAD_STATE_H_
#define UV_OS_THREAD_STATE_H_

#include "util/base.h"
#include "util/string-builder.h"

/* What another thread does in the kernel; "" if the system does not provide
 * it. */
void uv__thread_state_os_get(uint64_t tid, char* text, size_t size);

/* A line per thread of the process: number, name, what it does in the kernel;
 * nothing where the system does not provide it. */
void uv__thread_state_os_add_all(struct uv__strbuf* text);

#endif /* UV_OS_THREAD_STATE_H_ */
