/* SPDX-License-Identifier: MIT */
/* Sockets on Windows when the system gives answers that Wine never gives: no
 * memory for a send, a connection that was dropped, an undeliverable datagram,
 * sockets that AFD does not know. */
#include "replace-win.h"

#include "util/atomic.h"
#include "win/afd.h"
#include "win/winapi.h"

#include <string.h>

#define STATUS_LOCAL_DISCONNECT_ ((ULONG_PTR) 0xC000013Bu)
#define STATUS_INVALID_DEVICE_REQUEST_ ((LONG) 0xC0000010)

static uv_loop_t loop;
static uv_tcp_t ends[2];

/* ---- replaced functions: 0 means that the system answers ---- */

static int trial_error;      /* WSASend() without OVERLAPPED */
static int overlapped_error; /* WSASend() with one */
static int trials;
static int overlapped_sends;

static int WSAAPI answer_WSASend(SOCKET sock,
                                 WSABUF* bufs,
                                 DWORD count,
                                 DWORD* sent,
                                 DWORD flags,
                                 WSAOVERLAPPED* overlapped,
                                 LPWSAOVERLAPPED_COMPLETION_ROUTINE routine) {
  int sys_error = overlapped == NULL ? trial_error : overlapped_error;

  if (overlapped == NULL)
    trials++;
  else
    overlapped_sends++;
  if (sys_error == 0)
    return REAL("ws2_32", WSASend)(sock, bufs, count, sent, flags, overlapped,
                                   routine);
  WSASetLastError(sys_error);
  return SOCKET_ERROR;
}
REPLACE(WSASend, 28);

static int receive_error;        /* of WSARecv() */
static ULONG_PTR receive_status; /* with which it completes */

static int WSAAPI answer_WSARecv(SOCKET sock,
                                 WSABUF* bufs,
                                 DWORD count,
                                 DWORD* received,
                                 DWORD* flags,
                                 WSAOVERLAPPED* overlapped,
                                 LPWSAOVERLAPPED_COMPLETION_ROUTINE routine) {
  if (receive_error == 0)
    return REAL("ws2_32", WSARecv)(sock, bufs, count, received, flags,
                                   overlapped, routine);
  if (receive_error == WSA_IO_PENDING) {
    overlapped->Internal = receive_status;
    CHECK(PostQueuedCompletionStatus(loop.iocp, 0, 0, overlapped));
  }
  WSASetLastError(receive_error);
  return SOCKET_ERROR;
}
REPLACE(WSARecv, 28);

static int recv_error;

static int WSAAPI answer_recv(SOCKET sock, char* buf, int len, int flags) {
  if (recv_error == 0)
    return REAL("ws2_32", recv)(sock, buf, len, flags);
  WSASetLastError(recv_error);
  return SOCKET_ERROR;
}
REPLACE(recv, 16);

static int resets; /* answers of recvfrom() before the system's own */

static int WSAAPI answer_recvfrom(SOCKET sock,
                                  char* buf,
                                  int len,
                                  int flags,
                                  struct sockaddr* from,
                                  int* from_len) {
  if (resets == 0)
    return REAL("ws2_32", recvfrom)(sock, buf, len, flags, from, from_len);
  resets--;
  WSASetLastError(WSAECONNRESET);
  return SOCKET_ERROR;
}
REPLACE(recvfrom, 24);

static SOCKET foreign_socket = INVALID_SOCKET; /* has no base socket */

static int WSAAPI answer_WSAIoctl(SOCKET sock,
                                  DWORD code,
                                  void* in,
                                  DWORD in_size,
                                  void* out,
                                  DWORD out_size,
                                  DWORD* used,
                                  WSAOVERLAPPED* overlapped,
                                  LPWSAOVERLAPPED_COMPLETION_ROUTINE routine) {
  if (sock != foreign_socket || sock == INVALID_SOCKET)
    return REAL("ws2_32", WSAIoctl)(sock, code, in, in_size, out, out_size,
                                    used, overlapped, routine);
  WSASetLastError(WSAEOPNOTSUPP);
  return SOCKET_ERROR;
}
REPLACE(WSAIoctl, 36);

/* ---- connections ---- */

static size_t received;
static int read_result = 1;
static int write_result = 1;

static void alloc_static(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char space[64];

  (void) handle;
  (void) size;
  *buf = uv_buf_init(space, sizeof(space));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  (void) buf;
  if (nread >= 0)
    received += (size_t) nread;
  else
    read_result = (int) nread;
}

static void on_write(uv_write_t* req, int status) {
  (void) req;
  write_result = status;
}

static void open_ends(void) {
  uv_os_sock_t socks[2];

  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_socketpair(SOCK_STREAM, 0, socks, UV_NONBLOCK_PIPE,
                            UV_NONBLOCK_PIPE));
  for (int i = 0; i < 2; i++) {
    CHECK_EQ(0, uv_tcp_init(&loop, &ends[i]));
    CHECK_EQ(0, uv_tcp_open(&ends[i], socks[i]));
  }
}

