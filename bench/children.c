/* SPDX-License-Identifier: MIT */
/* Children that end: `size` of them wait for the end of a pipe and exit
 * together when it is closed. One operation is an exit reported. Starting them
 * is not measured. The time is mostly the kernel's; processor time, which is
 * that of this process alone, shows how the library finds out who ended. */
#include "bench.h"

#include <fcntl.h>
#include <unistd.h>

static struct {
  uv_loop_t loop;
  uv_process_t* all;
  uint64_t exited;
} children;

static void child_exited(uv_process_t* process, int64_t status, int signal) {
  CHECK(status == 0);
  CHECK(signal == 0);
  children.exited++;
  uv_close((uv_handle_t*) process, NULL);
}

/* Returns the end of the pipe that keeps them alive. */
static int start_children(unsigned count) {
  static char* args[] = { "/bin/cat", NULL };
  int ends[2];

  CHECK(pipe2(ends, O_CLOEXEC) == 0);
  uv_stdio_container_t input = { .flags = UV_INHERIT_FD, .data.fd = ends[0] };
  uv_process_options_t options = { .exit_cb = child_exited,
                                   .file = args[0],
                                   .args = args,
                                   .stdio = &input,
                                   .stdio_count = 1 };
  for (unsigned i = 0; i < count; i++)
    CHECK_OK(uv_spawn(&children.loop, &children.all[i], &options));
  close(ends[0]);
  return ends[1];
}

static void run_children(struct run* run) {
  uint64_t rounds = (run->ops + run->size - 1) / run->size;

  children.all = bench_alloc(run->size, sizeof(*children.all));
  run->ops = rounds * run->size;
  CHECK_OK(uv_loop_init(&children.loop));
  for (uint64_t i = 0; i < rounds; i++) {
    int end = start_children(run->size);
    CHECK(uv_run(&children.loop, UV_RUN_NOWAIT) != 0);
    (i == 0 ? bench_begin : bench_resume)();
    close(end);
    CHECK_OK(uv_run(&children.loop, UV_RUN_DEFAULT));
    bench_end();
  }
  CHECK(children.exited == run->ops);
  bench_drain(&children.loop);
  free(children.all);
}

const struct workload children_workloads[] = {
  { "children-10", run_children, NULL, 0, 200, 200, 10,
    "the end of a child reported, 10 end together" },
  { "children-1000", run_children, NULL, 0, 1000, 1000, 1000,
    "the end of a child reported, 1000 end together" },
  { "children-5000", run_children, NULL, 0, 5000, 5000, 5000,
    "the end of a child reported, 5000 end together" },
  { .name = NULL },
};
