/* SPDX-License-Identifier: MIT */
/* The path for the dump of a process. Pure: independent of the operating
 * system, so that it is tested everywhere.
 */
#ifndef UV_WIN_DUMP_PATH_H_
#define UV_WIN_DUMP_PATH_H_

#include <stddef.h>
#include <stdint.h>

/* Writes folder\program.exe.pid.dmp and a NUL, where `image` is the program's
 * path. `room` is the size of `path` in units, not in bytes. 0, or
 * UV_ENAMETOOLONG if it does not fit; `path` is then empty (if there is room
 * for that). */
int uv__dump_path(uint16_t* path,
                  size_t room,
                  const uint16_t* folder,
                  const uint16_t* image,
                  uint32_t pid);

#endif /* UV_WIN_DUMP_PATH_H_ */
