/* SPDX-License-Identifier: MIT */
/* Prints what changes in a directory and in all below it.
 *
 *   watch-tree DIRECTORY [COUNT]     ends with SIGINT, or after COUNT events
 *
 * Exit status 0: everything was closed in the end; 77: this system does not
 * watch trees, or cannot leave out parts of them.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>
#include <uv/ext.h>

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

static int leave_out(uv_fs_event_t* handle, const char* path) {
  const char* slash = strrchr(path, '/');
  const char* name = slash == NULL ? path : slash + 1;

  (void) handle;
  return strcmp(name, ".git") != 0 && strcmp(name, "node_modules") != 0;
}

static void on_change(uv_fs_event_t* handle,
                      const char* path,
                      int events,
                      int status) {
  if (status != 0)
    printf("not watched: %s: %s\n", path, uv_strerror(status));
  else if (path == NULL)
    printf("events were lost: look at everything\n");
  else
    printf("%s %s\n", events & UV_RENAME ? "rename" : "change", path);
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
  if (uvx_fs_event_filter(&event, leave_out) == UV_ENOTSUP)
    return 77;
  int err =
      uv_fs_event_start(&event, on_change, argv[1], UV_FS_EVENT_RECURSIVE);
  if (err != 0) {
    fprintf(stderr, "watch-tree: %s: %s\n", argv[1], uv_strerror(err));
    return 1;
  }
  printf("watching; %zu directories to go\n", uvx_fs_event_unscanned(&event));
  fflush(stdout);

  uv_signal_init(loop, &sigint);
  uv_signal_start(&sigint, on_signal, SIGINT);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0;
}
