/* SPDX-License-Identifier: MIT */
/* See afd.h. The driver's interface is undocumented, but has not changed since
 * Windows NT: select() is built on it.
 */
#include "win/afd.h"
#include "win/loop.h"
#include "win/sock.h"
#include "win/winapi.h"

/* FILE_DEVICE_NETWORK << 12 | AFD_POLL (9) << 2 | METHOD_BUFFERED. */
#define IOCTL_AFD_POLL 0x00012024

/* Layered providers must not intercept the first query; the second helps with
 * some that do. */
static const DWORD base_queries[] = {
  SIO_BASE_HANDLE, _WSAIOR(IOC_WS2, 29) /* SIO_BSP_HANDLE_POLL */
};

int uv__afd_base_socket(SOCKET sock, SOCKET* out) {
  int err = UV_ENOTSOCK;

  for (size_t i = 0; i < ARRAY_SIZE(base_queries); i++) {
    DWORD bytes;
    SOCKET base;
    if (WSAIoctl(sock, base_queries[i], NULL, 0, &base, sizeof(base), &bytes,
                 NULL, NULL) == 0) {
      *out = base;
      return 0;
    }
    err = uv__wsa_error();
    if (err == UV_ENOTSOCK)
      break;
  }
  return err;
}

/* One peer serves all kinds of sockets. The first of the loop's slots for peers
 * holds the socket, the second its base; the others are unused. */
enum { PEER, PEER_BASE };

static int make_peer(uv_loop_t* loop) {
  SOCKET sock;
  SOCKET base;

  int err = uv__sock_open(AF_INET, SOCK_DGRAM, &sock);
  if (err != 0)
    err = uv__sock_open(AF_INET6, SOCK_DGRAM, &sock);
  if (err != 0)
    return err;
  err = uv__afd_base_socket(sock, &base);
  if (err == 0)
    err = uv__loop_attach(loop, (HANDLE) base);
  if (err != 0) {
    closesocket(sock);
    return err;
  }
  loop->poll_peer_sockets[PEER] = sock;
  loop->poll_peer_sockets[PEER_BASE] = base;
  return 0;
}

/* Created on first use. */
static int peer_handle(uv_loop_t* loop, HANDLE* out) {
  int err = 0;

  if (loop->poll_peer_sockets[PEER] == INVALID_SOCKET)
    err = make_peer(loop);
  if (err == 0)
    *out = (HANDLE) loop->poll_peer_sockets[PEER_BASE];
  return err;
}

int uv__afd_poll(uv_loop_t* loop,
                 SOCKET base_socket,
                 unsigned int events,
                 AFD_POLL_INFO* info,
                 void* request) {
  OVERLAPPED* overlapped = uv__req_overlapped(request);
  HANDLE peer;

  int err = peer_handle(loop, &peer);
  if (err != 0)
    return err;

  info->Timeout.QuadPart = INT64_MAX;
  info->NumberOfHandles = 1;
  info->Exclusive = FALSE;
  info->Handles[0].Handle = (HANDLE) base_socket;
  info->Handles[0].Events = events;
  info->Handles[0].Status = 0;

  /* An OVERLAPPED starts with the NT layer's IO_STATUS_BLOCK. */
  struct uv__io_status* status = (struct uv__io_status*) (void*) overlapped;
  status->u.status = UV__STATUS_PENDING;
  LONG result = uv__winapi()->NtDeviceIoControlFile(
      peer, NULL, NULL, overlapped, status, IOCTL_AFD_POLL, info, sizeof(*info),
      info, sizeof(*info));
  return result >= 0 ? 0 : uv__status_sock_error(result);
}

void uv__afd_cancel(uv_loop_t* loop, void* request) {
  uv_req_t* req = request;
  HANDLE peer;

  if (peer_handle(loop, &peer) == 0)
    CancelIoEx(peer, &req->u.io.overlapped);
}

unsigned int uv__afd_result(const AFD_POLL_INFO* info, const void* request) {
  if (!uv__req_succeeded(request) || info->NumberOfHandles == 0)
    return 0;
  return info->Handles[0].Events;
}

void uv__afd_init_loop(uv_loop_t* loop) {
  for (size_t i = 0; i < ARRAY_SIZE(loop->poll_peer_sockets); i++)
    loop->poll_peer_sockets[i] = INVALID_SOCKET;
}

void uv__afd_close_loop(uv_loop_t* loop) {
  if (loop->poll_peer_sockets[PEER] != INVALID_SOCKET)
    closesocket(loop->poll_peer_sockets[PEER]);
  uv__afd_init_loop(loop);
}
