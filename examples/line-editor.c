/* SPDX-License-Identifier: MIT */
/* Reads lines from the terminal key by key, with backspace and Ctrl+U.
 *
 *   line-editor     prints every line back; ends with Ctrl+D
 *
 * In raw mode the terminal shows nothing by itself and Ctrl+C is a key like any
 * other. Closing the handle restores the terminal. Exit status 0: it ended with
 * Ctrl+D; 2: standard input is not a terminal.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

enum { CTRL_C = 3, CTRL_D = 4, BACKSPACE = 8, CTRL_U = 21, DELETE_KEY = 127 };

static uv_tty_t in;
static uv_tty_t out;
static char line[256];
static size_t length;
static int interrupted;

/* Terminals take a line at once: no request to keep. */
static void print(const char* text, size_t len) {
  uv_buf_t buf = uv_buf_init((char*) text, (unsigned int) len);
  uv_try_write((uv_stream_t*) &out, &buf, 1);
}

static void erase(size_t count) {
  for (; count > 0 && length > 0; count--, length--)
    print("\b \b", 3);
}

static void finish(void) {
  if (!uv_is_closing((uv_handle_t*) &in)) {
    uv_close((uv_handle_t*) &in, NULL);
    uv_close((uv_handle_t*) &out, NULL);
  }
}

static void on_key(char key) {
  if (key == CTRL_D || key == CTRL_C) {
    interrupted = key == CTRL_C;
    finish();
  } else if (key == '\r' || key == '\n') {
    char reply[300];
    int len = snprintf(reply, sizeof(reply), "\n[%.*s]\n", (int) length, line);
    print(reply, (size_t) len);
    length = 0;
  } else if (key == BACKSPACE || key == DELETE_KEY) {
    erase(1);
  } else if (key == CTRL_U) {
    erase(length);
  } else if (isprint((unsigned char) key) && length < sizeof(line)) {
    line[length++] = key;
    print(&key, 1);
  }
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char keys[64];
  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(keys, sizeof(keys));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  if (nread < 0)
    finish();
  for (ssize_t i = 0; i < nread && !uv_is_closing((uv_handle_t*) &in); i++)
    on_key(buf->base[i]);
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();

  if (uv_guess_handle(0) != UV_TTY || uv_guess_handle(1) != UV_TTY) {
    fprintf(stderr, "line-editor: not a terminal\n");
    return 2;
  }
  int err = uv_tty_init(loop, &in, 0, 1);
  if (err == 0)
    err = uv_tty_init(loop, &out, 1, 0);
  if (err == 0)
    err = uv_tty_set_mode(&in, UV_TTY_MODE_RAW);
  if (err == 0)
    err = uv_read_start((uv_stream_t*) &in, on_alloc, on_read);
  if (err != 0) {
    fprintf(stderr, "line-editor: %s\n", uv_strerror(err));
    return 1;
  }
  print("ready\n", 6);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0 || interrupted;
}
