/* SPDX-License-Identifier: MIT */
/* uv-bench: one run of one workload, one line of JSON.
 *
 *   uv-bench --list
 *   uv-bench [--floor] WORKLOAD [OPS [SIZE]]
 *
 * Times cover what lies between bench_begin() and bench_end(): `wall`, `cpu`
 * (user and system, all threads of this process) and `children` (processes it
 * spawned and reaped). Call bench/compare rather than this program. */
#include "bench.h"
#include "peer.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NOTES_MAX 16
#define FDS_MAX (1u << 20)

static const struct workload* const tables[] = {
  stream_workloads,  connection_workloads, udp_workloads,
  timer_workloads,   async_workloads,      work_workloads,
  file_workloads,    file_chain_workloads, pace_workloads,
  process_workloads, children_workloads,   loop_workloads,
  memory_workloads,  latency_workloads,    burst_workloads,
  flood_workloads,   post_workloads,
};

struct moment {
  double wall;
  double cpu;
  double children;
};

static struct moment began;
static struct moment ended;

static struct {
  const char* name;
  double value;
} notes[NOTES_MAX];
static unsigned notes_count;

static char dir_name[64];
static pid_t dir_owner;

uint64_t bench_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

static double seconds(struct timeval t) {
  return (double) t.tv_sec + (double) t.tv_usec * 1e-6;
}

static double cpu_of(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

static struct moment take_moment(void) {
  struct moment m = { (double) bench_clock() * 1e-9, cpu_of(RUSAGE_SELF),
                      cpu_of(RUSAGE_CHILDREN) };
  return m;
}

void bench_begin(void) {
  began = take_moment();
}

void bench_end(void) {
  ended = take_moment();
}

void bench_resume(void) {
  struct moment now = take_moment();

  began.wall += now.wall - ended.wall;
  began.cpu += now.cpu - ended.cpu;
  began.children += now.children - ended.children;
}

void bench_note(const char* name, double value) {
  CHECK(notes_count < NOTES_MAX);
  notes[notes_count].name = name;
  notes[notes_count++].value = value;
}

void bench_fail(const char* file, int line, const char* what, int err) {
  fprintf(stderr, "uv-bench: %s:%d: %s", file, line, what);
  if (err != 0)
    fprintf(stderr, ": %s", uv_strerror(err));
  fputc('\n', stderr);
  exit(1);
}

void* bench_alloc(size_t count, size_t size) {
  void* memory = calloc(count, size);
  CHECK(memory != NULL);
  return memory;
}

uint32_t bench_random(void) {
  static uint32_t state = 2463534242u;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static void remove_dir(void) {
  char command[128];

  if (getpid() != dir_owner)
    return; /* a forked child does not own it */
  snprintf(command, sizeof(command), "rm -rf '%s'", dir_name);
  if (system(command) != 0)
    fprintf(stderr, "uv-bench: could not remove %s\n", dir_name);
}

const char* bench_dir(void) {
  if (dir_owner == 0) {
    snprintf(dir_name, sizeof(dir_name), "/tmp/uv-bench-XXXXXX");
    CHECK(mkdtemp(dir_name) != NULL);
    dir_owner = getpid();
    atexit(remove_dir);
  }
  return dir_name;
}

void bench_drain(uv_loop_t* loop) {
  CHECK_OK(uv_run(loop, UV_RUN_DEFAULT));
  CHECK_OK(uv_loop_close(loop));
}

unsigned bench_raise_fd_limit(void) {
  struct rlimit limit;

  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  if (limit.rlim_max < FDS_MAX) {
    struct rlimit more = { FDS_MAX, FDS_MAX };
    if (setrlimit(RLIMIT_NOFILE, &more) == 0)
      return FDS_MAX; /* root may */
  }
  limit.rlim_cur = limit.rlim_max;
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  return limit.rlim_cur > FDS_MAX ? FDS_MAX : (unsigned) limit.rlim_cur;
}

static void list_all(void) {
  for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
    for (const struct workload* w = tables[i]; w->name != NULL; w++)
      printf("{\"name\": \"%s\", \"ops\": %llu, \"ops_max\": %llu, "
             "\"size\": %u, \"floor\": %s, \"what\": \"%s\"}\n",
             w->name, (unsigned long long) w->ops,
             (unsigned long long) w->ops_max, w->size,
             w->floor != NULL ? "true" : "false", w->what);
}

static const struct workload* find(const char* name) {
  for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
    for (const struct workload* w = tables[i]; w->name != NULL; w++)
      if (strcmp(w->name, name) == 0)
        return w;
  return NULL;
}

static void report(const struct workload* w, const struct run* run) {
  printf("{\"workload\": \"%s\", \"version\": \"%s\", \"ops\": %llu, "
         "\"size\": %u, \"wall\": %.9f, \"cpu\": %.6f, \"children\": %.6f",
         w->name, uv_version_string(), (unsigned long long) run->ops, run->size,
         ended.wall - began.wall, ended.cpu - began.cpu,
         ended.children - began.children);
  for (unsigned i = 0; i < notes_count; i++)
    printf(", \"%s\": %.6g", notes[i].name, notes[i].value);
  printf("}\n");
}

int main(int argc, char** argv) {
  peer_program = argv[0];
  if (argc > 2 && strcmp(argv[1], "--peer") == 0)
    peer_main(argc - 2, argv + 2);
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    list_all();
    return 0;
  }

  int is_floor = argc > 1 && strcmp(argv[1], "--floor") == 0;
  argv += is_floor;
  argc -= is_floor;
  const struct workload* w = argc > 1 ? find(argv[1]) : NULL;
  if (w == NULL || argc > 4 || (is_floor && w->floor == NULL)) {
    fprintf(stderr, "usage: uv-bench [--floor] WORKLOAD [OPS [SIZE]]\n"
                    "       uv-bench --list\n");
    return 2;
  }

  struct run run = { w->ops, w->size, w->kind };
  if (argc > 2)
    run.ops = strtoull(argv[2], NULL, 10);
  if (argc > 3)
    run.size = (unsigned) strtoul(argv[3], NULL, 10);
  CHECK(run.ops > 0);
  (is_floor ? w->floor : w->run)(&run);
  report(w, &run);
  return 0;
}
