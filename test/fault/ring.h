/* SPDX-License-Identifier: MIT */
/* The entries of the library's ring (one ring at a time): an operation cannot
 * be refused by a failing call, only by the kernel. An entry with an unknown
 * opcode completes with EINVAL and has no effect. */
#ifndef RING_H_
#define RING_H_

#include <stddef.h>

/* The result of io_uring_setup() (below 0: none), and of any mmap(). */
void ring_was_made(int fd, const void* params);
void ring_was_mapped(int fd, size_t offset, void* start);

/* Of `count` entries about to be submitted, spoils those for which `is_due`
 * returns true. Closes are left alone: the kernel accepts them all. */
void ring_spoil(int fd, unsigned count, int (*is_due)(void));

#endif /* RING_H_ */
