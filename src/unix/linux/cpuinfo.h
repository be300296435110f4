/* SPDX-License-Identifier: MIT */
#ifndef UV_LINUX_CPUINFO_H_
#define UV_LINUX_CPUINFO_H_

#include "util/base.h"

/* uv_cpu_info() over the files below `root` (see procfs.h). */
int uv__cpuinfo_read(const char* root, uv_cpu_info_t** infos, int* count);

#endif /* UV_LINUX_CPUINFO_H_ */
