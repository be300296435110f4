/* SPDX-License-Identifier: MIT */
#include "poll-world.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

void poll_pair(int is_pipe, int both[2]) {
  int err = is_pipe ? pipe(both) : socketpair(AF_UNIX, SOCK_STREAM, 0, both);

  if (err != 0)
    abort();
  for (int i = 0; i < 2; i++) {
    fcntl(both[i], F_SETFL, O_NONBLOCK);
    fcntl(both[i], F_SETFD, FD_CLOEXEC);
  }
}

void poll_replace(int old, int* now) {
  dup2(*now, old);
  close(*now);
  *now = old;
}

int poll_may_start_twice(void) {
  return 1;
}

long poll_send(int sock, const char* data, size_t size) {
  long n = write(sock, data, size);
  return n < 0 ? -errno : n;
}

long poll_receive(int sock, char* data, size_t size) {
  long n = read(sock, data, size);
  return n < 0 ? -errno : n;
}

int poll_shutdown(int sock, int both) {
  return shutdown(sock, both ? SHUT_RDWR : SHUT_WR) == 0 ? 0 : -errno;
}

void poll_close(int sock) {
  close(sock);
}

int poll_init_number(uv_loop_t* loop, uv_poll_t* handle, int sock) {
  return uv_poll_init(loop, handle, sock);
}

int poll_file_open(void) {
  return open("file", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
}

void poll_file_close(int fd) {
  close(fd);
}
