/* SPDX-License-Identifier: MIT */
/* A bounded ring for many producers and one consumer. Each slot has a turn
 * number: n if it is free for the n-th send, n + 1 once that is in it.
 */
#include "observe/trace/sends.h"
#include "os/thread.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <string.h>

#define SLOTS 4096 /* a power of two */

struct send {
  size_t turn; /* atomic */
  uint64_t ns;
  uint64_t tid;
  const void* handle;
  const void* loop;
};

static struct send* ring; /* atomic */
static size_t next_in;    /* atomic: the number of the next send */
static size_t next_out;   /* the consumer's */
static uint64_t dropped;  /* atomic */

int uv__trace_sends_init(void) {
  if (ring != NULL)
    return 0;
  struct send* made = uv__calloc(SLOTS, sizeof(*made));
  if (made == NULL)
    return UV_ENOMEM;
  for (size_t i = 0; i < SLOTS; i++)
    made[i].turn = i;
  uv__store_release(&ring, made);
  return 0;
}

/* A slot for one more; NULL if there is none. */
static struct send* reserve_place(size_t* number) {
  struct send* sends = uv__load_acquire(&ring);
  size_t n = uv__load_relaxed(&next_in);

  for (;;) {
    struct send* send = &sends[n % SLOTS];
    /* Acquire: the consumer is done with it. Pairs with
     * uv__trace_send_take(). */
    size_t turn = uv__load_acquire(&send->turn);
    if (turn == n) {
      if (!uv__cas_weak(&next_in, &n, n + 1))
        continue;
      *number = n;
      return send;
    }
    if ((ptrdiff_t) (turn - n) < 0)
      return NULL; /* full */
    n = uv__load_relaxed(&next_in);
  }
}

void uv__trace_send_add(const uv_async_t* handle) {
  size_t number;
  struct send* send = reserve_place(&number);

  if (send == NULL) {
    uv__fetch_add(&dropped, 1);
    return;
  }
  send->ns = uv_hrtime();
  send->tid = uv__thread_os_id();
  send->handle = handle;
  send->loop = handle->loop;
  /* Release: the send. Pairs with uv__trace_send_take(). */
  uv__store_release(&send->turn, number + 1);
}

int uv__trace_send_take(struct uv__record* record, uint64_t* tid) {
  struct send* send = &ring[next_out % SLOTS];

  /* Acquire: pairs with uv__trace_send_add(). */
  if (uv__load_acquire(&send->turn) != next_out + 1)
    return 0;

  memset(record, 0, sizeof(*record));
  record->kind = UV__RECORD_SEND;
  record->begin_ns = send->ns;
  record->end_ns = send->ns;
  record->object = send->handle;
  record->loop = send->loop;
  record->flow = (uintptr_t) send->handle;
  *tid = send->tid;
  /* Release: it was read. Pairs with reserve_place(). */
  uv__store_release(&send->turn, next_out + SLOTS);
  next_out++;
  return 1;
}

uint64_t uv__trace_sends_dropped(void) {
  return uv__load_relaxed(&dropped);
}
