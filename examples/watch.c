/* SPDX-License-Identifier: MIT */
/* Prints what changes in a directory.
 *
 *   watch DIRECTORY [COUNT]     ends with SIGINT, or after COUNT events
 *
 * Exit status 0: everything was closed in the end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

static long left = -1; /* events until the end; -1: no end */

static void close_any(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (!uv_is_closing(handle))
    uv_close(handle, NULL);
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  uv_walk(handle->loop, close_any, NULL);
}

static void on_change(uv_fs_event_t* handle,
                      const char* filename,
                      int events,
                      int status) {
  if (status != 0)
    fprintf(stderr, "watch: %s\n", uv_strerror(status));
  else
    printf("%s%s %s\n", events & UV_RENAME ? "rename" : "",
           events & UV_CHANGE ? "change" : "",
           filename == NULL ? "(unknown)" : filename);
  fflush(stdout);
  if (left > 0 && --left == 0)
    uv_walk(handle->loop, close_any, NULL);
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  uv_fs_event_t event;
  uv_signal_t sigint;

  if (argc < 2)
    return 2;
  if (argc > 2)
    left = atol(argv[2]);
  uv_fs_event_init(loop, &event);
  int err = uv_fs_event_start(&event, on_change, argv[1], 0);
  if (err != 0) {
    fprintf(stderr, "watch: %s: %s\n", argv[1], uv_strerror(err));
    return 1;
  }
  printf("watching\n");
  fflush(stdout);

  uv_signal_init(loop, &sigint);
  uv_signal_start(&sigint, on_signal, SIGINT);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0;
}
