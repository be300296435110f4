/* SPDX-License-Identifier: MIT */
/* Connections and names for area stream, sockets for area udp. */
#include "stream-world.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int make_fds(enum pair_kind kind, int fds[2]) {
  switch (kind) {
  case PAIR_PIPE:
    return pipe(fds);
  case PAIR_PACKET:
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds);
  default:
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
  }
}

int pair_make(enum pair_kind kind, struct pair_end ends[2]) {
  int fds[2];

  if (make_fds(kind, fds) != 0)
    return -1;
  for (int i = 0; i < 2; i++)
    ends[i].file = ends[i].sock = fds[i];
  return 0;
}

void pair_drop(enum pair_kind kind, const struct pair_end* end) {
  (void) kind;
  close(end->file);
}

void pipe_name_make(char* name, size_t size, int serial) {
  snprintf(name, size, "socket%d", serial);
}

const char* pipe_name_tail(const char* name) {
  return name;
}

uv_os_sock_t socket_make(int is_bound) {
  struct sockaddr_in addr;
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  uv_ip4_addr("127.0.0.1", 0, &addr);
  if (is_bound && bind(fd, (const struct sockaddr*) &addr, sizeof(addr)) != 0)
    abort();
  return fd;
}

void socket_drop(uv_os_sock_t sock) {
  close(sock);
}
