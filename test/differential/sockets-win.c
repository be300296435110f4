/* SPDX-License-Identifier: MIT */
/* Connections and names for area stream, sockets for area udp. Everything is
 * made with the system's own functions, since uv_pipe() and uv_socketpair() are
 * what is compared. */
#include "stream-world.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a name: the digits of this process. */
#define NAME_HEAD "\\\\.\\pipe\\differ-"
#define NAME_DIGITS 8
#define BUFFER_BYTES 65536

void pipe_name_make(char* name, size_t size, int serial) {
  snprintf(name, size, NAME_HEAD "%08lx-%d", GetCurrentProcessId(), serial);
}

const char* pipe_name_tail(const char* name) {
  size_t head = strlen(NAME_HEAD) + NAME_DIGITS;
  return strlen(name) > head ? name + head : name;
}

/* A connection over a named pipe; one way from the second end to the first, or
 * both ways. */
static int make_pipe(int is_one_way, struct pair_end ends[2]) {
  static int serial = 1000;
  char name[64];
  DWORD mode = is_one_way ? PIPE_ACCESS_INBOUND : PIPE_ACCESS_DUPLEX;
  DWORD rights = is_one_way ? GENERIC_WRITE | FILE_READ_ATTRIBUTES
                            : GENERIC_READ | GENERIC_WRITE;
  HANDLE server;
  HANDLE client;

  pipe_name_make(name, sizeof(name), serial++);
  server = CreateNamedPipeA(
      name, mode | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
      PIPE_TYPE_BYTE, 1, BUFFER_BYTES, BUFFER_BYTES, 0, NULL);
  if (server == INVALID_HANDLE_VALUE)
    return -1;
  client = CreateFileA(name, rights, 0, NULL, OPEN_EXISTING,
                       FILE_FLAG_OVERLAPPED, NULL);
  if (client == INVALID_HANDLE_VALUE) {
    CloseHandle(server);
    return -1;
  }
  ends[0].file = _open_osfhandle((intptr_t) server, _O_BINARY);
  ends[1].file = _open_osfhandle((intptr_t) client, _O_BINARY);
  return 0;
}

static SOCKET stream_socket(void) {
  return WSASocketW(AF_INET, SOCK_STREAM, IPPROTO_TCP, NULL, 0,
                    WSA_FLAG_OVERLAPPED);
}

static int make_tcp(struct pair_end ends[2]) {
  struct sockaddr_in addr;
  int length = sizeof(addr);
  SOCKET server = stream_socket();

  ends[0].sock = INVALID_SOCKET;
  ends[1].sock = stream_socket();
  uv_ip4_addr("127.0.0.1", 0, &addr);
  if (bind(server, (const struct sockaddr*) &addr, length) == 0 &&
      getsockname(server, (struct sockaddr*) &addr, &length) == 0 &&
      listen(server, 1) == 0 &&
      connect(ends[1].sock, (const struct sockaddr*) &addr, length) == 0)
    ends[0].sock = accept(server, NULL, NULL);
  closesocket(server);
  if (ends[0].sock != INVALID_SOCKET)
    return 0;
  closesocket(ends[1].sock);
  return -1;
}

int pair_make(enum pair_kind kind, struct pair_end ends[2]) {
  memset(ends, 0, 2 * sizeof(ends[0]));
  switch (kind) {
  case PAIR_UNIX:
    return make_pipe(0, ends);
  case PAIR_PIPE:
    return make_pipe(1, ends);
  case PAIR_TCP:
    return make_tcp(ends);
  default:
    /* An ipc pipe needs the process of its peer: test/peer covers that. There
     * are no sockets that keep messages apart. */
    return -1;
  }
}

void pair_drop(enum pair_kind kind, const struct pair_end* end) {
  if (kind == PAIR_TCP)
    closesocket(end->sock);
  else
    _close(end->file);
}

uv_os_sock_t socket_make(int is_bound) {
  struct sockaddr_in addr;
  SOCKET sock = WSASocketW(AF_INET, SOCK_DGRAM, IPPROTO_UDP, NULL, 0,
                           WSA_FLAG_OVERLAPPED);

  uv_ip4_addr("127.0.0.1", 0, &addr);
  if (is_bound && bind(sock, (const struct sockaddr*) &addr, sizeof(addr)) != 0)
    abort();
  return sock;
}

void socket_drop(uv_os_sock_t sock) {
  closesocket(sock);
}
