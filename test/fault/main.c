/* SPDX-License-Identifier: MIT */
/* fault [--seconds N] [--mode M] [-v] [SCENARIO...]
 * fault --list | --list-modes
 *
 * Runs each scenario with the first, second, ... allocation and call refused,
 * until nothing is left to refuse, and under storms of interruptions, refusals
 * and short transfers. After each run no callback may be missing, the loop must
 * work and close, and the number of descriptors and blocks must be as before. A
 * pair of scenario and mode runs in a child, so that a crash is one failure and
 * the rest continues. */
#include "scenario.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GUARD_MS 4000
#define HANG_MS 12000
#define FAULTS_MAX 4000

struct mode {
  const char* name;
  enum fault_mode mode;
  int k;
  int is_storm;       /* all at once: there is no n-th */
  int is_transparent; /* must have no visible effect */
};

static const struct mode modes[] = {
  { "alloc-once", FAULT_ALLOC_ONCE, 0, 0, 0 },
  { "alloc-from", FAULT_ALLOC_FROM, 0, 0, 0 },
  { "call-0", FAULT_CALL, 0, 0, 0 },
  { "call-1", FAULT_CALL, 1, 0, 0 },
  { "call-2", FAULT_CALL, 2, 0, 0 },
  { "call-3", FAULT_CALL, 3, 0, 0 },
  { "calls-from", FAULT_CALLS_FROM, 1, 0, 0 },
  { "fds-from", FAULT_FDS_FROM, 0, 0, 0 },
  { "eintr", FAULT_EINTR, 0, 1, 1 },
  { "eagain", FAULT_EAGAIN, 0, 1, 1 },
  { "short", FAULT_SHORT, 0, 1, 1 },
};

/* Written by the child, read by the parent. */
struct progress {
  volatile long n;        /* being run */
  volatile long faults;   /* injected */
  volatile long reported; /* runs that ended with an error */
  volatile long unseen;   /* runs that succeeded despite it */
  volatile int finished;  /* nothing is left to refuse */
  char what[256];
  unsigned char seen[256];
};

static struct progress* progress;
static int verbose;
static const struct mode* mode_now;
static const char* name_now;

struct scenario_state sc;
int sc_step;
static uv_timer_t guard;

/* ---------------------------------------------------------------------------
 * What scenarios use. */

void sc_bug(const char* what) {
  fault_disarm();
  snprintf(progress->what, sizeof(progress->what),
           "%s (after %s, error %s, step %d)", what, fault_last(),
           sc.err == 0 ? "none" : uv_err_name(sc.err), sc_step);
  _exit(1);
}

static void close_one(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (handle != (uv_handle_t*) &guard && !uv_is_closing(handle))
    uv_close(handle, NULL);
}

void sc_close_all(void) {
  uv_walk(&sc.loop, close_one, NULL);
}

int sc_fail(int err) {
  if (sc.err == 0)
    sc.err = err;
  sc_close_all();
  return err;
}

int sc_try(int err) {
  return err == 0 ? 0 : sc_fail(err);
}

int sc_expect(int err) {
  if (err != 0)
    return sc_fail(err);
  sc.pending++;
  return 0;
}

void sc_arrived(void) {
  sc.pending--;
  SC_CHECK(sc.pending >= 0);
}

void sc_run(void) {
  /* If the poller fails, the loop returns to the caller; it may work again. */
  for (int i = 0; i < 20 && uv_run(&sc.loop, UV_RUN_DEFAULT) != 0; i++)
    continue;
}

void sc_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char space[65536];
  (void) handle;
  *buf = uv_buf_init(space, size < sizeof(space) ? (unsigned) size
                                                 : (unsigned) sizeof(space));
}

struct sockaddr_in sc_loopback(int port) {
  struct sockaddr_in addr;
  if (uv_ip4_addr("127.0.0.1", port, &addr) != 0)
    sc_bug("uv_ip4_addr");
  return addr;
}

/* ---------------------------------------------------------------------------
 * One run. */

/* More time on a busy machine. */
static long long patience(long long ms) {
  const char* text = getenv("UV_TEST_TIMEOUT_MULTIPLIER");
  int multiplier = text == NULL ? 1 : atoi(text);
  return ms * (multiplier < 1 ? 1 : multiplier);
}

static void on_guard(uv_timer_t* timer) {
  char text[200];
  (void) timer;
  fault_disarm();
  snprintf(text, sizeof(text), "stuck: %d callbacks pending, no error",
           sc.pending);
  sc_bug(text);
}

static int count_fds(void) {
  DIR* dir = opendir("/proc/self/fd");
  int count = 0;
  if (dir == NULL)
    return 0;
  while (readdir(dir) != NULL)
    count++;
  closedir(dir);
  return count;
}

static int usable;

static void on_usable_async(uv_async_t* async) {
  usable++;
  uv_close((uv_handle_t*) async, NULL);
}