static void close_ends(void) {
  uv_close((uv_handle_t*) &ends[0], NULL);
  uv_close((uv_handle_t*) &ends[1], NULL);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, uv_loop_close(&loop));
}

/* The system has no memory to buffer the data, but needs none for an overlapped
 * send. */
UNIT_TEST(tcp_trial_send_without_buffers) {
  uv_buf_t buf = uv_buf_init((char*) "hello", 5);
  uv_stream_t* writer = (uv_stream_t*) &ends[0];
  uv_write_t req;

  open_ends();
  trial_error = WSAENOBUFS;
  CHECK_EQ(UV_EAGAIN, uv_try_write(writer, &buf, 1));
  CHECK_EQ(0, uv_write(&req, writer, &buf, 1, on_write));
  CHECK_EQ(2, trials);
  CHECK_EQ(1, overlapped_sends);
  CHECK_EQ(0, uv_read_start((uv_stream_t*) &ends[1], alloc_static, on_read));
  while (received < 5 || write_result == 1)
    uv_run(&loop, UV_RUN_ONCE);
  CHECK_EQ(0, write_result);
  close_ends();
}

UNIT_TEST(tcp_dropped_connection_is_canceled_to_writers) {
  uv_buf_t buf = uv_buf_init((char*) "hello", 5);
  uv_write_t req;

  open_ends();
  trial_error = WSAEWOULDBLOCK;
  overlapped_error = WSAECONNABORTED;
  CHECK_EQ(0, uv_write(&req, (uv_stream_t*) &ends[0], &buf, 1, on_write));
  while (write_result == 1)
    uv_run(&loop, UV_RUN_ONCE);
  CHECK_EQ(UV_ECANCELED, write_result);
  close_ends();
}

/* By the call that waits for data, by its completion, by the one that reads. */
UNIT_TEST(tcp_dropped_connection_is_reset_to_readers) {
  static const struct {
    int receive_error;
    ULONG_PTR receive_status;
    int recv_error;
  } rows[] = {
    { WSAECONNABORTED, 0, 0 },
    { WSA_IO_PENDING, STATUS_LOCAL_DISCONNECT_, 0 },
    { WSA_IO_PENDING, 0, WSAECONNABORTED },
  };

  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    open_ends();
    receive_error = rows[i].receive_error;
    receive_status = rows[i].receive_status;
    recv_error = rows[i].recv_error;
    read_result = 1;
    CHECK_EQ(0, uv_read_start((uv_stream_t*) &ends[0], alloc_static, on_read));
    while (read_result == 1)
      uv_run(&loop, UV_RUN_ONCE);
    CHECK_EQ(UV_ECONNRESET, read_result);
    close_ends();
  }
}

/* ---- datagrams ---- */

static int datagrams;

static void on_datagram(uv_udp_t* handle,
                        ssize_t nread,
                        const uv_buf_t* buf,
                        const struct sockaddr* addr,
                        unsigned flags) {
  (void) handle;
  (void) buf;
  (void) flags;
  CHECK(nread >= 0);
  datagrams += addr != NULL;
}

/* A connected socket reports that an earlier datagram was undeliverable when it
 * receives the next one. */
UNIT_TEST(udp_connected_ignores_undeliverable_datagrams) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_udp_t sides[2];
  struct sockaddr_storage addrs[2];

  CHECK_EQ(0, uv_loop_init(&loop));
  for (int i = 0; i < 2; i++) {
    int len = sizeof(addrs[i]);
    CHECK_EQ(0, uv_ip4_addr("127.0.0.1", 0, (struct sockaddr_in*) &addrs[i]));
    CHECK_EQ(0, uv_udp_init(&loop, &sides[i]));
    CHECK_EQ(0, uv_udp_bind(&sides[i], (struct sockaddr*) &addrs[i], 0));
    CHECK_EQ(0,
             uv_udp_getsockname(&sides[i], (struct sockaddr*) &addrs[i], &len));
  }
  CHECK_EQ(0, uv_udp_connect(&sides[0], (struct sockaddr*) &addrs[1]));
  CHECK_EQ(0, uv_udp_recv_start(&sides[0], alloc_static, on_datagram));
  resets = 3;
  CHECK_EQ(1,
           uv_udp_try_send(&sides[1], &buf, 1, (struct sockaddr*) &addrs[0]));
  while (datagrams == 0)
    uv_run(&loop, UV_RUN_ONCE);
  CHECK_EQ(0, resets);
  CHECK(uv_is_active((uv_handle_t*) &sides[0]));
  uv_close((uv_handle_t*) &sides[0], NULL);
  uv_close((uv_handle_t*) &sides[1], NULL);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, uv_loop_close(&loop));
}

/* ---- polling without AFD ---- */

static int polled;

static void on_poll(uv_poll_t* handle, int status, int events) {
  (void) handle;
  CHECK_EQ(0, status);
  polled |= events;
}

static void poll_until(int events) {
  while ((polled & events) != events)
    uv_run(&loop, UV_RUN_ONCE);
  polled = 0;
}

