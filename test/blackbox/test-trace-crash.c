/* SPDX-License-Identifier: MIT */
/* A trace in memory, written as the process crashes or gets a signal. */
#include "ignore.h"
#include "test.h"
#include "trace-file.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if TEST_HAVE_LINKER_LOCK
# include <link.h>
#endif

static const uvx_trace_options_t recording = {
  .size = sizeof(recording),
  .path = "record.json",
  .memory_mb = 1,
};

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static uv_loop_t loop;
static char* page; /* nobody may write to it */

static void run_callback(uv_timer_cb cb) {
  uv_timer_t timer;

  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, cb, 0, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  uv_close((uv_handle_t*) &timer, NULL);
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
}

/* In a child: sanitizers have handlers of their own, and core files are of no
 * use. */
static void prepare_to_crash(void) {
  struct rlimit none = { 0, 0 };

  ASSERT_EQ(0, setrlimit(RLIMIT_CORE, &none));
  for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
    ASSERT(signal(crashes[i], SIG_DFL) != SIG_ERR);
  page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT(page != MAP_FAILED);
}

static void start_record(void) {
  ASSERT_OK(uvx_trace_start(&recording));
  ASSERT_OK(uv_loop_init(&loop));
  run_callback(ignore_timer);
}

static void store_to_page(void) {
  *(volatile char*) page = 1;
}

static void write_to_page(uv_timer_t* timer) {
  (void) timer;
  store_to_page();
}

static void call_abort(uv_timer_t* timer) {
  (void) timer;
  abort();
}

static void crash_in_child(void (*before)(void), uv_timer_cb cb) {
  prepare_to_crash();
  if (before != NULL)
    before();
  start_record();
  run_callback(cb);
  _exit(3);
}

/* Runs the callback in a child that records; returns how that ended. */
static int end_of_child(void (*before)(void), uv_timer_cb cb) {
  int status;
  pid_t pid = fork();

  ASSERT_GE(pid, 0);
  if (pid == 0)
    crash_in_child(before, cb);
  ASSERT_EQ(pid, waitpid(pid, &status, 0));
  return status;
}

