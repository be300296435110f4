/* SPDX-License-Identifier: MIT */
/* A raw io_uring; see uring.h, U1-U3. */
#include "unix/uring/uring.h"
#include "unix/fd.h"
#include "util/atomic.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Idle time after which the kernel thread sleeps until it is woken. */
#define SQ_THREAD_IDLE_MS 50

#define FEATURES                                                               \
 (UV__URING_FEAT_SINGLE_MMAP | UV__URING_FEAT_NODROP |                         \
  UV__URING_FEAT_RW_CUR_POS | UV__URING_FEAT_CUR_PERSONALITY |                 \
  UV__URING_FEAT_SQPOLL_NONFIXED | UV__URING_FEAT_NATIVE_WORKERS)

/* Heads and tails are free-running counters; sizes are powers of two. */
static unsigned slot_index(unsigned counter, unsigned entries) {
  return counter & (entries - 1);
}

static int ring_setup(unsigned entries, struct uv__uring_params* params) {
  long fd = syscall(UV__SYS_URING_SETUP, entries, params);
  return fd >= 0 ? uv__fd_above_stdio((int) fd) : uv__errno();
}

static int register_with(const struct uv__uring* ring,
                         unsigned what,
                         void* arg,
                         unsigned count) {
  long rc = syscall(UV__SYS_URING_REGISTER, ring->fd, what, arg, count);
  return rc >= 0 ? (int) rc : uv__errno();
}

static int ring_enter(const struct uv__uring* ring,
                      unsigned count,
                      unsigned flags) {
  long n = syscall(UV__SYS_URING_ENTER, ring->fd, count, 0u, flags, NULL, 0);
  return n >= 0 ? (int) n : uv__errno();
}

/* COOP_TASKRUN: completions are posted when this thread enters the kernel
 * anyway, without interrupting another processor. */
static int setup_best(unsigned entries,
                      int is_polled,
                      struct uv__uring_params* params) {
  unsigned base = is_polled ? UV__URING_SETUP_SQPOLL : 0;
  unsigned better = is_polled ? 0 : UV__URING_SETUP_COOP_TASKRUN;

  *params = (struct uv__uring_params) {
    .flags = base | better | UV__URING_SETUP_SUBMIT_ALL,
    .sq_thread_idle = SQ_THREAD_IDLE_MS,
  };
  int fd = ring_setup(entries, params);
  if (fd != UV_EINVAL)
    return fd;

  *params = (struct uv__uring_params) {
    .flags = base,
    .sq_thread_idle = SQ_THREAD_IDLE_MS,
  };
  return ring_setup(entries, params);
}

static size_t size_of_rings(const struct uv__uring_params* p) {
  size_t sq = p->sq_off.array + p->sq_entries * sizeof(unsigned);
  size_t cq = p->cq_off.cqes + p->cq_entries * sizeof(struct uv__cqe);

  return sq > cq ? sq : cq;
}

static void* ring_mmap(int fd, size_t size, off_t off) {
  void* start = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_POPULATE, fd, off);
  return start != MAP_FAILED ? start : NULL;
}

static int map_ring(struct uv__uring* ring, const struct uv__uring_params* p) {
  ring->rings_size = size_of_rings(p);
  ring->rings = ring_mmap(ring->fd, ring->rings_size, UV__URING_OFF_RINGS);
  if (ring->rings == NULL)
    return uv__errno();
  ring->sqes = ring_mmap(ring->fd, p->sq_entries * sizeof(*ring->sqes),
                         UV__URING_OFF_SQES);
  if (ring->sqes == NULL) {
    int err = uv__errno();
    munmap(ring->rings, ring->rings_size);
    return err;
  }

  char* base = ring->rings;
  ring->sq_head = (void*) (base + p->sq_off.head);
  ring->sq_tail = (void*) (base + p->sq_off.tail);
  ring->sq_flags = (void*) (base + p->sq_off.flags);
  ring->cq_head = (void*) (base + p->cq_off.head);
  ring->cq_tail = (void*) (base + p->cq_off.tail);
  ring->cqes = (void*) (base + p->cq_off.cqes);

  /* The submission queue holds indices of entries; we use them in order. */
  unsigned* numbers = (void*) (base + p->sq_off.array);
  for (unsigned i = 0; i < p->sq_entries; i++)
    numbers[i] = i;
  return 0;
}

int uv__uring_open(struct uv__uring* ring, unsigned entries, int is_polled) {
  struct uv__uring_params params;

  *ring = (struct uv__uring) { .is_polled = is_polled };
  ring->fd = setup_best(entries, is_polled, &params);
  if (ring->fd < 0)
    return ring->fd;

  int err = UV_ENOTSUP;
  if ((params.features & FEATURES) != FEATURES)
    goto err_close_fd;
  err = map_ring(ring, &params);
  if (err != 0)
    goto err_close_fd;

  ring->sq_entries = params.sq_entries;
  ring->cq_entries = params.cq_entries;
  return 0;

err_close_fd:
  uv__fd_close(ring->fd);
  ring->fd = -1;
  return err;
}

