/* SPDX-License-Identifier: MIT */
/* What threads have in common on every platform. Context: any. */
#ifndef UV_THREAD_COMMON_H_
#define UV_THREAD_COMMON_H_

#include "base.h"

/* The stack size that `options` ask for, 0 for the platform's default. Fields
 * that the flags do not announce are not read: the caller may have been
 * compiled with a shorter structure. */
size_t uv__thread_stack_size(const uv_thread_options_t* options);

#endif /* UV_THREAD_COMMON_H_ */
