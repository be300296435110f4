/* SPDX-License-Identifier: MIT */
#include "poll-world.h"
#include "stream-world.h"

#include <fcntl.h>
#include <io.h>
#include <stdlib.h>

static long error_or(long n) {
  return n < 0 ? uv_translate_sys_error(WSAGetLastError()) : n;
}

/* Pipes cannot be polled. */
void poll_pair(int is_pipe, uv_os_sock_t both[2]) {
  struct pair_end ends[2];
  u_long on = 1;

  (void) is_pipe;
  if (pair_make(PAIR_TCP, ends) != 0)
    abort();
  for (int i = 0; i < 2; i++) {
    both[i] = ends[i].sock;
    ioctlsocket(both[i], FIONBIO, &on);
  }
}

/* No call gives a socket the number of another. */
void poll_replace(uv_os_sock_t old, uv_os_sock_t* now) {
  (void) now;
  closesocket(old);
}

/* libuv iterates without waiting then (test-poll-win.c). */
int poll_may_start_twice(void) {
  return 0;
}

long poll_send(uv_os_sock_t sock, const char* data, size_t size) {
  return error_or(send(sock, data, (int) size, 0));
}

long poll_receive(uv_os_sock_t sock, char* data, size_t size) {
  return error_or(recv(sock, data, (int) size, 0));
}

int poll_shutdown(uv_os_sock_t sock, int both) {
  return (int) error_or(shutdown(sock, both ? SD_BOTH : SD_SEND));
}

void poll_close(uv_os_sock_t sock) {
  closesocket(sock);
}

int poll_init_number(uv_loop_t* loop, uv_poll_t* handle, uv_os_sock_t sock) {
  return uv_poll_init_socket(loop, handle, sock);
}

int poll_file_open(void) {
  return _open("file", _O_CREAT | _O_RDWR, 0600);
}

void poll_file_close(int fd) {
  _close(fd);
}
