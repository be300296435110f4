/* SPDX-License-Identifier: MIT */
/* clonefile(2) of macOS for Linux, for tests only: as far as we use it. */
#ifndef KQUEUE_SHIM_SYS_CLONEFILE_H_
#define KQUEUE_SHIM_SYS_CLONEFILE_H_

#include <stdint.h>

/* Refuses with ENOTSUP while KQUEUE_SHIM_NO_CLONES is in the environment, as a
 * file system without clones does. */
int fclonefileat(int in, int dir, const char* name, uint32_t flags);

#endif /* KQUEUE_SHIM_SYS_CLONEFILE_H_ */
