/* SPDX-License-Identifier: MIT */
/* Addresses and listening sockets, bare and with the library. */
#include "peer.h"

#include <netinet/in.h>
#include <unistd.h>

#define BACKLOG 4096

socklen_t place_address(struct place place, struct sockaddr_storage* address) {
  memset(address, 0, sizeof(*address));
  if (place.family == AF_UNIX) {
    struct sockaddr_un* un = (struct sockaddr_un*) address;
    un->sun_family = AF_UNIX;
    snprintf(un->sun_path, sizeof(un->sun_path), "/tmp/uv-bench-%d.sock",
             place.port);
    return sizeof(*un);
  }
  struct sockaddr_in* in = (struct sockaddr_in*) address;
  in->sin_family = AF_INET;
  in->sin_port = htons((uint16_t) place.port);
  in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return sizeof(*in);
}

void place_remove(struct place place) {
  struct sockaddr_storage address;

  if (place.family != AF_UNIX)
    return;
  place_address(place, &address);
  unlink(((struct sockaddr_un*) &address)->sun_path);
}

static int port_of(const struct sockaddr_storage* address) {
  return ntohs(((const struct sockaddr_in*) address)->sin_port);
}

int place_listen(int family, int type, struct place* place) {
  struct sockaddr_storage address;
  int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  CHECK(fd >= 0);
  place->family = family;
  place->port = family == AF_UNIX ? (int) getpid() : 0;
  socklen_t len = place_address(*place, &address);
  CHECK(bind(fd, (struct sockaddr*) &address, len) == 0);
  if (type == SOCK_STREAM)
    CHECK(listen(fd, BACKLOG) == 0);
  if (family == AF_INET) {
    CHECK(getsockname(fd, (struct sockaddr*) &address, &len) == 0);
    place->port = port_of(&address);
  }
  return fd;
}

static void stream_init(uv_loop_t* loop, union server* stream, int family) {
  if (family == AF_UNIX)
    CHECK_OK(uv_pipe_init(loop, &stream->pipe, 0));
  else
    CHECK_OK(uv_tcp_init(loop, &stream->tcp));
}

void server_listen(uv_loop_t* loop,
                   union server* server,
                   int family,
                   struct place* place,
                   uv_connection_cb cb) {
  struct sockaddr_storage address;
  struct sockaddr* sa = (struct sockaddr*) &address;
  int len = sizeof(address);

  place->family = family;
  place->port = family == AF_UNIX ? (int) getpid() : 0;
  place_address(*place, &address);
  stream_init(loop, server, family);
  if (family == AF_UNIX)
    CHECK_OK(uv_pipe_bind(&server->pipe, ((struct sockaddr_un*) sa)->sun_path));
  else
    CHECK_OK(uv_tcp_bind(&server->tcp, sa, 0));
  CHECK_OK(uv_listen(&server->stream, BACKLOG, cb));
  if (family != AF_UNIX) {
    CHECK_OK(uv_tcp_getsockname(&server->tcp, sa, &len));
    place->port = port_of(&address);
  }
}

void server_accept(uv_stream_t* server, union server* client, int family) {
  stream_init(server->loop, client, family);
  CHECK_OK(uv_accept(server, &client->stream));
  if (family != AF_UNIX)
    CHECK_OK(uv_tcp_nodelay(&client->tcp, 1));
}
