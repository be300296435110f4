/* SPDX-License-Identifier: MIT */
/* Poller: a completion port.
 *
 * The port delivers completed requests (UV__EVENT_REQ), found from their
 * OVERLAPPED, with the completion key in `bits`, and wake-ups, whose OVERLAPPED
 * is `wake_packet`. A packet stays in the port until it is dequeued, so wake()
 * is sticky (P6) and nothing is reported twice. There are no interests to
 * register: no watch operations.
 *
 * state->poller_data is WOKEN from a wake() until our wait dequeues its packet;
 * one packet serves all callers in between. It may leave the port temporarily:
 * programs that embed a loop dequeue packets from loop->iocp on their own
 * thread and post them again, unless the OVERLAPPED is NULL, which
 * GetQueuedCompletionStatus() also returns for a timeout.
 */
#include "os/loop.h"
#include "util/atomic.h"
#include "util/fatal.h"
#include "win/error.h"
#include "win/overlapped.h"

#include <string.h>

/* Packets per call: 2 KB of stack, since threads that run loops may have small
 * stacks. */
#define PORT_BATCH 64

/* Packets per iteration, as in libuv on Windows: the rest waits until the other
 * phases have run. */
#define PACKETS_MAX 128

/* Between two attempts to post a packet. */
#define RETRY_MS 1

#define WOKEN ((void*) 1)

/* Represents a wake-up of any loop. It is never read or written; only its
 * address matters. */
static OVERLAPPED wake_packet;

static void** wake_word(uv_loop_t* loop) {
  return &uv__loop_state(loop)->poller_data;
}

static int iocp_open(uv_loop_t* loop) {
  /* Concurrency 1: only the loop thread waits. */
  loop->iocp = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);
  *wake_word(loop) = NULL;
  return loop->iocp == NULL ? uv__last_error() : 0;
}

static void iocp_close(uv_loop_t* loop) {
  CloseHandle(loop->iocp);
  loop->iocp = INVALID_HANDLE_VALUE;
}

/* There is no fork on Windows. */
static int iocp_reopen(uv_loop_t* loop) {
  (void) loop;
  return UV_ENOSYS;
}

static void to_event(const OVERLAPPED_ENTRY* packet, struct uv__event* event) {
  event->bits = 0;
  event->kind = UV__EVENT_WAKE;
  event->key = 0;
  /* A packet without an OVERLAPPED was posted by others to end our wait. */
  if (packet->lpOverlapped == &wake_packet || packet->lpOverlapped == NULL)
    return;
  event->bits = (uint32_t) packet->lpCompletionKey;
  event->kind = UV__EVENT_REQ;
  event->key = (uintptr_t) uv__req_of(packet->lpOverlapped);
}

/* One call: the number of packets, or UV_E*. */
static int fetch_packets(uv_loop_t* loop,
                         struct uv__event* out,
                         int max,
                         DWORD timeout) {
  OVERLAPPED_ENTRY packets[PORT_BATCH];
  ULONG count = 0;

  if (max > PORT_BATCH)
    max = PORT_BATCH;
  if (!GetQueuedCompletionStatusEx(loop->iocp, packets, (ULONG) max, &count,
                                   timeout, FALSE)) {
    DWORD sys_error = GetLastError();
    return sys_error == WAIT_TIMEOUT ? 0 : uv_translate_sys_error(sys_error);
  }

  for (ULONG i = 0; i < count; i++) {
    to_event(&packets[i], &out[i]);
    /* Acquire: a caller that finds the word set relies on this wake-up. Pairs
     * with iocp_wake(). */
    if (packets[i].lpOverlapped == &wake_packet)
      (void) uv__exchange(wake_word(loop), NULL);
  }
  return (int) count;
}

static int iocp_wait(uv_loop_t* loop,
                     struct uv__event* out,
                     int max,
                     int timeout_ms) {
  if (max > PACKETS_MAX)
    max = PACKETS_MAX;
  int count = fetch_packets(loop, out, max,
                            timeout_ms < 0 ? INFINITE : (DWORD) timeout_ms);
  int last = count;

  /* The batch was full: there may be more. An error here will recur in the
   * next poll. */
  while (last == PORT_BATCH && count < max) {
    last = fetch_packets(loop, out + count, max - count, 0);
    if (last > 0)
      count += last;
  }
  return count;
}

/* A packet must not be lost: closing handles wait for theirs, other senders
 * rely on one that is on its way, and a worker could tell nobody. The system
 * refuses one only for lack of memory, which passes. */
static void post_packet(uv_loop_t* loop, OVERLAPPED* overlapped) {
  while (!PostQueuedCompletionStatus(loop->iocp, 0, 0, overlapped)) {
    int err = uv__last_error();
    if (err != UV_ENOMEM)
      uv__fatal("PostQueuedCompletionStatus", err);
    Sleep(RETRY_MS);
  }
}

static int iocp_wake(uv_loop_t* loop) {
  if (uv__exchange(wake_word(loop), WOKEN) == NULL)
    post_packet(loop, &wake_packet);
  return 0;
}

static void iocp_post(uv_loop_t* loop, uv_req_t* req) {
  post_packet(loop, &req->u.io.overlapped);
}

static const struct uv__poller poller_iocp = {
  .name = "iocp",
  .open = iocp_open,
  .close = iocp_close,
  .reopen = iocp_reopen,
  .wait = iocp_wait,
  .wake = iocp_wake,
  .post = iocp_post,
  .watch = NULL,
  .counts_waiting = 1, /* as in libuv on Windows */
};

/* Poller selection: there is only one. */

const struct uv__poller* const uv__poller_os_list[] = {
  &poller_iocp,
  NULL,
};

const struct uv__poller* uv__poller_os_find(const char* name) {
  return strcmp(name, poller_iocp.name) == 0 ? &poller_iocp : NULL;
}

const struct uv__poller* uv__poller_os_choose(void) {
  return &poller_iocp;
}
