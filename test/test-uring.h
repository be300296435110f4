/* SPDX-License-Identifier: MIT */
/* For the tests of files through io_uring. */
#ifndef TEST_URING_H_
#define TEST_URING_H_

/* Sets UV_USE_IO_URING, or removes it (NULL). */
void uring_ask_for(const char* value);

/* How many rings this process has open: 0 on systems without procfs. */
int uring_count(void);

#endif /* TEST_URING_H_ */
