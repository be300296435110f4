/* SPDX-License-Identifier: MIT */
/* Notices that a file has grown, by asking for its size again and again: works
 * where the system tells nothing, as on a network's file server.
 *
 *   poll-file FILE    appends to the file itself, and ends when it is told
 *
 * Exit status 0: the change was noticed.
 */
#include <stdio.h>

#include <uv.h>

static int noticed;

static void on_change(uv_fs_poll_t* poll,
                      int status,
                      const uv_stat_t* before,
                      const uv_stat_t* now) {
  char path[1024];
  size_t size = sizeof path;

  if (status != 0) { /* it is not there; called again when it is */
    printf("%s\n", uv_strerror(status));
    return;
  }
  if (uv_fs_poll_getpath(poll, path, &size) == 0)
    printf("%s: %d bytes, before %d\n", path, (int) now->st_size,
           (int) before->st_size);
  noticed = now->st_size > before->st_size;
  uv_fs_poll_stop(poll);
  uv_close((uv_handle_t*) poll, NULL);
}

static int append(const char* path) {
  FILE* file = fopen(path, "a");
  if (file == NULL)
    return -1;
  fputs("more\n", file);
  return fclose(file);
}

/* The first look, which is silent, has been taken: it keeps what it saw. */
static void on_timer(uv_timer_t* timer) {
  if (append(timer->data) != 0)
    perror("poll-file");
}

int main(int argc, char** argv) {
  uv_loop_t loop;
  uv_fs_poll_t poll;
  uv_timer_t timer;

  if (argc != 2 || append(argv[1]) != 0 || uv_loop_init(&loop) != 0) {
    fprintf(stderr, "usage: poll-file FILE\n");
    return 2;
  }
  uv_fs_poll_init(&loop, &poll);
  uv_fs_poll_start(&poll, on_change, argv[1], 50);

  /* Appends more than once, should the first look come after the first. */
  uv_timer_init(&loop, &timer);
  timer.data = argv[1];
  uv_timer_start(&timer, on_timer, 100, 100);
  uv_unref((uv_handle_t*) &timer); /* does not keep the loop running */

  uv_run(&loop, UV_RUN_DEFAULT); /* returns when `poll` is closed */
  uv_close((uv_handle_t*) &timer, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  return uv_loop_close(&loop) != 0 || !noticed;
}
