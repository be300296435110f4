/* SPDX-License-Identifier: MIT */
/* The name of a file that an observer writes, as the program or the environment
 * gave it: each %p in it becomes the process's number. A relative name is one
 * of the directory that was current then. */
#ifndef UV_OBSERVE_OUTPUT_H_
#define UV_OBSERVE_OUTPUT_H_

#include "util/base.h"

#define UV__OUTPUT_MAX 4096

struct uv__output {
  char pattern[UV__OUTPUT_MAX]; /* absolute */
  const char* given;            /* where the name that was given begins */
  unsigned mode;                /* of the file; 0: 0600 */
};

/* 0; UV_EINVAL: no name, or a mode that is not to be had; UV_E*. */
int uv__output_set(struct uv__output* output, const char* name, unsigned mode);

/* Is the name another one in each process? */
int uv__output_has_pid(const struct uv__output* output);

/* The file of this process: 0 or UV_ENAMETOOLONG. */
int uv__output_path(const struct uv__output* output, char* path, size_t size);

#endif /* UV_OBSERVE_OUTPUT_H_ */
