/* SPDX-License-Identifier: MIT */
#ifndef UV_UNIX_SYSINFO_LINUX_CPU_H_
#define UV_UNIX_SYSINFO_LINUX_CPU_H_

#include "util/base.h"

/* uv_cpu_info() over the files below `root` (see procfs.h). */
int uv__cpuinfo_read(const char* root, uv_cpu_info_t** infos, int* count);

#endif /* UV_UNIX_SYSINFO_LINUX_CPU_H_ */
