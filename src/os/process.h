/* SPDX-License-Identifier: MIT */
/* Process handles: what the platform supplies to process.c. */
#ifndef UV_OS_PROCESS_H_
#define UV_OS_PROCESS_H_

#include "handle.h"

/* Every child has the three standard descriptors, requested or not. */
#define UV__STDIO_STANDARD 3

/* The kind of a container: UV_IGNORE, UV_CREATE_PIPE, UV_INHERIT_FD or
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

/* Starts the child and stores its pid: 0, or UV_E* with no child left. The
 * options have been checked: there is a file, all flags are known, each
 * container has one kind, and a pipe to create has a pipe handle that is not
 * closing. Sets UV__PROCESS_REAPED if the child has already ended and been
 * waited for. */
int uv__process_os_spawn(uv_process_t* process,
                         const uv_process_options_t* options);

/* 0 or UV_E*. The child may have ended, or may never have started. */
int uv__process_os_kill(uv_process_t* process, int signum);

#endif /* UV_OS_PROCESS_H_ */
