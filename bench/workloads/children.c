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

/* Each child writes a line when it is up. */
static void await_lines(int fd, unsigned count) {
  char lines[4096];

  while (count > 0) {
    ssize_t n = read(fd, lines, sizeof(lines));
    CHECK(n > 0);
    CHECK((size_t) n <= count);
    count -= (unsigned) n;
  }
}

int bench_children(uv_loop_t* loop,
                   uv_process_t* all,
                   unsigned count,
                   uv_exit_cb cb) {
  static char* args[] = { "/bin/sh", "-c", "echo; read x; exit 0", NULL };
  int input[2];
  int output[2];

  CHECK(pipe2(input, O_CLOEXEC) == 0);
  CHECK(pipe2(output, O_CLOEXEC) == 0);
  uv_stdio_container_t stdio[] = {
    { .flags = UV_INHERIT_FD, .data.fd = input[0] },
    { .flags = UV_INHERIT_FD, .data.fd = output[1] },
  };
  uv_process_options_t options = {
    .exit_cb = cb,
    .file = args[0],
    .args = args,
    .stdio = stdio,
    .stdio_count = 2,
  };
  for (unsigned i = 0; i < count; i++)
    CHECK_OK(uv_spawn(loop, &all[i], &options));
  close(input[0]);
  close(output[1]);
  await_lines(output[0], count);
  close(output[0]);
  return input[1];
}

static void run_children(struct run* run) {
  uint64_t rounds = (run->ops + run->size - 1) / run->size;

  children.all = bench_alloc(run->size, sizeof(*children.all));
  run->ops = rounds * run->size;
  CHECK_OK(uv_loop_init(&children.loop));
  for (uint64_t i = 0; i < rounds; i++) {
    int end =
        bench_children(&children.loop, children.all, run->size, child_exited);
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
