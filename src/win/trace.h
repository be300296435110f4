/* SPDX-License-Identifier: MIT */
#ifndef UV_WIN_TRACE_H_
#define UV_WIN_TRACE_H_

/* Called as specified by uv__trace_os_key_create(). Context: any thread that
 * ends, with the loader lock held. */
void uv__observe_thread_ends(void);

#endif /* UV_WIN_TRACE_H_ */
