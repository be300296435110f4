/* SPDX-License-Identifier: MIT */
/* An io_uring: two queues in memory shared with the kernel.
 *
 *   stage -> push (both cost no system call) -> submit -> pop
 *
 * U1  What was pushed and not submitted can be taken back.
 * U2  Never more in flight than the completion queue has room for, so nothing
 *     overflows. Cancelled and ignored entries count until they were popped.
 * U3  One thread at a time.
 *
 * Errors are UV_E*. Nothing here knows what the entries mean.
 */
#ifndef UV_LINUX_URING_H_
#define UV_LINUX_URING_H_

#include "unix/uring/uring-abi.h"

struct uv__uring {
  int fd;
  int is_polled;      /* a thread of the kernel's takes what is published */
  unsigned in_flight; /* pushed and not popped */
  unsigned sq_next;   /* where the next entry goes */
  unsigned sq_sent;   /* up to here the kernel has, or is about to take, it */
  unsigned sq_entries;
  unsigned cq_entries;
  /* In shared memory: */
  const unsigned* sq_head; /* the kernel's */
  unsigned* sq_tail;
  const unsigned* sq_flags; /* the kernel's */
  struct uv__sqe* sqes;
  unsigned* cq_head;
  const unsigned* cq_tail;    /* the kernel's */
  const struct uv__cqe* cqes; /* the kernel's */
  void* rings; /* what was mapped for all of these but the sqes */
  size_t rings_size;
};

/* Makes a ring with `entries` (a power of two) places for submission, or less;
 * UV_ENOSYS, UV_EPERM, UV_ENOMEM...; UV_ENOTSUP if the kernel's is too old.
 * With `is_polled`, submitting costs no system call but for waking the kernel's
 * thread. That one has the rights of whoever made the ring: see
 * uv__uring_act_as(). */
int uv__uring_open(struct uv__uring* ring, unsigned entries, int is_polled);

/* Unmaps and closes; touches no shared memory, so that the child of a fork may
 * call it. What is in flight goes on, unheard. */
void uv__uring_close(struct uv__uring* ring);

/* The operations below 64 that the kernel knows, a bit each. */
int uv__uring_probe(struct uv__uring* ring, uint64_t* ops);

/* Each completion is a signal to this eventfd. */
int uv__uring_set_eventfd(struct uv__uring* ring, int fd);

/* The next entry, zeroed, to be filled and pushed; NULL if there is no room. */
struct uv__sqe* uv__uring_stage(struct uv__uring* ring);
void uv__uring_push(struct uv__uring* ring);

/* How many are pushed and not submitted; the i-th of them. */
static inline unsigned uv__uring_unsent(const struct uv__uring* ring) {
  return ring->sq_next - ring->sq_sent;
}
struct uv__sqe* uv__uring_unsent_at(struct uv__uring* ring, unsigned i);
/* Takes back those from the i-th on (U1). */
void uv__uring_take_back(struct uv__uring* ring, unsigned i);

/* Has the kernel taken all that was submitted? Always, if not polled. */
int uv__uring_is_taken(const struct uv__uring* ring);

/* Hands to the kernel what was pushed: 0, or UV_E* and the rest is unsent. */
int uv__uring_submit(struct uv__uring* ring);

/* Registers the rights the calling thread has now: their number, to be put into
 * entries, or UV_E*. */
int uv__uring_act_as(struct uv__uring* ring);
/* Not before all entries with the number are taken. */
void uv__uring_act_no_more(struct uv__uring* ring, int personality);

/* How many results are there. */
unsigned uv__uring_done(const struct uv__uring* ring);
/* The i-th of them; stays there. */
const struct uv__cqe* uv__uring_done_at(const struct uv__uring* ring,
                                        unsigned i);
/* Takes the first of them away. */
struct uv__cqe uv__uring_pop(struct uv__uring* ring);

#endif /* UV_LINUX_URING_H_ */
