/* SPDX-License-Identifier: MIT */
/* The process title, see uv_setup_args() and uv_set_process_title(). */
#ifndef UV_UNIX_PROCTITLE_H_
#define UV_UNIX_PROCTITLE_H_

/* uv_library_shutdown(): frees the copied arguments; the title functions answer
 * UV_ENOBUFS afterwards. Context: any, but nobody may be using the arguments
 * that uv_setup_args() returned. */
void uv__proctitle_cleanup(void);

#endif /* UV_UNIX_PROCTITLE_H_ */
