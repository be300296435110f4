/* SPDX-License-Identifier: MIT */
/* The error that a read and a write on a TCP connection report for every status
 * the system may complete them with: one line each. Built with two libraries
 * (test/peer/run), the lines must be the same.
 *
 * Method: while a request waits, its OVERLAPPED is filled in as the system
 * would do and posted to the loop's port. The real request stays with the
 * system, so the handles are never used or closed again.
 */
#include "uv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIG (8u << 20) /* more than a socket takes at once */
#define NONE 1         /* no callback came */
#define TURNS_MAX 5

static uv_loop_t loop;
static int result;

static void require(int ok, const char* what) {
  if (ok)
    return;
  fprintf(stderr, "status: %s\n", what);
  exit(1);
}

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char bytes[16];

  (void) handle;
  (void) size;
  *buf = uv_buf_init(bytes, sizeof(bytes));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  (void) buf;
  result = (int) nread;
}

static void on_write(uv_write_t* req, int status) {
  (void) req;
  result = status;
}

/* One end of a connection whose other end is silent. */
static uv_stream_t* open_stream(void) {
  uv_os_sock_t fds[2];
  uv_tcp_t* tcp = malloc(sizeof(*tcp));

  require(tcp != NULL, "memory");
  require(uv_socketpair(SOCK_STREAM, 0, fds, UV_NONBLOCK_PIPE,
                        UV_NONBLOCK_PIPE) == 0,
          "uv_socketpair");
  require(uv_tcp_init(&loop, tcp) == 0, "uv_tcp_init");
  require(uv_tcp_open(tcp, fds[0]) == 0, "uv_tcp_open");
  return (uv_stream_t*) tcp;
}

static const char* end_with(OVERLAPPED* overlapped, uint32_t status) {
  overlapped->Internal = status;
  overlapped->InternalHigh = 0;
  result = NONE;
  require(PostQueuedCompletionStatus(loop.iocp, 0, 0, overlapped), "post");
  for (int i = 0; i < TURNS_MAX && result == NONE; i++)
    uv_run(&loop, UV_RUN_NOWAIT);
  return result == NONE ? "none" : result == 0 ? "0" : uv_err_name(result);
}

static const char* read_with(uint32_t status) {
  uv_stream_t* stream = open_stream();

  require(uv_read_start(stream, on_alloc, on_read) == 0, "uv_read_start");
  return end_with(&stream->read_req.u.io.overlapped, status);
}

static const char* write_with(uint32_t status) {
  static char big[BIG];
  uv_buf_t buf = uv_buf_init(big, sizeof(big));
  uv_write_t* req = malloc(sizeof(*req));

  require(req != NULL, "memory");
  require(uv_write(req, open_stream(), &buf, 1, on_write) == 0, "uv_write");
  return end_with(&req->u.io.overlapped, status);
}

static void show(uint32_t first, uint32_t last, int step) {
  for (uint32_t status = first; status <= last; status += (uint32_t) step) {
    const char* read = read_with(status);
    printf("%08X %s %s\n", (unsigned) status, read, write_with(status));
  }
}

int main(void) {
  require(uv_loop_init(&loop) == 0, "uv_loop_init");
  show(0x80000005, 0x80000005, 1);
  show(0xC0000002, 0xC0000024, 1);
  show(0xC0000034, 0xC000003A, 6);
  show(0xC0000043, 0xC0000044, 1);
  show(0xC0000056, 0xC0000056, 1);
  show(0xC0000097, 0xC00000A3, 1);
  show(0xC00000AD, 0xC00000D0, 1);
  show(0xC0000120, 0xC000012D, 1);
  show(0xC000013A, 0xC0000142, 1);
  show(0xC000014B, 0xC000014B, 1);
  show(0xC0000205, 0xC000020F, 1);
  show(0xC0000236, 0xC0000246, 1);
  show(0xC000A010, 0xC000A014, 1);
  show(0xC0070000 | WSAECONNABORTED, 0xC0070000 | WSAECONNRESET, 1);
  show(0xC0070000 | WSAEINTR, 0xC0070000 | WSAEINTR, 1);
  fflush(stdout);
  _exit(0); /* the requests are still out */
}