void uv__uring_close(struct uv__uring* ring) {
  munmap(ring->sqes, ring->sq_entries * sizeof(*ring->sqes));
  munmap(ring->rings, ring->rings_size);
  uv__fd_close(ring->fd);
  ring->fd = -1;
}

int uv__uring_probe(struct uv__uring* ring, uint64_t* ops) {
  struct uv__uring_probe probe;

  memset(&probe, 0, sizeof(probe));
  int err = register_with(ring, UV__URING_REGISTER_PROBE, &probe,
                          ARRAY_SIZE(probe.ops));
  if (err != 0)
    return err;

  *ops = 0;
  for (unsigned i = 0; i < ARRAY_SIZE(probe.ops); i++)
    if (probe.ops[i].flags & UV__URING_OP_SUPPORTED)
      *ops |= (uint64_t) 1 << i;
  return 0;
}

int uv__uring_set_eventfd(struct uv__uring* ring, int fd) {
  return register_with(ring, UV__URING_REGISTER_EVENTFD, &fd, 1);
}

struct uv__sqe* uv__uring_stage(struct uv__uring* ring) {
  /* Acquire: the kernel has read the previous content of the slot. */
  unsigned used = ring->sq_next - uv__load_acquire(ring->sq_head);

  if (used == ring->sq_entries || ring->in_flight == ring->cq_entries)
    return NULL; /* U2 */
  struct uv__sqe* sqe =
      &ring->sqes[slot_index(ring->sq_next, ring->sq_entries)];
  memset(sqe, 0, sizeof(*sqe));
  return sqe;
}

void uv__uring_push(struct uv__uring* ring) {
  ring->sq_next++;
  ring->in_flight++;
}

struct uv__sqe* uv__uring_unsent_at(struct uv__uring* ring, unsigned i) {
  assert(i < uv__uring_unsent(ring));
  return &ring->sqes[slot_index(ring->sq_sent + i, ring->sq_entries)];
}

void uv__uring_withdraw(struct uv__uring* ring, unsigned i) {
  assert(i <= uv__uring_unsent(ring));
  ring->in_flight -= uv__uring_unsent(ring) - i;
  ring->sq_next = ring->sq_sent + i;
}

int uv__uring_is_consumed(const struct uv__uring* ring) {
  return uv__load_acquire(ring->sq_head) == ring->sq_sent;
}

static int submit_polled(struct uv__uring* ring) {
  /* Either the kernel thread sees the new tail before it sleeps, or this load
   * sees that it sleeps; io_uring_setup(2), IORING_SETUP_SQPOLL. */
  uv__store_seq_cst(ring->sq_tail, ring->sq_next);
  ring->sq_sent = ring->sq_next;
  if ((uv__load_seq_cst(ring->sq_flags) & UV__URING_SQ_NEED_WAKEUP) == 0)
    return 0;
  (void) ring_enter(ring, 0, UV__URING_ENTER_SQ_WAKEUP); /* cannot fail */
  return 0;
}

int uv__uring_submit(struct uv__uring* ring) {
  if (ring->is_polled)
    return submit_polled(ring);

  int err = 0;
  uv__store_release(ring->sq_tail, ring->sq_next);
  while (uv__uring_unsent(ring) != 0 && err == 0) {
    int n = ring_enter(ring, uv__uring_unsent(ring), 0);
    if (n > 0)
      ring->sq_sent += (unsigned) n;
    else if (n != UV_EINTR)
      err = n == 0 ? UV_EAGAIN : n;
  }
  /* U1: the kernel does not read the entries until the next call. */
  uv__store_release(ring->sq_tail, ring->sq_sent);
  return err;
}

int uv__uring_register_personality(struct uv__uring* ring) {
  return register_with(ring, UV__URING_REGISTER_PERSONALITY, NULL, 0);
}

void uv__uring_unregister_personality(struct uv__uring* ring, int personality) {
  /* A personality that stays registered until the ring is closed is
   * harmless. */
  (void) register_with(ring, UV__URING_UNREGISTER_PERSONALITY, NULL,
                       (unsigned) personality);
}

unsigned uv__uring_done(const struct uv__uring* ring) {
  /* Acquire: the entries. */
  return uv__load_acquire(ring->cq_tail) - *ring->cq_head;
}

const struct uv__cqe* uv__uring_done_at(const struct uv__uring* ring,
                                        unsigned i) {
  return &ring->cqes[slot_index(*ring->cq_head + i, ring->cq_entries)];
}

struct uv__cqe uv__uring_pop(struct uv__uring* ring) {
  struct uv__cqe cqe = *uv__uring_done_at(ring, 0);

  assert(ring->in_flight > 0);
  ring->in_flight--;
  /* Release: the entry was read; the kernel may reuse the slot. */
  uv__store_release(ring->cq_head, *ring->cq_head + 1);
  return cqe;
}
