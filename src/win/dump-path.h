/* SPDX-License-Identifier: MIT */
/* Where the dump of a process goes. Pure: no operating system in here, so that
 * it is tested on every one.
 */
#ifndef UV_WIN_DUMP_PATH_H_
#define UV_WIN_DUMP_PATH_H_

#include <stddef.h>
#include <stdint.h>

/* Writes folder\program.exe.pid.dmp and a 0, where `image` is the program's
 * path. `room` is that of `path` in units, not in bytes. 0; UV_ENAMETOOLONG if
 * it does not fit, and `path` is empty then (if there is room for that). */
int uv__dump_path(uint16_t* path,
                  size_t room,
                  const uint16_t* folder,
                  const uint16_t* image,
                  uint32_t pid);

#endif /* UV_WIN_DUMP_PATH_H_ */
