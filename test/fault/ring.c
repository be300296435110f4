/* SPDX-License-Identifier: MIT */
/* See ring.h; the layout is that of io_uring_setup(2). */
#include "ring.h"

#include <linux/io_uring.h>
#include <stdint.h>

#define NO_OPERATION 255

static int ring_fd = -1;
static struct io_uring_params made;
static char* rings;
static struct io_uring_sqe* entries;

void ring_was_made(int fd, const void* params) {
  if (fd < 0)
    return;
  ring_fd = fd;
  made = *(const struct io_uring_params*) params;
  rings = NULL;
  entries = NULL;
}

void ring_was_mapped(int fd, size_t offset, void* start) {
  if (fd < 0 || fd != ring_fd || (intptr_t) start == -1)
    return;
  if (offset == IORING_OFF_SQ_RING)
    rings = start;
  else if (offset == IORING_OFF_SQES)
    entries = start;
}

void ring_spoil(int fd, unsigned count, int (*is_due)(void)) {
  if (fd != ring_fd || rings == NULL || entries == NULL)
    return;
  if (made.flags & IORING_SETUP_SQPOLL)
    return; /* the kernel's thread may have taken them already */
  const unsigned* head = (void*) (rings + made.sq_off.head);
  const unsigned* mask = (void*) (rings + made.sq_off.ring_mask);
  const unsigned* places = (void*) (rings + made.sq_off.array);

  for (unsigned i = 0; i < count; i++) {
    struct io_uring_sqe* sqe = &entries[places[(*head + i) & *mask]];
    if (sqe->opcode != IORING_OP_CLOSE && is_due())
      sqe->opcode = NO_OPERATION;
  }
}
