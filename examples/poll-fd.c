/* SPDX-License-Identifier: MIT */
/* A descriptor that something else reads and writes, as client libraries of
 * databases want it: the loop says when. Here the "library" is a pipe. (Unix;
 * on Windows sockets can be watched, with uv_poll_init_socket().)
 *
 * Exit status 0: the message has arrived, and then the end.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

static char text[64];
static size_t length;
static int ended;

/* Reads once; called again for as long as there is something to read. */
static void on_readable(uv_poll_t* poll, int status, int events) {
  const uv_file* fd = poll->data;

  if (status == 0 && (events & UV_READABLE) != 0) {
    ssize_t count = read(*fd, text + length, sizeof text - 1 - length);
    if (count > 0) {
      length += (size_t) count;
      return;
    }
    ended = count == 0;
  } else if (status == 0) {
    ended = 1; /* some systems report the end without UV_READABLE */
  }
  uv_poll_stop(poll);
  uv_close((uv_handle_t*) poll, NULL);
}

static int watch(uv_loop_t* loop, uv_poll_t* poll, uv_file* fd) {
  int err = uv_poll_init(loop, poll, *fd); /* does not block from here on */
  if (err != 0)
    return err;
  poll->data = fd;
  return uv_poll_start(poll, UV_READABLE | UV_DISCONNECT, on_readable);
}

int main(void) {
  uv_loop_t loop;
  uv_poll_t poll;
  uv_file pipe[2];

  int err = uv_loop_init(&loop);
  if (err == 0)
    err = uv_pipe(pipe, 0, 0);
  if (err == 0)
    err = watch(&loop, &poll, &pipe[0]);
  if (err != 0) {
    fprintf(stderr, "poll-fd: %s\n", uv_strerror(err));
    return 1;
  }
  int is_sent = write(pipe[1], "hello", 5) == 5;
  close(pipe[1]);

  uv_run(&loop, UV_RUN_DEFAULT);
  close(pipe[0]); /* ours, and only now that nobody watches it */
  printf("%s\n", text);
  return uv_loop_close(&loop) != 0 || !is_sent || strcmp(text, "hello") != 0 ||
         !ended;
}
