/* SPDX-License-Identifier: MIT */
/* File requests through io_uring; fs-uring.h says when it is used.
 *
 * Offered requests become entries of the loop's ring. The poll phase submits
 * them with one system call. Completions wake the loop through its eventfd and
 * are delivered with those of the pool. Some operations, like cached reads,
 * complete during submission; the loop finds them without sleeping.
 *
 * Credentials: the kernel uses those of the submitting thread at that moment,
 * so dropping privileges is safe. But with SQPOLL, the kernel thread keeps
 * those of the creator (CVE-2024-22017), so each batch then registers the
 * current ones, until all submitted entries are consumed.
 *
 * Failure: without a ring, without space or for an unsupported request, the
 * pool executes it. If submission fails, the requests go to the pool.
 */
#include "loop/loop.h"
#include "os/fs.h"
#include "unix/loop.h"
#include "unix/uring/fs-uring-map.h"
#include "unix/uring/fs-uring.h"
#include "unix/uring/uring.h"
#include "unix/wake-fd.h"
#include "util/alloc.h"
#include "util/atomic.h"
#include "util/env.h"

#include <pthread.h>
#include <stdlib.h>

#define ENTRIES 256
/* Registered credentials that are tracked; further ones stay registered until
 * the ring is closed. */
#define STAMPS_MAX 16

/* Values of user_data that are not requests: an entry whose result is ignored,
 * and the result of a cancellation. */
#define IGNORED 0
#define CANCELLATION 1

struct uv__fs_uring {
  struct uv__uring ring;
  struct uv__fs_uring_map map;
  unsigned generation;    /* number of forks before it was created */
  int stamps[STAMPS_MAX]; /* registered credentials that may be in use */
  unsigned nstamps;
};

/* Forks between this process and the first one that used a ring. A ring with a
 * lower number belongs to the parent. */
static unsigned generation;
static uv_once_t watch_forks_once = UV_ONCE_INIT;
static int watch_forks_err;

/* Rings of this process, of all loops. Atomic: any thread may ask. */
static unsigned nrings;

static void count_fork(void) {
  generation++;
  uv__store_relaxed(&nrings, 0);
}

static void watch_forks(void) {
  watch_forks_err = -pthread_atfork(NULL, NULL, count_fork);
}

/* NULL if there is none, or if it belongs to the parent. */
static struct uv__fs_uring* ring_of(const uv_loop_t* loop) {
  struct uv__fs_uring* fu = uv__loop_os(loop)->fs_uring;

  return fu != NULL && fu->generation == generation ? fu : NULL;
}

/* What to use: nothing, operations that complete during submission, or all.
 * UV_USE_IO_URING=0 overrides everything else. */
enum { USE_UNSAID = -1, USE_NOTHING, USE_AT_ONCE, USE_ALL };

static int environment_use(void) {
  char text[32];
  int err = uv__env_get("UV_USE_IO_URING", text, sizeof(text));

  return err == 0 ? atoi(text) : USE_UNSAID;
}

static int requested_use(const uv_loop_t* loop) {
  int use = environment_use();

  if (use != USE_UNSAID)
    return use;
  if (uv__loop_state(loop)->flags & UV__LOOP_WANT_SQPOLL)
    return USE_AT_ONCE;
  return USE_NOTHING;
}

static int open_ring(uv_loop_t* loop, struct uv__fs_uring* fu) {
  int is_polled = (uv__loop_state(loop)->flags & UV__LOOP_WANT_SQPOLL) != 0;

  uv_once(&watch_forks_once, watch_forks);
  if (watch_forks_err != 0)
    return watch_forks_err;
  int err = uv__uring_open(&fu->ring, ENTRIES, is_polled);
  if (err != 0)
    return err;
  err = uv__uring_probe(&fu->ring, &fu->map.ops);
  if (err == 0)
    err = uv__uring_set_eventfd(&fu->ring, uv__wake_fd_get(loop));
  if (err != 0)
    uv__uring_close(&fu->ring);
  return err;
}

