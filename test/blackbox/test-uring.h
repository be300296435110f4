/* SPDX-License-Identifier: MIT */
/* For the tests of files through io_uring. */
#ifndef TEST_URING_H_
#define TEST_URING_H_

#include "uv.h"

/* Sets UV_USE_IO_URING, or removes it (NULL). */
void uring_ask_for(const char* value);

/* How many rings this process has open: 0 on systems without procfs. */
int uring_count(void);

/* For uv_fs_*(): counts, and keeps the result. */
void uring_cb(uv_fs_t* req);
extern int uring_callbacks;

/* Runs the loop of a request that was submitted with `err`, which must be 0, to
 * its end. Returns the request's result. */
ssize_t uring_run(int err, uv_fs_t* req);

#endif /* TEST_URING_H_ */