static void on_usable_timer(uv_timer_t* timer) {
  usable++;
  uv_close((uv_handle_t*) timer, NULL);
}

static void on_usable_stat(uv_fs_t* req) {
  usable += req->result == 0;
}

/* The loop works. */
static void check_usable(void) {
  uv_async_t async;
  uv_timer_t timer;
  uv_fs_t fs;

  usable = 0;
  SC_CHECK(uv_async_init(&sc.loop, &async, on_usable_async) == 0);
  SC_CHECK(uv_timer_init(&sc.loop, &timer) == 0);
  SC_CHECK(uv_timer_start(&timer, on_usable_timer, 0, 0) == 0);
  SC_CHECK(uv_fs_stat(&sc.loop, &fs, "/", on_usable_stat) == 0);
  SC_CHECK(uv_async_send(&async) == 0);
  uv_run(&sc.loop, UV_RUN_DEFAULT);
  uv_fs_req_cleanup(&fs);
  SC_CHECK(usable == 3);
}

static void run_once(const struct scenario* scenario,
                     const struct fault_plan* plan) {
  int fds = count_fds();
  long blocks = fault_blocks();

  memset(&sc, 0, sizeof(sc));
  SC_CHECK(uv_loop_init(&sc.loop) == 0);
  if (scenario->ring == RING_POLLED)
    SC_CHECK(uv_loop_configure(&sc.loop, UV_LOOP_USE_IO_URING_SQPOLL) == 0);
  SC_CHECK(uv_timer_init(&sc.loop, &guard) == 0);
  SC_CHECK(uv_timer_start(&guard, on_guard, (uint64_t) patience(GUARD_MS), 0) ==
           0);
  uv_unref((uv_handle_t*) &guard);

  fault_arm(plan);
  scenario->run();
  fault_disarm();

  /* Some errors leave handles open: the scenario ended first. */
  sc_close_all();
  sc_run();
  SC_CHECK(sc.pending == 0);
  if (sc.err == 0)
    SC_CHECK(sc.goal);
  if (sc.err != 0 && fault_happened() &&
      (mode_now->is_transparent || !fault_may_be_reported()))
    sc_bug("an error that should not be visible");
  check_usable();
  uv_close((uv_handle_t*) &guard, NULL);
  uv_run(&sc.loop, UV_RUN_DEFAULT);
  SC_CHECK(uv_loop_close(&sc.loop) == 0);

  while (waitpid(-1, NULL, WNOHANG) > 0)
    continue; /* children that nobody reaped, because of the injected fault */
  if (count_fds() != fds)
    sc_bug("descriptors leaked");
  if (!scenario->fresh && fault_blocks() != blocks)
    sc_bug("memory leaked");
}

static void on_warm_work(uv_work_t* work) {
  (void) work;
  uv_barrier_wait((uv_barrier_t*) work->data);
}

static void after_warm_work(uv_work_t* work, int status) {
  (void) work;
  SC_CHECK(status == 0);
}

/* All workers exist before memory is counted. */
static void warm_up(const struct scenario* scenario) {
  static const struct fault_plan none = { FAULT_NONE, 0, 0 };
  enum { WORKERS = 4 };
  uv_work_t works[WORKERS];
  uv_barrier_t barrier;
  uv_loop_t loop;

  SC_CHECK(uv_loop_init(&loop) == 0);
  SC_CHECK(uv_barrier_init(&barrier, WORKERS) == 0);
  for (int i = 0; i < WORKERS; i++) {
    works[i].data = &barrier;
    SC_CHECK(uv_queue_work(&loop, &works[i], on_warm_work, after_warm_work) ==
             0);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_barrier_destroy(&barrier);
  SC_CHECK(uv_loop_close(&loop) == 0);
  for (int i = 0; i < 2; i++)
    run_once(scenario, &none);
}

static void one_fault(const struct scenario* scenario, long n) {
  struct fault_plan plan = { mode_now->mode, mode_now->k, n };

  progress->n = n;
  run_once(scenario, &plan);
  progress->faults += fault_count();
  if (verbose && fault_happened())
    printf("# %s %s n=%ld: %s refused, %s\n", name_now, mode_now->name, n,
           fault_last(), sc.err == 0 ? "not noticed" : uv_err_name(sc.err));
  if (fault_happened() && sc.err != 0)
    progress->reported++;
  else if (fault_happened())
    progress->unseen++;
  if (!fault_happened() || mode_now->is_storm)
    progress->finished = 1;
}

/* The child: from the n-th fault on. */
static void run_faults(const struct scenario* scenario, long n) {
  static const char* const wishes[] = { "0", "1", "2", "2" };

  if (setenv("UV_USE_IO_URING", wishes[scenario->ring], 1) != 0)
    _exit(4);
  fault_init(progress->seen);
  if (!scenario->fresh)
    warm_up(scenario);
  do
    one_fault(scenario, n++);
  while (!progress->finished && !scenario->fresh && n < FAULTS_MAX);
  fflush(NULL);
  _exit(0);
}

/* ---------------------------------------------------------------------------
 * The parent. */

static long long now_ms(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Ends a child that makes no progress. Returns its wait status. */
static int wait_watching(pid_t pid) {
  long at = -1;
  long long since = now_ms();
  int status;

  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (progress->n != at) {
      at = progress->n;
      since = now_ms();
    }
    if (now_ms() - since > patience(HANG_MS)) {
      snprintf(progress->what, sizeof(progress->what), "hangs");
      kill(-pid, SIGKILL);
      since = now_ms();
    }
    usleep(2000);
  }
  kill(-pid, SIGKILL); /* what it may have left behind */
  return status;
}

static int run_child(const struct scenario* scenario, long n) {
  char dir[] = "/tmp/uv-fault-XXXXXX";

  progress->what[0] = '\0';
  fflush(NULL);
  if (mkdtemp(dir) == NULL)
    return -1;
  pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    if (chdir(dir) != 0)
      _exit(4);
    run_faults(scenario, n);
  }
  setpgid(pid, pid);
  int status = wait_watching(pid);
  char command[64];
  snprintf(command, sizeof(command), "rm -rf %s", dir);
  if (system(command) != 0)
    return -1;
  return status;
}