static struct uv__fs_uring* make_ring(uv_loop_t* loop, int takes_all) {
  struct uv__fs_uring* fu = uv__calloc(1, sizeof(*fu));
  if (fu == NULL)
    return NULL;
  if (open_ring(loop, fu) != 0) {
    uv__free(fu);
    return NULL;
  }
  uv__fetch_add(&nrings, 1);
  fu->generation = generation;
  fu->map.takes_all = takes_all;
  uv__fs_uring_forget_fds(&fu->map);
  return fu;
}

/* Decides about a ring at the first request that could use it. */
static void ring_decide(const uv_fs_t* req) {
  int use = requested_use(req->loop);
  int takes_all = use >= USE_ALL;
  struct uv__fs_uring* fu = NULL;

  if (use > USE_NOTHING) {
    if (!uv__fs_uring_is_mapped(req->fs_type, takes_all))
      return;
    fu = make_ring(req->loop, takes_all);
  }
  uv__loop_os(req->loop)->fs_uring = fu;
  if (fu == NULL) /* not requested, or refused: do not try again */
    uv__loop_state(req->loop)->flags &= ~(unsigned) UV__LOOP_OFFERS_FS;
}

int uv__fs_os_offer(uv_fs_t* req) {
  if (uv__loop_os(req->loop)->fs_uring == NULL)
    ring_decide(req);
  struct uv__fs_uring* fu = ring_of(req->loop);
  if (fu == NULL)
    return 0;

  struct uv__sqe* sqe = uv__uring_stage(&fu->ring);
  if (sqe == NULL || !uv__fs_uring_fill(&fu->map, req, sqe))
    return 0;
  uv__uring_push(&fu->ring);
  return 1;
}

static uv_fs_t* req_of(uint64_t user_data) {
  return (uv_fs_t*) (uintptr_t) user_data;
}

/* Passes requests that could not be submitted to the pool. */
static void take_back(struct uv__fs_uring* fu) {
  unsigned count = uv__uring_unsent(&fu->ring);

  for (unsigned i = 0; i < count; i++) {
    uint64_t user_data = uv__uring_unsent_at(&fu->ring, i)->user_data;
    if (user_data == IGNORED || user_data == CANCELLATION)
      continue;
    uv__fs_uring_undo(&fu->map, req_of(user_data));
    uv__fs_to_pool(req_of(user_data));
  }
  uv__uring_withdraw(&fu->ring, 0);
}

/* The kernel thread advances the head after it posts the result, possibly late,
 * so nothing waits for it. */
static void drop_stamps(struct uv__fs_uring* fu) {
  if (!uv__uring_is_consumed(&fu->ring))
    return;
  while (fu->nstamps > 0)
    uv__uring_unregister_personality(&fu->ring, fu->stamps[--fu->nstamps]);
}

/* Assigns the current credentials to all unsubmitted entries. */
static int stamp_batch(struct uv__fs_uring* fu) {
  drop_stamps(fu);
  int stamp = uv__uring_register_personality(&fu->ring);
  if (stamp < 0)
    return stamp;

  if (fu->nstamps < STAMPS_MAX)
    fu->stamps[fu->nstamps++] = stamp;
  for (unsigned i = 0; i < uv__uring_unsent(&fu->ring); i++)
    uv__uring_unsent_at(&fu->ring, i)->personality = (uint16_t) stamp;
  return 0;
}

static void ring_submit(struct uv__fs_uring* fu) {
  int err = fu->ring.is_polled ? stamp_batch(fu) : 0;

  if (err == 0)
    err = uv__uring_submit(&fu->ring);
  if (err != 0)
    take_back(fu);
  uv__fs_uring_forget_fds(&fu->map);
}

void uv__fs_uring_commit(uv_loop_t* loop) {
  struct uv__fs_uring* fu = ring_of(loop);

  if (fu == NULL)
    return;
  if (uv__uring_unsent(&fu->ring) != 0)
    ring_submit(fu);
  /* Completions after this check signal the eventfd during the wait. */
  if (uv__uring_done(&fu->ring) != 0)
    (void) uv__wake_send(loop); /* the eventfd was signalled as well */
}

int uv__fs_uring_uncommitted(const uv_loop_t* loop) {
  const struct uv__fs_uring* fu = ring_of(loop);
  return fu != NULL && uv__uring_unsent(&fu->ring) != 0;
}

