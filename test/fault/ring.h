/* SPDX-License-Identifier: MIT */
/* The entries of a ring of the library's (one at a time): an operation cannot
 * be refused by a call that fails, only by the kernel. An entry with a number
 * that no operation has is answered with EINVAL, and nothing has happened.
 */
#ifndef RING_H_
#define RING_H_

#include <stddef.h>

/* What io_uring_setup() gave (below 0: none), and mmap() of anything. */
void ring_was_made(int fd, const void* params);
void ring_was_mapped(int fd, size_t offset, void* start);

/* Of `count` entries about to be submitted, spoils those that `is_due` says yes
 * to. Not asked for closes: the kernel takes them all. */
void ring_spoil(int fd, unsigned count, int (*is_due)(void));

#endif /* RING_H_ */
