/* SPDX-License-Identifier: MIT */
/* A connection moves: loop 0 reads the request, loop 1 answers it. The socket
 * leaves its handle with uvx_release() and travels in a post.
 *
 * Exit status 0: the client got its answer.
 */
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>
#include <uv/ext.h>

static uvx_loops_t* loops;
static uv_os_sock_t ends[2]; /* of the connection: the client's, the server's */
static uv_tcp_t client, first, second;
static uv_os_fd_t fd;
static uvx_post_t post;
static char space[64];
static int answered;

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(space, sizeof(space));
}

static void answer(uv_tcp_t* tcp) {
  uv_buf_t buf = uv_buf_init("done", 4);

  printf("answered by loop %d\n", uvx_loop_index(tcp->loop));
  uv_try_write((uv_stream_t*) tcp, &buf, 1);
  uv_close((uv_handle_t*) tcp, NULL);
}

/* Loop 1. */
static void on_moved(uvx_post_t* message) {
  uv_tcp_init(message->loop, &second);
  if (uv_tcp_open(&second, (uv_os_sock_t) fd) == 0)
    answer(&second);
}

/* Loop 0. Windows before 8.1 and some Wine cannot move a connection. */
static void on_request(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  uv_read_stop(stream);
  if (n > 0 && uvx_release((uv_handle_t*) stream, &fd) == 0) {
    uv_close((uv_handle_t*) stream, NULL);
    uvx_post(uvx_loops_get(loops, 1), &post, on_moved);
  } else {
    answer(&first);
  }
}

static void on_answer(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  answered = n == 4;
  uv_close((uv_handle_t*) stream, NULL);
  uvx_loops_shutdown(loops);
}

static void on_start(uv_loop_t* loop, void* arg) {
  uv_buf_t buf = uv_buf_init("please", 6);

  (void) arg;
  uv_tcp_init(loop, &client);
  uv_tcp_init(loop, &first);
  if (uv_tcp_open(&client, ends[0]) != 0 || uv_tcp_open(&first, ends[1]) != 0)
    abort();
  uv_read_start((uv_stream_t*) &first, on_alloc, on_request);
  uv_read_start((uv_stream_t*) &client, on_alloc, on_answer);
  uv_try_write((uv_stream_t*) &client, &buf, 1);
}

int main(void) {
  uvx_loops_options_t options = { .size = sizeof(options), .count = 2 };

  if (uvx_loops_new(&loops, &options) != 0 ||
      uv_socketpair(SOCK_STREAM, 0, ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE) !=
          0)
    return 1;
  uvx_loops_on_start(loops, uvx_loops_get(loops, 0), on_start, NULL);
  if (uvx_loops_run(loops) != 0 || uvx_loops_free(loops) != 0)
    return 1;
  return !answered;
}
