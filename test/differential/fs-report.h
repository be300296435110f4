/* SPDX-License-Identifier: MIT */
#ifndef DIFFERENTIAL_FS_REPORT_H_
#define DIFFERENTIAL_FS_REPORT_H_

#include <uv.h>

/* The results of a finished file request, without what differs between two runs
 * (inodes, times, the directory's name). `data` is its buffer. */
void fs_report(uv_fs_t* req, const char* data, char* text, size_t size);

#endif
