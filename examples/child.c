/* SPDX-License-Identifier: MIT */
/* Starts a program, writes to its input and reads its output.
 *
 *   child           starts itself as the program: it answers in capitals
 *
 * The program's output is complete at UV_EOF, not when it exits; both come, in
 * either order. Exit status 0: the answer was right and so was its status.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

static uv_process_t process;
static uv_pipe_t in;
static uv_pipe_t out;
static char answer[64];
static size_t length;
static int64_t exit_code = -1;

static int answer_in_capitals(void) {
  for (int c = getchar(); c != EOF; c = getchar())
    putchar(toupper(c));
  return 7;
}

static void child_exited(uv_process_t* child, int64_t status, int signum) {
  exit_code = signum == 0 ? status : -signum;
  uv_close((uv_handle_t*) child, NULL);
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(answer + length,
                     (unsigned int) (sizeof(answer) - 1 - length));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread >= 0)
    length += (size_t) nread;
  else /* UV_EOF, or an error */
    uv_close((uv_handle_t*) stream, NULL);
}

static void on_written(uv_write_t* req, int status) {
  (void) status;
  uv_close((uv_handle_t*) req->handle, NULL); /* the end of its input */
}

int main(int argc, char** argv) {
  if (argc > 1)
    return answer_in_capitals();

  uv_loop_t* loop = uv_default_loop();
  char* args[] = { argv[0], "capitals", NULL };
  uv_stdio_container_t stdio[3] = {
    { .flags = UV_CREATE_PIPE | UV_READABLE_PIPE,
      .data.stream = (uv_stream_t*) &in },
    { .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
      .data.stream = (uv_stream_t*) &out },
    { .flags = UV_INHERIT_FD, .data.fd = 2 },
  };
  uv_process_options_t options = { .exit_cb = child_exited,
                                   .file = argv[0],
                                   .args = args,
                                   .stdio = stdio,
                                   .stdio_count = 3 };
  uv_write_t write;
  uv_buf_t text = uv_buf_init("hello", 5);

  uv_pipe_init(loop, &in, 0);
  uv_pipe_init(loop, &out, 0);
  int err = uv_spawn(loop, &process, &options);
  if (err == 0)
    err = uv_read_start((uv_stream_t*) &out, on_alloc, on_read);
  if (err == 0)
    err = uv_write(&write, (uv_stream_t*) &in, &text, 1, on_written);
  if (err != 0) {
    fprintf(stderr, "child: %s\n", uv_strerror(err));
    return 1;
  }

  uv_run(loop, UV_RUN_DEFAULT);
  printf("it said \"%s\" and returned %d\n", answer, (int) exit_code);
  return strcmp(answer, "HELLO") != 0 || exit_code != 7 ||
         uv_loop_close(loop) != 0;
}
