/* SPDX-License-Identifier: MIT */
/* Spawning: one operation is a process started, exited and reported. */
#include "bench.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLAIN, OPTIONS };

static struct {
  uv_loop_t loop;
  uv_process_t process;
  uv_process_options_t options;
  uint64_t left;
  uint64_t in_call; /* ns spent in uv_spawn() */
} spawning;

static void spawn_next(void);

static void closed(uv_handle_t* handle) {
  (void) handle;
  if (--spawning.left > 0)
    spawn_next();
}

static void exited(uv_process_t* process, int64_t status, int signal) {
  CHECK(status == 0);
  CHECK(signal == 0);
  uv_close((uv_handle_t*) process, closed);
}

static void spawn_next(void) {
  uint64_t before = bench_clock();
  CHECK_OK(uv_spawn(&spawning.loop, &spawning.process, &spawning.options));
  spawning.in_call += bench_clock() - before;
}

/* The parent's resident memory, in pages of the normal size. */
static void grow(unsigned megabytes) {
  size_t bytes = (size_t) megabytes << 20;
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  CHECK(memory != MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  memset(memory, 1, bytes);
}

static void run_spawn(struct run* run) {
  static char* args[] = { "/bin/true", NULL };

  if (run->size > 0)
    grow(run->size);
  spawning.left = run->ops;
  spawning.options.file = args[0];
  spawning.options.args = args;
  spawning.options.exit_cb = exited;
  if (run->kind == OPTIONS) {
    spawning.options.cwd = "/";
    spawning.options.flags = UV_PROCESS_DETACHED;
  }
  CHECK_OK(uv_loop_init(&spawning.loop));
  bench_begin();
  spawn_next();
  CHECK_OK(uv_run(&spawning.loop, UV_RUN_DEFAULT));
  bench_end();
  bench_note("call_us", (double) spawning.in_call / 1000.0 / (double) run->ops);
  bench_drain(&spawning.loop);
}

/* The same among `size` idle children. The first operations take two to three
 * times as long, because the others' start-up has emptied the caches; they are
 * not measured. Since preparing takes long, there is only one run with many
 * children; the median of its operations tells more than their mean when
 * another program had the processors for a moment. */
#define WARM_UP 10

static struct {
  uint64_t ops;
  uint64_t ended; /* after the warm-up */
  uint64_t began; /* the current one, ns */
  double* us;     /* of each operation */
} among;

static void among_next(void) {
  among.began = bench_clock();
  spawn_next();
}

static void among_closed(uv_handle_t* handle) {
  static unsigned warm_up = WARM_UP;

  (void) handle;
  if (warm_up > 0) {
    if (--warm_up == 0)
      bench_begin();
  } else {
    among.us[among.ended++] = (double) (bench_clock() - among.began) / 1000.0;
  }
  if (among.ended < among.ops)
    among_next();
  else
    uv_stop(&spawning.loop); /* the others would keep the loop alive */
}

static void among_exited(uv_process_t* process, int64_t status, int signal) {
  CHECK(status == 0);
  CHECK(signal == 0);
  uv_close((uv_handle_t*) process, among_closed);
}

static int compare_us(const void* a, const void* b) {
  double x = *(const double*) a;
  double y = *(const double*) b;
  return (x > y) - (x < y);
}

static void run_among(struct run* run) {
  static char* args[] = { "/bin/true", NULL };
  uv_process_t* others = bench_alloc(run->size, sizeof(*others));

  among.ops = run->ops;
  among.us = bench_alloc(run->ops, sizeof(*among.us));
  spawning.options.file = args[0];
  spawning.options.args = args;
  spawning.options.exit_cb = among_exited;
  CHECK_OK(uv_loop_init(&spawning.loop));
  int end = bench_children(&spawning.loop, others, run->size, NULL);
  among_next();
  CHECK(uv_run(&spawning.loop, UV_RUN_DEFAULT) != 0);
  bench_end();
  qsort(among.us, among.ops, sizeof(*among.us), compare_us);
  bench_note("median_us", among.us[among.ops / 2]);
  /* How many simultaneous exits are reported at once does not matter: the
   * library does not see them. */
  close(end);
  for (unsigned i = 0; i < run->size; i++)
    CHECK(wait(NULL) > 0);
}

const struct workload process_workloads[] = {
  { "spawn", run_spawn, NULL, PLAIN, 200, 0, 0,
    "/bin/true started and its end reported" },
  { "spawn-1g", run_spawn, NULL, PLAIN, 50, 0, 1024,
    "the same by a process of 1 GiB" },
  { "spawn-1g-options", run_spawn, NULL, OPTIONS, 50, 0, 1024,
    "the same with cwd and detached" },
  { "spawn-among-100", run_among, NULL, 0, 200, 0, 100,
    "/bin/true started and its end reported, among 100 children" },
  { .name = NULL },
};
