/* SPDX-License-Identifier: MIT */
/* What watching a large tree costs: bench/trees/run.
 *
 *   tree make DIRECTORY COUNT      COUNT directories with 3 files each
 *   tree watch DIRECTORY           one line of figures
 *
 * The tree has 100 directories at a level. Events are timed by a thread that
 * makes a file every 2 ms in the first directory below the root, which the
 * start has watched, and notes when. The files stay. */
#include "uv.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WIDTH 100
#define EVENTS_MAX 20000
#define EVENTS_AFTER 1000

static uint64_t made_ns[EVENTS_MAX]; /* atomic */
static uint64_t seen_ns[EVENTS_MAX];
static int is_over; /* atomic */
static char first_dir[4096];

static void check(int good, const char* what) {
  if (good)
    return;
  perror(what);
  exit(1);
}

static void make_directory(const char* path) {
  char name[4200];

  check(mkdir(path, 0700) == 0, path);
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof(name), "%s/file%d", path, i);
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    check(fd >= 0, name);
    close(fd);
  }
}

/* Directory n is in directory (n - 1) / WIDTH: breadth first. */
static void path_of(const char* root, int n, char path[4096]) {
  char rest[256] = "";
  char part[sizeof(rest)];

  for (; n > 0; n = (n - 1) / WIDTH) {
    snprintf(part, sizeof(part), "/d%d%.200s", (n - 1) % WIDTH, rest);
    memcpy(rest, part, sizeof(rest));
  }
  snprintf(path, 4096, "%.3000s%s", root, rest);
}

static int make_tree(const char* root, int count) {
  char path[4096];

  for (int n = 0; n < count; n++) {
    path_of(root, n, path);
    make_directory(path);
  }
  return 0;
}

static void make_events(void* arg) {
  char path[4200];

  (void) arg;
  for (int i = 0; i < EVENTS_MAX; i++) {
    if (__atomic_load_n(&is_over, __ATOMIC_RELAXED))
      return;
    snprintf(path, sizeof(path), "%s/event%d-%d", first_dir, i, (int) getpid());
    __atomic_store_n(&made_ns[i], uv_hrtime(), __ATOMIC_RELEASE);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    check(fd >= 0, path);
    close(fd);
    usleep(2000);
  }
}

static int nseen;

static void on_event(uv_fs_event_t* handle,
                     const char* path,
                     int events,
                     int status) {
  int i;

  (void) handle;
  (void) events;
  check(status == 0, "status");
  if (path != NULL && sscanf(path, "d0/event%d", &i) == 1 && seen_ns[i] == 0) {
    seen_ns[i] = uv_hrtime();
    nseen++;
  }
}

static int compare(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*) a;
  uint64_t y = *(const uint64_t*) b;

  return (x > y) - (x < y);
}

/* Of events [from, to), in microseconds. */
static void print_latency(const char* when, int from, int to) {
  static uint64_t ns[EVENTS_MAX];
  int n = 0;

  for (int i = from; i < to; i++)
    if (seen_ns[i] != 0)
      ns[n++] = seen_ns[i] - __atomic_load_n(&made_ns[i], __ATOMIC_ACQUIRE);
  if (n == 0)
    return;
  qsort(ns, (size_t) n, sizeof(ns[0]), compare);
  printf(" %s_n=%d %s_p50_us=%.0f %s_p99_us=%.0f", when, n, when,
         (double) ns[n / 2] / 1e3, when, (double) ns[n * 99 / 100] / 1e3);
}

static long kib_of(const char* file, const char* key) {
  char line[256];
  long kib = 0;
  FILE* f = fopen(file, "r");

  check(f != NULL, file);
  while (fgets(line, sizeof(line), f) != NULL)
    if (strncmp(line, key, strlen(key)) == 0)
      kib = atol(line + strlen(key));
  fclose(f);
  return kib;
}

static uint64_t turn_ns;
static uint64_t longest_ns;

static void on_check(uv_check_t* handle) {
  (void) handle;
  uint64_t now = uv_hrtime();
  if (turn_ns != 0 && now - turn_ns > longest_ns)
    longest_ns = now - turn_ns;
}

/* The loop has something to do all the time: what passes between two of these
 * is the time of one iteration. */
static void on_idle(uv_idle_t* handle) {
  (void) handle;
  turn_ns = uv_hrtime();
}

static int watch_tree(const char* root) {
  uv_loop_t* loop = uv_default_loop();
  uv_fs_event_t handle;
  uv_check_t checker;
  uv_idle_t idle;
  uv_thread_t thread;

  snprintf(first_dir, sizeof(first_dir), "%.4000s/d0", root);
  long rss = kib_of("/proc/self/status", "VmRSS:");
  long slab = kib_of("/proc/meminfo", "Slab:");
  uv_fs_event_init(loop, &handle);
  uint64_t begin = uv_hrtime();
  int err = uv_fs_event_start(&handle, on_event, root, UV_FS_EVENT_RECURSIVE);
  uint64_t started = uv_hrtime();
  if (err != 0) {
    fprintf(stderr, "%s\n", uv_strerror(err));
    return 1;
  }
  check(uv_thread_create(&thread, make_events, NULL) == 0, "thread");
  uv_check_init(loop, &checker);
  uv_check_start(&checker, on_check);
  uv_idle_init(loop, &idle);
  uv_idle_start(&idle, on_idle);
  while (uvx_fs_event_unscanned(&handle) != 0)
    uv_run(loop, UV_RUN_NOWAIT);
  uint64_t complete = uv_hrtime();
  uv_idle_stop(&idle);
  uv_check_stop(&checker);
  int during = nseen;
  while (nseen < during + EVENTS_AFTER)
    uv_run(loop, UV_RUN_ONCE);
  __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
  uv_thread_join(&thread);
  printf("start_ms=%.1f complete_ms=%.0f stall_ms=%.2f rss_kib=%ld "
         "slab_kib=%ld",
         (double) (started - begin) / 1e6, (double) (complete - begin) / 1e6,
         (double) longest_ns / 1e6, kib_of("/proc/self/status", "VmRSS:") - rss,
         kib_of("/proc/meminfo", "Slab:") - slab);
  print_latency("during", 0, during);
  print_latency("after", during, during + EVENTS_AFTER);
  uint64_t stop = uv_hrtime();
  uv_fs_event_stop(&handle);
  printf(" stop_ms=%.1f\n", (double) (uv_hrtime() - stop) / 1e6);
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 4 && strcmp(argv[1], "make") == 0)
    return make_tree(argv[2], atoi(argv[3]));
  if (argc == 3 && strcmp(argv[1], "watch") == 0)
    return watch_tree(argv[2]);
  return 2;
}
