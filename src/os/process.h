/* SPDX-License-Identifier: MIT */
/* Process handles: what process.c asks of the platform. */
#ifndef UV_OS_PROCESS_H_
#define UV_OS_PROCESS_H_

#include "handle.h"

/* The standard descriptors: a child has them, given or not. */
#define UV__STDIO_STANDARD 3

/* What a container is: UV_IGNORE, UV_CREATE_PIPE, UV_INHERIT_FD or
 * UV_INHERIT_STREAM. The other flags qualify a pipe. */
static inline unsigned int uv__stdio_kind(const uv_stdio_container_t* one) {
  return (unsigned int) one->flags &
         (UV_CREATE_PIPE | UV_INHERIT_FD | UV_INHERIT_STREAM);
}

/* How many descriptors the child gets. */
static inline int uv__stdio_count(const uv_process_options_t* options) {
  return options->stdio_count > UV__STDIO_STANDARD ? options->stdio_count
                                                   : UV__STDIO_STANDARD;
}

/* Called by the platform when the child has ended: stops the handle and runs
 * exit_cb. */
void uv__process_report_exit(uv_process_t* process,
                             int64_t exit_status,
                             int term_signal);

/* Implemented by the platform. */

/* Initialises the private fields. */
void uv__process_os_init(uv_process_t* process);

/* Starts the child and stores its pid. There is a file, the flags are known
 * ones, each container is of one kind and its stream one that can be: a pipe
 * to create is a pipe handle that is not closing. 0 or UV_E*, with no child.
 * One that has ended and was waited for already: UV__PROCESS_REAPED is set. */
int uv__process_os_spawn(uv_process_t* process,
                         const uv_process_options_t* options);

/* The child may have ended, or never have been started. 0 or UV_E*. */
int uv__process_os_kill(uv_process_t* process, int signum);

#endif /* UV_OS_PROCESS_H_ */
