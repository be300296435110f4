/* SPDX-License-Identifier: MIT */
/* The runner: a process for each scenario and size of the pool. */
#include "stress.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define HANG_S (SANITIZED ? 60 : 20)
#define RUNS_MAX 8

static uint64_t end_ns;
static unsigned seed;
static const char* name;
static uint64_t finished; /* atomic */

_Noreturn void stress_fail(const char* file, int line, const char* text) {
  fprintf(stderr, "# %s: %s:%d: %s\n", name, file, line, text);
  abort();
}

int stress_goes_on(void) {
  return uv_hrtime() < end_ns;
}

unsigned stress_seed(void) {
  return seed;
}

unsigned stress_size(void) {
  return (unsigned) atoi(getenv("UV_THREADPOOL_SIZE"));
}

void stress_progress(void) {
  __atomic_add_fetch(&finished, 1, __ATOMIC_RELAXED);
}

uint64_t stress_count(void) {
  return __atomic_load_n(&finished, __ATOMIC_RELAXED);
}

/* xorshift, by George Marsaglia */
unsigned stress_random(unsigned* state, unsigned below) {
  unsigned x = *state != 0 ? *state : 1;

  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *state = x;
  return x % below;
}

void stress_spin(unsigned us) {
  uint64_t end = uv_hrtime() + us * (uint64_t) 1000;

  while (uv_hrtime() < end)
    continue;
}

int stress_pin(unsigned cpu) {
  cpu_set_t set;

  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/* Without the library: it is what may hang. */
static void* watch(void* arg) {
  uint64_t before = 0;
  int still = 0;

  (void) arg;
  while (still < HANG_S) {
    sleep(1);
    uint64_t now = stress_count();
    still = now == before ? still + 1 : 0;
    before = now;
  }
  fprintf(stderr, "# %s: hangs after %llu requests\n", name,
          (unsigned long long) before);
  abort(); /* the core, or a debugger, shows where */
}

static int run_one(const struct scenario* scenario, unsigned ms) {
  pthread_t watchdog;

  name = scenario->name;
  end_ns = uv_hrtime() + ms * UINT64_C(1000000);
  CHECK(pthread_create(&watchdog, NULL, watch, NULL) == 0);
  scenario->run();
  printf("%llu\n", (unsigned long long) stress_count());
  fflush(stdout);
  _exit(0); /* the watchdog is still there */
}

static const struct scenario* const tables[] = {
  client_scenarios,
  place_scenarios,
  life_scenarios,
  tree_scenarios,
};
static int passed;
static int failed;
static int skipped;

/* Starts this program again, so that each run has its own pool. */
static void start(const char* which, unsigned ms, unsigned size, int fds[2]) {
  char ms_text[16];
  char size_text[16];
  char seed_text[16];

  snprintf(ms_text, sizeof(ms_text), "%u", ms);
  snprintf(size_text, sizeof(size_text), "%u", size);
  snprintf(seed_text, sizeof(seed_text), "%u", seed);
  setenv("UV_THREADPOOL_SIZE", size_text, 1);
  dup2(fds[1], 1);
  close(fds[0]);
  close(fds[1]);
  execl("/proc/self/exe", "uv-stress", "--one", which, ms_text, seed_text,
        (char*) NULL);
  _exit(127);
}

static void report(const char* which,
                   unsigned size,
                   int status,
                   const char* out) {
  int is_good = status == 0 && atoll(out) > 0;

  printf("%sok - %s, %u worker%s", is_good ? "" : "not ", which, size,
         size == 1 ? "" : "s");
  if (is_good)
    printf(" # %lld requests\n", atoll(out));
  else
    printf(" # status %#x, seed %u\n", (unsigned) status, seed);
  *(is_good ? &passed : &failed) += 1;
  fflush(stdout);
}

static void run_scenario(const struct scenario* scenario,
                         unsigned ms,
                         unsigned size) {
  char out[64] = "";
  int fds[2];
  int status;

  if ((scenario->flags & FORKS) && SANITIZED) {
    printf("ok - %s # SKIP a sanitizer's locks do not survive a fork with "
           "threads\n",
           scenario->name);
    skipped++;
    return;
  }
  CHECK(pipe(fds) == 0);
  pid_t pid = fork();
  CHECK(pid != -1);
  if (pid == 0)
    start(scenario->name, ms, size, fds);
  close(fds[1]);
  size_t have = 0;
  ssize_t n;
  while ((n = read(fds[0], out + have, sizeof(out) - 1 - have)) > 0)
    have += (size_t) n;
  close(fds[0]);
  CHECK(waitpid(pid, &status, 0) == pid);
  report(scenario->name, size, status, out);
}

static const struct scenario* find(const char* which) {
  for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
    for (const struct scenario* s = tables[t]; s->name != NULL; s++)
      if (strcmp(s->name, which) == 0)
        return s;
  fprintf(stderr, "no scenario called %s\n", which);
  exit(2);
}

struct options {
  unsigned ms;
  unsigned sizes[RUNS_MAX];
  unsigned nsizes;
};

static void run_all(const struct scenario* scenario, const struct options* o) {
  unsigned n = scenario->flags & ALONE ? 1 : o->nsizes;

  for (unsigned i = 0; i < n; i++)
    run_scenario(scenario, o->ms, scenario->flags & ALONE ? 4 : o->sizes[i]);
}

static void parse_sizes(struct options* o, char* text) {
  o->nsizes = 0;
  for (char* part = strtok(text, ","); part != NULL && o->nsizes < RUNS_MAX;
       part = strtok(NULL, ","))
    o->sizes[o->nsizes++] = (unsigned) atoi(part);
}

int main(int argc, char** argv) {
  struct options o = { 200, { 1, 2, 4, 64 }, 4 };
  struct rlimit none = { 0, 0 };
  int at = 1;

  setvbuf(stdout, NULL, _IOLBF, 0);
  if (getenv("UV_STRESS_CORE") == NULL)
    setrlimit(RLIMIT_CORE, &none);
  seed = (unsigned) uv_hrtime();
  if (argc == 5 && strcmp(argv[1], "--one") == 0) {
    seed = (unsigned) strtoul(argv[4], NULL, 10);
    return run_one(find(argv[2]), (unsigned) atoi(argv[3]));
  }
  for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
    if (strcmp(argv[at], "--ms") == 0)
      o.ms = (unsigned) atoi(argv[at + 1]);
    else if (strcmp(argv[at], "--seed") == 0)
      seed = (unsigned) strtoul(argv[at + 1], NULL, 10);
    else if (strcmp(argv[at], "--sizes") == 0)
      parse_sizes(&o, argv[at + 1]);
  }
  printf("# seed %u\n", seed);
  for (int i = at; i < argc; i++)
    run_all(find(argv[i]), &o);
  for (size_t t = 0; at >= argc && t < sizeof(tables) / sizeof(tables[0]); t++)
    for (const struct scenario* s = tables[t]; s->name != NULL; s++)
      run_all(s, &o);
  printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed != 0;
}
