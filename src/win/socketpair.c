/* SPDX-License-Identifier: MIT */
/* uv_socketpair(): two connected sockets.
 *
 * Windows has no socketpair(). A pair of streams is a TCP connection over
 * loopback; a pair of datagram sockets is two UDP sockets connected to each
 * other. Any local process can connect to the port while the pair is created,
 * so the accepted connection must be verified to be our own.
 */
#include "win/error.h"
#include "win/sock.h"

#include <string.h>

/* Foreign connections to reject before giving up. */
#define STRANGERS_MAX 16

/* Creates one end, overlapped only if it is for a loop. */
static int make_end(int type, int protocol, int flags, SOCKET* out) {
  DWORD mode = WSA_FLAG_NO_HANDLE_INHERIT;

  if (flags & UV_NONBLOCK_PIPE)
    mode |= WSA_FLAG_OVERLAPPED;
  *out = WSASocketW(AF_INET, type, protocol, NULL, 0, mode);
  return *out == INVALID_SOCKET ? uv__wsa_error() : 0;
}

static int bind_loopback(SOCKET sock, struct sockaddr_in* name) {
  int len = sizeof(*name);

  memset(name, 0, sizeof(*name));
  name->sin_family = AF_INET;
  name->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int err = uv__sock_set(sock, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);
  if (err != 0)
    return err;
  if (bind(sock, (struct sockaddr*) name, sizeof(*name)) != 0)
    return uv__wsa_error();
  return getsockname(sock, (struct sockaddr*) name, &len) == 0
             ? 0
             : uv__wsa_error();
}

static int connect_to(SOCKET sock, const struct sockaddr_in* name) {
  if (connect(sock, (const struct sockaddr*) name, sizeof(*name)) != 0)
    return uv__wsa_error();
  return 0;
}

static int same_name(const struct sockaddr_in* a, const struct sockaddr_in* b) {
  return a->sin_port == b->sin_port && a->sin_addr.s_addr == b->sin_addr.s_addr;
}

/* Accepts until the connection from `expected` arrives. */
static int accept_from(SOCKET listener,
                       const struct sockaddr_in* expected,
                       SOCKET* out) {
  for (int i = 0; i < STRANGERS_MAX; i++) {
    struct sockaddr_in name;
    int len = sizeof(name);
    SOCKET sock = accept(listener, (struct sockaddr*) &name, &len);

    if (sock == INVALID_SOCKET)
      return uv__wsa_error();
    if (same_name(&name, expected)) {
      *out = sock;
      return 0;
    }
    closesocket(sock);
  }
  return UV_ECONNABORTED;
}

/* An accepted socket inherits from the listener whether it is overlapped. */
static int pair_of_streams(int type,
                           int protocol,
                           const int flags[2],
                           SOCKET pair[2]) {
  struct sockaddr_in server;
  struct sockaddr_in client;
  SOCKET listener;

  int err = make_end(type, protocol, flags[0], &listener);
  if (err != 0)
    return err;
  err = bind_loopback(listener, &server);
  if (err == 0 && listen(listener, 1) != 0)
    err = uv__wsa_error();
  if (err == 0)
    err = make_end(type, protocol, flags[1], &pair[1]);
  if (err == 0)
    err = bind_loopback(pair[1], &client);
  if (err == 0)
    err = connect_to(pair[1], &server);
  if (err == 0)
    err = accept_from(listener, &client, &pair[0]);

  closesocket(listener);
  return err;
}

static int pair_for_datagrams(int protocol,
                              const int flags[2],
                              SOCKET pair[2]) {
  struct sockaddr_in names[2];
  int err = 0;

  for (int i = 0; i < 2 && err == 0; i++) {
    err = make_end(SOCK_DGRAM, protocol, flags[i], &pair[i]);
    if (err == 0)
      err = bind_loopback(pair[i], &names[i]);
  }
  for (int i = 0; i < 2 && err == 0; i++)
    err = connect_to(pair[i], &names[1 - i]);
  return err;
}

/* Make it non-blocking only now: connecting and accepting had to block. */
static int finish_end(SOCKET sock, int flags) {
  u_long on = 1;

  if (!SetHandleInformation((HANDLE) sock, HANDLE_FLAG_INHERIT, 0))
    return uv__last_error();
  if (!(flags & UV_NONBLOCK_PIPE))
    return 0;
  return ioctlsocket(sock, FIONBIO, &on) == 0 ? 0 : uv__wsa_error();
}

int uv_socketpair(int type,
                  int protocol,
                  uv_os_sock_t fds[2],
                  int flags0,
                  int flags1) {
  SOCKET pair[2] = { INVALID_SOCKET, INVALID_SOCKET };
  int flags[2] = { flags0, flags1 };

  int err = uv__winsock_startup();
  if (err != 0)
    return err;
  /* The system refuses types that do not exist, and connections of others. */
  err = type == SOCK_DGRAM ? pair_for_datagrams(protocol, flags, pair)
                           : pair_of_streams(type, protocol, flags, pair);
  for (int i = 0; i < 2 && err == 0; i++)
    err = finish_end(pair[i], flags[i]);
  if (err != 0)
    goto err_close;

  fds[0] = pair[0];
  fds[1] = pair[1];
  return 0;

err_close:
  for (int i = 0; i < 2; i++)
    if (pair[i] != INVALID_SOCKET)
      closesocket(pair[i]);
  return err;
}