/* All faults of one mode in one scenario. Returns the number of failures. */
static int run_pair(const struct scenario* scenario) {
  int failures = 0;
  long n = 0;

  progress->finished = 0;
  progress->faults = 0;
  progress->reported = 0;
  progress->unseen = 0;
  while (!progress->finished && n < FAULTS_MAX && failures < 8) {
    int status = run_child(scenario, n);
    n = progress->n + 1;
    if (status == 0)
      continue;
    failures++;
    printf("not ok %s %s n=%ld: %s", name_now, mode_now->name, n - 1,
           progress->what[0] != '\0' ? progress->what : "ended");
    if (WIFSIGNALED(status))
      printf(" by signal %d", WTERMSIG(status));
    printf("\n");
    if (mode_now->is_storm)
      break;
  }
  if (failures == 0)
    printf("ok %s %s # %ld faults: %ld runs reported it, %ld succeeded\n",
           name_now, mode_now->name, progress->faults, progress->reported,
           progress->unseen);
  fflush(stdout);
  return failures;
}

static int is_wanted(const char* name, char** wanted) {
  if (*wanted == NULL)
    return 1;
  for (; *wanted != NULL; wanted++)
    if (strcmp(*wanted, name) == 0)
      return 1;
  return 0;
}

static int report(int passed, int failed, int skipped, long faults) {
  int seen = 0;
  for (int i = 0; i < fault_calls_known(); i++) {
    seen += progress->seen[i];
    if (verbose && !progress->seen[i])
      printf("# never refused: %s\n", fault_call_name(i));
  }
  printf("# %ld faults injected, %d of %d calls refused at least once\n",
         faults, seen, fault_calls_known());
  printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed == 0 ? 0 : 1;
}

static int list_scenarios(void) {
  for (const struct scenario* s = scenarios; s->name != NULL; s++)
    puts(s->name);
  return 0;
}

static int list_modes(void) {
  for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++)
    puts(modes[m].name);
  return 0;
}

/* Runs the wanted scenarios in one mode or all until `end_ms`. */
static int run_scenarios(char** wanted,
                         const char* only_mode,
                         long long end_ms) {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  long faults = 0;

  for (const struct scenario* s = scenarios; s->name != NULL; s++) {
    if (!is_wanted(s->name, wanted))
      continue;
    for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
      mode_now = &modes[m];
      name_now = s->name;
      if (only_mode != NULL && strcmp(only_mode, mode_now->name) != 0)
        continue;
      if (end_ms >= 0 && now_ms() > end_ms) {
        printf("ok %s %s # SKIP the time is up\n", s->name, mode_now->name);
        skipped++;
        continue;
      }
      if (run_pair(s) == 0)
        passed++;
      else
        failed++;
      faults += progress->faults;
    }
  }
  return report(passed, failed, skipped, faults);
}

int main(int argc, char** argv) {
  long long end_ms = -1;
  const char* only_mode = NULL;
  int i = 1;

  signal(SIGPIPE, SIG_IGN);
  struct rlimit core = { 0, 0 };
  setrlimit(RLIMIT_CORE, &core);
  for (; i < argc && argv[i][0] == '-'; i++) {
    if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
      end_ms = now_ms() + atoll(argv[++i]) * 1000;
    else if (strcmp(argv[i], "--mode") == 0 && i + 1 < argc)
      only_mode = argv[++i];
    else if (strcmp(argv[i], "-v") == 0)
      verbose = 1;
    else if (strcmp(argv[i], "--list") == 0)
      return list_scenarios();
    else if (strcmp(argv[i], "--list-modes") == 0)
      return list_modes();
  }
  progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (progress == MAP_FAILED)
    return 3;
  return run_scenarios(argv + i, only_mode, end_ms);
}
