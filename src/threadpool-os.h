/* SPDX-License-Identifier: MIT */
#ifndef UV_THREADPOOL_OS_H_
#define UV_THREADPOOL_OS_H_

/* Has `reset` run in the child of every fork from now on; nothing to do where
 * processes do not fork. 0 or UV_E*. */
int uv__threadpool_at_fork(void (*reset)(void));

#endif /* UV_THREADPOOL_OS_H_ */
