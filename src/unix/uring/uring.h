/* SPDX-License-Identifier: MIT */
/* An io_uring: two queues in memory shared with the kernel.
 *
 *   stage -> push (neither costs a system call) -> submit -> pop
 *
 * U1  Entries that were pushed but not submitted can be withdrawn.
 * U2  Never more in flight than the completion queue can hold, so nothing
 *     overflows. Cancelled and ignored entries count until they are popped.
 * U3  One thread at a time.
 *
 * Errors are UV_E*. This module does not interpret entries.
 */
#ifndef UV_LINUX_URING_H_
#define UV_LINUX_URING_H_

#include "unix/uring/uring-abi.h"

struct uv__uring {
  int fd;
  int is_polled;      /* SQPOLL: a kernel thread consumes entries */
  unsigned in_flight; /* pushed and not popped */
  unsigned sq_next;   /* index of the next entry */
  unsigned sq_sent;   /* entries below this were submitted */
  unsigned sq_entries;
  unsigned cq_entries;
  /* In shared memory: */
  const unsigned* sq_head; /* written by the kernel */
  unsigned* sq_tail;
  const unsigned* sq_flags; /* written by the kernel */
  struct uv__sqe* sqes;
  unsigned* cq_head;
  const unsigned* cq_tail;    /* written by the kernel */
  const struct uv__cqe* cqes; /* written by the kernel */
  void* rings;                /* the mapping of all of these except sqes */
  size_t rings_size;
};

/* Creates a ring with up to `entries` (a power of two) submission entries;
 * UV_ENOSYS, UV_EPERM, UV_ENOMEM...; UV_ENOTSUP if the kernel is too old. With
 * `is_polled`, submitting needs a system call only to wake the kernel thread,
 * which has the credentials of the creator of the ring: see
 * uv__uring_register_personality(). */
int uv__uring_open(struct uv__uring* ring, unsigned entries, int is_polled);

/* Unmaps and closes; touches no shared memory, so a forked child may call it.
 * Operations in flight continue, their results are lost. */
void uv__uring_close(struct uv__uring* ring);

/* The operations below 64 that the kernel supports, one bit each. */
int uv__uring_probe(struct uv__uring* ring, uint64_t* ops);

/* Signals this eventfd on each completion. */
int uv__uring_set_eventfd(struct uv__uring* ring, int fd);

/* The next entry, zeroed, to be filled and pushed; NULL if the ring is full. */
struct uv__sqe* uv__uring_stage(struct uv__uring* ring);
void uv__uring_push(struct uv__uring* ring);

/* The number of entries pushed but not submitted; the i-th of them. */
static inline unsigned uv__uring_unsent(const struct uv__uring* ring) {
  return ring->sq_next - ring->sq_sent;
}
struct uv__sqe* uv__uring_unsent_at(struct uv__uring* ring, unsigned i);
/* Withdraws the entries from the i-th on (U1). */
void uv__uring_withdraw(struct uv__uring* ring, unsigned i);

/* Has the kernel consumed all submitted entries? Always, if not polled. */
int uv__uring_is_consumed(const struct uv__uring* ring);

/* Submits the pushed entries: 0, or UV_E* with the rest unsubmitted. */
int uv__uring_submit(struct uv__uring* ring);

/* Registers the credentials of the calling thread: their id for entries, or
 * UV_E*. */
int uv__uring_register_personality(struct uv__uring* ring);
/* Unregisters them. All entries with the id must have been consumed. */
void uv__uring_unregister_personality(struct uv__uring* ring, int personality);

/* The number of available results. */
unsigned uv__uring_done(const struct uv__uring* ring);
/* The i-th result, without removing it. */
const struct uv__cqe* uv__uring_done_at(const struct uv__uring* ring,
                                        unsigned i);
/* Removes the first result. */
struct uv__cqe uv__uring_pop(struct uv__uring* ring);

#endif /* UV_LINUX_URING_H_ */
