/* SPDX-License-Identifier: MIT */
/* A write that must not take for ever: the peer never reads, so that it ends
 * with UV_ETIMEDOUT and says how much got through.
 *
 * Exit status 0: it did.
 */
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>
#include <uv/ext.h>

#define SIZE (64 << 20) /* more than any socket buffer */

static int timed_out;

static void on_write(uv_write_t* req, int status) {
  printf("%s after %s bytes\n", status == 0 ? "written" : uv_err_name(status),
         uv_write_nwritten(req) < SIZE ? "some" : "all");
  timed_out = status == UV_ETIMEDOUT;
  /* Part of it may have gone out: only closing makes sense now. */
  uv_close((uv_handle_t*) req->handle, NULL);
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_os_sock_t ends[2]; /* of a connection; nobody reads the second */
  uv_tcp_t tcp;
  uv_write_t req;
  char* data = calloc(1, SIZE);
  uv_buf_t buf = uv_buf_init(data, SIZE);

  if (loop == NULL || data == NULL ||
      uv_socketpair(SOCK_STREAM, 0, ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE) !=
          0)
    return 1;
  uv_tcp_init(loop, &tcp);
  if (uv_tcp_open(&tcp, ends[0]) != 0 ||
      uv_write(&req, (uv_stream_t*) &tcp, &buf, 1, on_write) != 0)
    return 1;
  if (uvx_deadline((uv_req_t*) &req, 100) != 0)
    return 1;
  uv_run(loop, UV_RUN_DEFAULT);
  free(data);
  return uv_loop_close(loop) != 0 || !timed_out;
}