static int ended_by(int status) {
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* The callback that ran before, the one that crashed, the signal. */
static void check_record(int signum, size_t timers) {
  struct trace_file trace;
  char text[64];

  snprintf(text, sizeof(text), "\"signum\":%d}", signum);
  trace_file_read(&trace, "record.json");
  ASSERT(trace.is_closed);
  ASSERT_EQ(1, trace_file_count(&trace, "\"name\":\"crash\"", text));
  ASSERT_EQ(timers, trace_file_count(&trace, "\"call\":\"timer\"", NULL));
  ASSERT_EQ(1, trace_file_count(&trace, "\"unfinished\":1", "timer"));
  trace_file_free(&trace);
}

TEST_IMPL(trace_crash_writes_the_record) {
  /* macOS calls a page that must not be written SIGBUS. */
  int signum = ended_by(end_of_child(NULL, write_to_page));
  ASSERT(signum == SIGSEGV || signum == SIGBUS);
  check_record(signum, 2);
  return 0;
}

TEST_IMPL(trace_crash_by_abort) {
  ASSERT_EQ(SIGABRT, ended_by(end_of_child(NULL, call_abort)));
  check_record(SIGABRT, 2);
  return 0;
}

static int sent;

static void send_signal(uv_timer_t* timer) {
  (void) timer;
  ASSERT_EQ(0, kill(getpid(), sent));
}

/* Where a signal does not come from an instruction, it comes again all the
 * same. */
TEST_IMPL(trace_crash_by_each_signal) {
  for (size_t i = 0; i < ARRAY_SIZE(crashes); i++) {
    sent = crashes[i];
    ASSERT_EQ(sent, ended_by(end_of_child(NULL, send_signal)));
    check_record(sent, 2);
  }
  return 0;
}

static void exit_with_address(int signum, siginfo_t* info, void* context) {
  (void) signum;
  _exit(info->si_addr == (void*) page && context != NULL ? 42 : 43);
}

static void handle_faults(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action;

  memset(&action, 0, sizeof(action));
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(0, sigaction(SIGSEGV, &action, NULL));
  ASSERT_EQ(0, sigaction(SIGBUS, &action, NULL));
}

static void exit_at_faults(void) {
  handle_faults(exit_with_address);
}

TEST_IMPL(trace_crash_calls_the_programs_handler) {
  int status = end_of_child(exit_at_faults, write_to_page);

  ASSERT(WIFEXITED(status));
  ASSERT_EQ(42, WEXITSTATUS(status));
  check_record(SIGSEGV, 2);
  return 0;
}

static volatile sig_atomic_t repaired;

static void allow_write(int signum, siginfo_t* info, void* context) {
  (void) signum;
  (void) info;
  (void) context;
  repaired++;
  (void) mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void repair_faults(void) {
  handle_faults(allow_write);
}

static void survive(uv_timer_t* timer) {
  struct sigaction action;

  (void) timer;
  store_to_page();
  ASSERT_EQ(1, repaired);
  ASSERT_EQ(0, mprotect(page, 4096, PROT_READ));
  store_to_page();
  ASSERT_EQ(2, repaired);
  /* After the trace, the program's handler is the only one again. */
  ASSERT_OK(uvx_trace_stop());
  ASSERT_EQ(0, sigaction(SIGSEGV, NULL, &action));
  ASSERT(action.sa_sigaction == allow_write);
  _exit(44);
}

/* A fault that the handler puts right is none. */
TEST_IMPL(trace_crash_that_the_program_survives) {
  int status = end_of_child(repair_faults, survive);

  ASSERT(WIFEXITED(status));
  ASSERT_EQ(44, WEXITSTATUS(status));
  return 0;
}

static void abort_in_a_fork(uv_timer_t* timer) {
  struct stat st;
  int status;

  (void) timer;
  pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0)
    abort();
  ASSERT_EQ(pid, waitpid(pid, &status, 0));
  ASSERT_EQ(SIGABRT, ended_by(status));
  ASSERT_EQ(0, stat("record.json", &st));
  ASSERT_EQ(0, st.st_size);
  _exit(45);
}

/* A forked child that crashes does not write its parent's file. */
TEST_IMPL(trace_crash_of_a_forked_child_is_its_own) {
  int status;

  if (TEST_FORK_IS_UNSAFE)
    SKIP(FORK_IS_UNSAFE);
  status = end_of_child(NULL, abort_in_a_fork);
  ASSERT(WIFEXITED(status));
  ASSERT_EQ(45, WEXITSTATUS(status));
  return 0;
}

#if TEST_HAVE_LINKER_LOCK
static int crash_with_lock(struct dl_phdr_info* info, size_t size, void* arg) {
  (void) info;
  (void) size;
  (void) arg;
  store_to_page();
  return 1;
}

/* The names of functions are behind the lock that this thread holds. */
static void crash_in_linker(uv_timer_t* timer) {
  (void) timer;
  ASSERT_OK(uvx_trace_write()); /* has read what comes before */
  (void) dl_iterate_phdr(crash_with_lock, NULL);
}

TEST_IMPL(trace_crash_while_the_writer_waits_for_a_lock) {
  ASSERT_EQ(SIGSEGV, ended_by(end_of_child(NULL, crash_in_linker)));
  check_record(SIGSEGV, 2);
  return 0;
}
#else
TEST_IMPL(trace_crash_while_the_writer_waits_for_a_lock) {
  SKIP("no lock of the dynamic linker that a test can hold");
}
#endif

static off_t size_of(const char* path) {
  struct stat st;

  return stat(path, &st) == 0 ? st.st_size : -1;
}

static int is_closed(const char* path) {
  struct trace_file trace;

  if (size_of(path) <= 2)
    return 0;
  trace_file_read(&trace, path);
  int closed = trace.is_closed;
  trace_file_free(&trace);
  return closed;
}

static void send_self(void) {
  ASSERT_EQ(0, kill(getpid(), SIGUSR2));
}

TEST_IMPL(trace_signal_starts_and_ends_a_trace) {
  char name[64];

  test_redirect_errors("errors");
  ASSERT_OK(uv_os_setenv("UV_TRACE", "on-demand-%p.json"));
  ASSERT_OK(uv_os_setenv("UV_TRACE_SIGNAL", "USR2"));
  ASSERT_OK(uv_loop_init(&loop));
  run_callback(ignore_timer);
  snprintf(name, sizeof(name), "on-demand-%d.json", (int) getpid());
  for (int i = 1; i <= 2; i++) {
    ASSERT_EQ(-1, size_of(name));
    send_self();
    while (size_of(name) < 0)
      uv_sleep(1);
    while (size_of(name) < 1000)
      run_callback(ignore_timer);
    ASSERT(!is_closed(name));
    send_self();
    while (!is_closed(name))
      uv_sleep(1);
    snprintf(name, sizeof(name), "on-demand-%d.json.2", (int) getpid());
  }
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(trace_signal_writes_the_record) {
  ASSERT_OK(uv_os_setenv("UV_TRACE", "record.json"));
  ASSERT_OK(uv_os_setenv("UV_TRACE_MEMORY", "2"));
  ASSERT_OK(uv_os_setenv("UV_TRACE_SIGNAL", "USR2"));
  /* One signal may do two things. */
  ASSERT_OK(uv_os_setenv("UV_DUMP_SIGNAL", "USR2"));
  test_redirect_errors("errors");
  ASSERT_OK(uv_loop_init(&loop));
  run_callback(ignore_timer);
  ASSERT_EQ(0, size_of("record.json"));
  send_self();
  while (!is_closed("record.json"))
    run_callback(ignore_timer);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static int has_line(const char* path, const char* line) {
  char text[4096];
  FILE* file = fopen(path, "rb");

  ASSERT_NOT_NULL(file);
  size_t n = fread(text, 1, sizeof(text) - 1, file);
  text[n] = '\0';
  fclose(file);
  return strstr(text, line) != NULL;
}

TEST_IMPL(trace_signal_and_memory_are_checked) {
  test_redirect_errors("errors");
  ASSERT_OK(uv_os_setenv("UV_TRACE_SIGNAL", "USR2"));
  ASSERT_OK(uv_os_setenv("UV_TRACE_MEMORY", "much"));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT(has_line("errors", "UV_TRACE_SIGNAL: UV_TRACE names no file"));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(trace_memory_of_the_environment_is_checked) {
  test_redirect_errors("errors");
  ASSERT_OK(uv_os_setenv("UV_TRACE", "record.json"));
  ASSERT_OK(uv_os_setenv("UV_TRACE_MEMORY", "1025"));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT(
      has_line("errors", "UV_TRACE_MEMORY=1025: not a number from 1 to 1024"));
  /* The trace goes into the file, as without the variable. */
  ASSERT_ERR(UV_EINVAL, uvx_trace_write());
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
