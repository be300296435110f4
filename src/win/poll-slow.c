/* SPDX-License-Identifier: MIT */
/* Sockets of providers that are not built on AFD, of poll handles and of UDP
 * handles that receive: a system thread waits in select() and fills in the
 * result as AFD would.
 *
 * While the thread runs, it owns the request and the poll info, except for
 * Exclusive, which the loop sets to stop it.
 */
#include "util/atomic.h"
#include "win/afd.h"
#include "win/system-work.h"

/* select() cannot be woken, so it times out this often. */
#define SLICE_US (100 * 1000)

#define INCOMING                                                               \
 (UV__AFD_RECEIVE | UV__AFD_ACCEPT | UV__AFD_DISCONNECT | UV__AFD_ABORT)

/* There are several reasons for being readable. */
static unsigned int why_readable(SOCKET sock) {
  char byte;
  int n = recv(sock, &byte, 1, MSG_PEEK);

  if (n > 0)
    return UV__AFD_RECEIVE;
  if (n == 0)
    return UV__AFD_RECEIVE | UV__AFD_DISCONNECT;
  int sys_error = WSAGetLastError();
  if (sys_error == WSAECONNRESET || sys_error == WSAECONNABORTED)
    return UV__AFD_ABORT;
  return UV__AFD_RECEIVE | UV__AFD_ACCEPT; /* a listener or a datagram socket */
}

/* One call of select(): AFD's events, 0 for none, or a negated Winsock
 * error. */
static int select_once(SOCKET sock, unsigned int wanted) {
  struct timeval slice = { 0, SLICE_US };
  fd_set sets[3];
  unsigned int found = 0;

  for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
    FD_ZERO(&sets[i]);
  if (wanted & INCOMING)
    FD_SET(sock, &sets[0]);
  if (wanted & UV__AFD_SEND)
    FD_SET(sock, &sets[1]);
  /* Failed connects and urgent data. Never empty: select() rejects empty
   * sets. */
  FD_SET(sock, &sets[2]);

  if (select(0, &sets[0], &sets[1], &sets[2], &slice) < 0)
    return -WSAGetLastError();
  if (FD_ISSET(sock, &sets[0]))
    found |= why_readable(sock);
  if (FD_ISSET(sock, &sets[1]))
    found |= UV__AFD_SEND;
  if (FD_ISSET(sock, &sets[2]))
    found |= UV__AFD_CONNECT_FAIL | UV__AFD_URGENT;
  return (int) (found & wanted);
}

/* Context: system thread pool. */
static void CALLBACK wait_in_select(PTP_CALLBACK_INSTANCE instance, void* arg) {
  uv_req_t* req = arg;
  AFD_POLL_INFO* info = (AFD_POLL_INFO*) req->u.io.overlapped.hEvent;
  SOCKET sock = (SOCKET) info->Handles[0].Handle;
  uv_loop_t* loop = ((uv_handle_t*) req->data)->loop;
  int found = 0;

  (void) instance;
  /* Pairs with uv__poll_slow_cancel(). */
  while (found == 0 && !uv__load_acquire(&info->Exclusive))
    found = select_once(sock, info->Handles[0].Events);

  info->Handles[0].Events = found > 0 ? (ULONG) found : 0;
  info->NumberOfHandles = found > 0;
  uv__req_set_error(req, found < 0   ? (DWORD) -found
                         : found > 0 ? 0
                                     : ERROR_OPERATION_ABORTED);
  uv__req_post(loop, req);
}

int uv__poll_slow(SOCKET sock,
                  unsigned int events,
                  AFD_POLL_INFO* info,
                  uv_req_t* req) {
  /* hEvent means nothing to a thread: it holds the question. */
  uv__req_overlapped(req)->hEvent = info;
  info->NumberOfHandles = 0;
  info->Exclusive = 0;
  info->Handles[0].Handle = (HANDLE) sock;
  info->Handles[0].Events = events;
  return uv__system_work(wait_in_select, req);
}

void uv__poll_slow_cancel(AFD_POLL_INFO* info) {
  uv__store_release(&info->Exclusive, 1);
}
