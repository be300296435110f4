/* SPDX-License-Identifier: MIT */
/* More of area process, on Unix: fork() of a process with a loop, and
 * descriptors that children do not inherit. */
#include "areas.h"
#include "trace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_timer(uv_timer_t* timer) {
  trace_add("timer_cb in the child");
  trace_end();
  uv_close((uv_handle_t*) timer, NULL);
}

/* The child adds its lines to the trace, which is shared, while the parent
 * waits. */
static void child_run(void) {
  uv_timer_t timer;
  int err = uv_loop_fork(world_loop());

  trace_add("loop_fork -> %s", trace_code(err));
  trace_end();
  uv_timer_init(world_loop(), &timer);
  timer.data = NULL;
  uv_timer_start(&timer, on_timer, 0, 0);
  trace_add("child: run -> %d", world_run_loop(UV_RUN_NOWAIT));
  trace_add(", alive=%d", uv_loop_alive(world_loop()));
  trace_end();
}

static void fork_loop(const struct step* step) {
  int status = -1;

  if (world_depth() != 0) {
    world_skip(step);
    return;
  }
  pid_t pid = fork();
  if (pid == 0) {
    child_run();
    _exit(7);
  }
  while (waitpid(pid, &status, 0) == -1) {
    /* interrupted by a signal of the program */
  }
  world_say(step, NULL, status, "fork");
}

static void stdio_inheritance(const struct step* step) {
  int fd = dup(STDOUT_FILENO);

  uv_disable_stdio_inheritance();
  world_say(step, NULL, 0, "disable_stdio_inheritance: %d %d",
            fcntl(STDOUT_FILENO, F_GETFD), fcntl(fd, F_GETFD));
  close(fd);
}

const struct op process_more_ops[] = {
  { "fork", 12, fork_loop, 0 },
  { "stdio_inheritance", 3, stdio_inheritance, 0 },
  { NULL, 0, NULL, 0 },
};