/* Writable, readable, disconnected, and closed while a request is pending. */
static void poll_without_afd(SOCKET sock, SOCKET peer) {
  uv_poll_t poll;

  CHECK_EQ(0, uv_poll_init_socket(&loop, &poll, sock));
  CHECK_EQ(0, uv_poll_start(&poll, UV_READABLE | UV_WRITABLE, on_poll));
  poll_until(UV_WRITABLE);
  CHECK_EQ(0, uv_poll_start(&poll, UV_READABLE | UV_DISCONNECT, on_poll));
  CHECK_EQ(1, send(peer, "x", 1, 0));
  poll_until(UV_READABLE);
  char byte;
  CHECK_EQ(1, recv(sock, &byte, 1, 0));
  CHECK_EQ(0, closesocket(peer));
  poll_until(UV_READABLE | UV_DISCONNECT);
  CHECK_EQ(0, uv_poll_start(&poll, UV_PRIORITIZED, on_poll));
  uv_close((uv_handle_t*) &poll, NULL);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, closesocket(sock));
  CHECK_EQ(0, uv_loop_close(&loop));
}

UNIT_TEST(poll_without_a_base_socket) {
  uv_os_sock_t socks[2];

  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_socketpair(SOCK_STREAM, 0, socks, UV_NONBLOCK_PIPE,
                            UV_NONBLOCK_PIPE));
  foreign_socket = socks[0];
  poll_without_afd(socks[0], socks[1]);
}

static int refusals;

static LONG NTAPI refuse_afd(HANDLE file,
                             HANDLE event,
                             PVOID apc,
                             PVOID apc_context,
                             struct uv__io_status* status,
                             ULONG code,
                             PVOID in,
                             ULONG in_size,
                             PVOID out,
                             ULONG out_size) {
  (void) file;
  (void) event;
  (void) apc;
  (void) apc_context;
  (void) status;
  (void) code;
  (void) in;
  (void) in_size;
  (void) out;
  (void) out_size;
  refusals++;
  return STATUS_INVALID_DEVICE_REQUEST_;
}

UNIT_TEST(poll_of_a_base_socket_that_is_not_afd) {
  uv_os_sock_t socks[2];

  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_socketpair(SOCK_STREAM, 0, socks, UV_NONBLOCK_PIPE,
                            UV_NONBLOCK_PIPE));
  ((struct uv__winapi*) uv__winapi())->NtDeviceIoControlFile = refuse_afd;
  poll_without_afd(socks[0], socks[1]);
  CHECK_EQ(1, refusals);
}

/* ---- datagrams without AFD ---- */

static SOCKET open_datagram_socket(void) {
  SOCKET sock = socket(AF_INET, SOCK_DGRAM, 0);

  CHECK(sock != INVALID_SOCKET);
  return sock;
}

static void send_and_wait(uv_udp_t* to) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  struct sockaddr_storage addr;
  int len = sizeof(addr);

  CHECK_EQ(0, uv_udp_getsockname(to, (struct sockaddr*) &addr, &len));
  CHECK_EQ(1, uv_udp_try_send(to, &buf, 1, (struct sockaddr*) &addr));
  for (int before = datagrams; datagrams == before;)
    uv_run(&loop, UV_RUN_ONCE);
}

/* Received, after a stop, too, and closed while the thread waits. */
static void receive_without_afd(SOCKET sock) {
  struct sockaddr_in any;
  uv_udp_t udp;

  CHECK_EQ(0, uv_ip4_addr("127.0.0.1", 0, &any));
  CHECK_EQ(0, uv_udp_init(&loop, &udp));
  CHECK_EQ(0, uv_udp_open(&udp, sock));
  CHECK_EQ(0, uv_udp_bind(&udp, (struct sockaddr*) &any, 0));
  CHECK_EQ(0, uv_udp_recv_start(&udp, alloc_static, on_datagram));
  send_and_wait(&udp);
  send_and_wait(&udp);
  CHECK_EQ(0, uv_udp_recv_stop(&udp));
  CHECK_EQ(0, uv_udp_recv_start(&udp, alloc_static, on_datagram));
  send_and_wait(&udp);
  CHECK_EQ(3, datagrams);
  uv_close((uv_handle_t*) &udp, NULL);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  /* The socket is gone. */
  CHECK(closesocket(sock) != 0);
  CHECK_EQ(0, uv_loop_close(&loop));
}

UNIT_TEST(udp_without_a_base_socket) {
  CHECK_EQ(0, uv_loop_init(&loop));
  foreign_socket = open_datagram_socket();
  receive_without_afd(foreign_socket);
}

UNIT_TEST(udp_of_a_base_socket_that_is_not_afd) {
  CHECK_EQ(0, uv_loop_init(&loop));
  SOCKET sock = open_datagram_socket();
  ((struct uv__winapi*) uv__winapi())->NtDeviceIoControlFile = refuse_afd;
  receive_without_afd(sock);
  CHECK_EQ(1, refusals);
}