/* 1 if a callback ran. */
static int req_finish(struct uv__fs_uring* fu, const struct uv__cqe* cqe) {
  if (cqe->user_data == IGNORED || cqe->user_data == CANCELLATION)
    return 0;

  uv_fs_t* req = req_of(cqe->user_data);
  if (cqe->res == UV_ECANCELED && req->result == UV_ECANCELED)
    uv__fs_uring_undo(&fu->map, req);
  else if (!uv__fs_uring_finish(&fu->map, req, cqe->res)) {
    uv__fs_to_pool(req);
    return 0;
  }
  uv__fs_done(req);
  return 1;
}

int uv__fs_uring_run_done(uv_loop_t* loop) {
  struct uv__fs_uring* fu = ring_of(loop);
  int ran = 0;

  if (fu == NULL)
    return 0;
  /* Skips completions that arrive while callbacks run. A callback may fork, and
   * the child drops the ring. */
  for (unsigned n = uv__uring_done(&fu->ring); n > 0 && fu != NULL; n--) {
    struct uv__cqe cqe = uv__uring_pop(&fu->ring);
    ran += req_finish(fu, &cqe);
    fu = ring_of(loop);
  }
  return ran;
}

static struct uv__sqe* find_unsent(struct uv__fs_uring* fu, uv_fs_t* req) {
  for (unsigned i = 0; i < uv__uring_unsent(&fu->ring); i++) {
    struct uv__sqe* sqe = uv__uring_unsent_at(&fu->ring, i);
    if (req_of(sqe->user_data) == req)
      return sqe;
  }
  return NULL;
}

/* The result of the last cancellation; UV_EBUSY if it has not arrived. */
static int last_cancel_result(const struct uv__fs_uring* fu) {
  for (unsigned i = uv__uring_done(&fu->ring); i > 0; i--) {
    const struct uv__cqe* cqe = uv__uring_done_at(&fu->ring, i - 1);
    if (cqe->user_data == CANCELLATION)
      return cqe->res;
  }
  return UV_EBUSY;
}

/* Cancels in the kernel, synchronously. The kernel may interrupt a running
 * operation and says so; that counts as running, and the pool continues it. */
static int cancel_sent(struct uv__fs_uring* fu, const uv_fs_t* req) {
  if (fu->ring.is_polled)
    return UV_EBUSY; /* the result would have to be waited for */

  ring_submit(fu);
  struct uv__sqe* sqe = uv__uring_stage(&fu->ring);
  if (sqe == NULL)
    return UV_EBUSY;
  sqe->opcode = UV__URING_ASYNC_CANCEL;
  sqe->fd = -1;
  sqe->addr = (uint64_t) (uintptr_t) req;
  sqe->user_data = CANCELLATION;
  uv__uring_push(&fu->ring);
  ring_submit(fu);
  return last_cancel_result(fu) >= 0 ? 0 : UV_EBUSY;
}

int uv__fs_os_cancel(uv_fs_t* req) {
  struct uv__fs_uring* fu = ring_of(req->loop);
  if (fu == NULL)
    return UV_EBUSY; /* belongs to the parent */
  if (req->result == UV_ECANCELED)
    return 0; /* already cancelled */

  struct uv__sqe* sqe = find_unsent(fu, req);
  if (sqe != NULL) {
    *sqe = (struct uv__sqe) { .opcode = UV__URING_NOP, .user_data = IGNORED };
    uv__fs_uring_undo(&fu->map, req);
    uv__fs_cancelled(req);
    return 0;
  }

  int err = cancel_sent(fu, req);
  if (err == 0)
    req->result = UV_ECANCELED; /* until its completion arrives */
  return err;
}

void uv__fs_uring_close(uv_loop_t* loop) {
  struct uv__loop_os* os = uv__loop_os(loop);
  struct uv__fs_uring* fu = os->fs_uring;

  os->fs_uring = NULL;
  if (fu->generation == generation)
    uv__fetch_sub(&nrings, 1);
  uv__uring_close(&fu->ring);
  uv__fs_uring_map_close(&fu->map);
  uv__free(fu);
}

int uv__node_patch_is_using_io_uring(void) {
  return uv__load_relaxed(&nrings) != 0 || environment_use() > USE_NOTHING;
}
