/* SPDX-License-Identifier: MIT */
/* Keeps a program running: starts it again when it fails, later each time.
 *
 *   supervisor PROGRAM ARGUMENT...   ends when the program returns 0, and after
 *                                    STARTS_MAX failures
 *   supervisor                       does so with itself: fails twice, then not
 *
 * Exit status 0: the program returned 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#define STARTS_MAX 5
#define PAUSE_MS 20 /* doubled with every failure */

static uv_loop_t* loop;
static uv_process_t process;
static uv_timer_t timer;
static char** command;
static int starts;
static int succeeded;

static void start(uv_timer_t* handle);

static void on_closed(uv_handle_t* handle) {
  (void) handle; /* the process' memory is free: it can be used again */
  if (succeeded || starts == STARTS_MAX)
    uv_close((uv_handle_t*) &timer, NULL);
  else
    uv_timer_start(&timer, start, (uint64_t) PAUSE_MS << starts, 0);
}

static void child_exited(uv_process_t* child, int64_t status, int signum) {
  succeeded = status == 0 && signum == 0;
  printf("start %d: status %d, signal %d\n", starts, (int) status, signum);
  uv_close((uv_handle_t*) child, on_closed);
}

static void start(uv_timer_t* handle) {
  uv_stdio_container_t stdio[3];
  uv_process_options_t options = { .exit_cb = child_exited,
                                   .file = command[0],
                                   .args = command,
                                   .stdio = stdio,
                                   .stdio_count = 3 };
  char count[16];

  (void) handle;
  snprintf(count, sizeof(count), "%d", ++starts);
  uv_os_setenv("SUPERVISOR_START", count);
  for (int i = 0; i < 3; i++) {
    stdio[i].flags = UV_INHERIT_FD;
    stdio[i].data.fd = i;
  }
  int err = uv_spawn(loop, &process, &options);
  if (err != 0) {
    fprintf(stderr, "supervisor: %s: %s\n", command[0], uv_strerror(err));
    uv_close((uv_handle_t*) &process, on_closed);
  }
}

int main(int argc, char** argv) {
  char* self[] = { argv[0], "child", NULL };

  if (argc == 2 && strcmp(argv[1], "child") == 0)
    return atoi(getenv("SUPERVISOR_START")) < 3;

  loop = uv_default_loop();
  command = argc > 1 ? argv + 1 : self;
  uv_timer_init(loop, &timer);
  start(&timer);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0 || !succeeded;
}
