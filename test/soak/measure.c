/* SPDX-License-Identifier: MIT */
/* Samples of the library's blocks, resident memory, descriptors, and the lag of
 * a 10 ms timer, and the verdicts on them. */
#include "soak.h"

#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
  TICK_MS = 10,
  SAMPLE_MS = 1000,
  SAMPLES_MAX = 8192,
  LAG_UNIT_US = 100,
  LAG_UNITS = 100000, /* ten seconds */
};

struct sample {
  long long blocks;
  long long fds;
  long long rss_kb;
};

static atomic_llong blocks;
static struct sample samples[SAMPLES_MAX];
static int nsamples;
static unsigned lags[LAG_UNITS];
static uint64_t nlags;
static uint64_t lag_max_us;
static uint64_t tick_due;
static uv_timer_t tick_timer;
static uv_timer_t sample_timer;
static long long fds_before;

_Noreturn void soak_fail(const char* file, int line, const char* what) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  fflush(NULL);
  _exit(1);
}

uint32_t draw(uint32_t below) {
  static uint32_t state = 12345;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % below;
}

void soak_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char space[65536];
  (void) handle;
  (void) size;
  *buf = uv_buf_init(space, 1 + draw(sizeof(space)));
}

static void* soak_malloc(size_t size) {
  atomic_fetch_add(&blocks, 1);
  return malloc(size);
}

static void* soak_calloc(size_t count, size_t size) {
  atomic_fetch_add(&blocks, 1);
  return calloc(count, size);
}

static void* soak_realloc(void* ptr, size_t size) {
  if (ptr == NULL)
    atomic_fetch_add(&blocks, 1);
  return realloc(ptr, size);
}

static void soak_free(void* ptr) {
  if (ptr != NULL)
    atomic_fetch_sub(&blocks, 1);
  free(ptr);
}

static int count_fds(void) {
  DIR* dir = opendir("/proc/self/fd");
  int count = -3; /* ".", ".." and this one */
  REQUIRE(dir != NULL);
  while (readdir(dir) != NULL)
    count++;
  closedir(dir);
  return count;
}

static void on_sample(uv_timer_t* timer) {
  size_t rss = 0;

  (void) timer;
  if (nsamples == SAMPLES_MAX)
    return;
  REQUIRE(uv_resident_set_memory(&rss) == 0);
  samples[nsamples].blocks = blocks;
  samples[nsamples].fds = count_fds();
  samples[nsamples++].rss_kb = (long long) (rss / 1024);
}

static void on_tick(uv_timer_t* timer) {
  uint64_t now = uv_hrtime();
  uint64_t lag_us = now > tick_due ? (now - tick_due) / 1000 : 0;
  uint64_t unit = lag_us / LAG_UNIT_US;

  lags[unit < LAG_UNITS ? unit : LAG_UNITS - 1]++;
  nlags++;
  if (lag_us > lag_max_us)
    lag_max_us = lag_us;
  tick_due = uv_now(&loop) * 1000000 + TICK_MS * 1000000ull;
  REQUIRE(uv_timer_start(timer, on_tick, TICK_MS, 0) == 0);
}

void measure_init(void) {
  struct rlimit limit;

  signal(SIGPIPE, SIG_IGN);
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  fds_before = count_fds();
  REQUIRE(uv_replace_allocator(soak_malloc, soak_realloc, soak_calloc,
                               soak_free) == 0);
}

void measure_start(void) {
  REQUIRE(uv_timer_init(&loop, &tick_timer) == 0);
  REQUIRE(uv_timer_init(&loop, &sample_timer) == 0);
  tick_due = uv_now(&loop) * 1000000 + TICK_MS * 1000000ull;
  REQUIRE(uv_timer_start(&tick_timer, on_tick, TICK_MS, 0) == 0);
  REQUIRE(uv_timer_start(&sample_timer, on_sample, SAMPLE_MS, SAMPLE_MS) == 0);
}

void measure_stop(void) {
  uv_close((uv_handle_t*) &tick_timer, NULL);
  uv_close((uv_handle_t*) &sample_timer, NULL);
}

/* In ms: this many thousandths of the ticks were not later. */
static double lag_ms(unsigned thousandths) {
  uint64_t rank = nlags * thousandths / 1000;
  uint64_t seen = 0;

  for (int i = 0; i < LAG_UNITS; i++) {
    seen += lags[i];
    if (seen > rank)
      return (i + 1) * LAG_UNIT_US / 1e3;
  }
  return lag_max_us / 1e3;
}

int verdict(int ok, const char* format, ...) {
  va_list args;

  printf("%s ", ok ? "ok" : "not ok");
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
  printf("\n");
  return ok ? 0 : 1;
}

/* The maximum in a range of samples. */
static struct sample most(int from, int to) {
  struct sample max = { 0, 0, 0 };

  for (int i = from; i < to; i++) {
    const struct sample* s = &samples[i];
    max.blocks = s->blocks > max.blocks ? s->blocks : max.blocks;
    max.fds = s->fds > max.fds ? s->fds : max.fds;
    max.rss_kb = s->rss_kb > max.rss_kb ? s->rss_kb : max.rss_kb;
  }
  return max;
}

int measure_report(const char* who, long long fds_max, int* total) {
  /* The first third is warm-up. */
  int third = nsamples / 3;
  struct sample early = most(third, 2 * third);
  struct sample late = most(2 * third, nsamples);
  int failed = 0;

  uv_library_shutdown();
  printf("# %s: lag of a 10 ms timer: median %.1f ms, p99 %.1f ms, max %.1f "
         "ms, of %llu\n",
         who, lag_ms(500), lag_ms(990), lag_max_us / 1e3,
         (unsigned long long) nlags);
  failed += verdict(nsamples >= 6 &&
                        late.blocks <= early.blocks + early.blocks / 8 + 16,
                    "%s: blocks of the library: at most %lld, then %lld", who,
                    early.blocks, late.blocks);
  failed += verdict(late.rss_kb <= early.rss_kb + early.rss_kb / 8 + 4096,
                    "%s: resident memory: at most %lld kB, then %lld kB", who,
                    early.rss_kb, late.rss_kb);
  failed += verdict(late.fds <= fds_before + fds_max,
                    "%s: descriptors: at most %lld, then %lld", who, early.fds,
                    late.fds);
  failed += verdict(count_fds() == fds_before && blocks == 0,
                    "%s: at the end %d descriptors, as before, %lld blocks",
                    who, count_fds(), (long long) blocks);
  *total += 4;
  return failed;
}
