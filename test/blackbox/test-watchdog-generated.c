/* SPDX-License-Identifier: MIT */
/* A watchdog's backtrace goes on through code without unwind tables, and names
 * what the map of a run-time compiler lists. The generated functions keep a
 * frame pointer and call their argument. */
#include "test.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Calls call->function(call->arg). */
struct call {
  void (*function)(void* arg);
  void* arg;
};

#if defined(__x86_64__)
/* push %rbp; mov %rsp, %rbp; mov (%rdi), %rax; mov 8(%rdi), %rdi; call *%rax;
 * pop %rbp; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48,
                                      0x8b, 0x07, 0x48, 0x8b, 0x7f,
                                      0x08, 0xff, 0xd0, 0x5d, 0xc3 };
#elif defined(__aarch64__)
/* stp x29, x30, [sp, -16]!; mov x29, sp; ldr x9, [x0]; ldr x0, [x0, 8]; blr x9;
 * ldp x29, x30, [sp], 16; ret */
static const unsigned char code[] = {
  0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91, 0x09, 0x00,
  0x40, 0xf9, 0x00, 0x04, 0x40, 0xf9, 0x20, 0x01, 0x3f, 0xd6,
  0xfd, 0x7b, 0xc1, 0xa8, 0xc0, 0x03, 0x5f, 0xd6
};
#else
static const unsigned char code[] = { 0 };
#endif

static void (*inner)(void* call);
static void (*outer)(void* call);
static uv_sem_t reported;
static char backtrace[16384];
static char map_path[64];

static void on_report(const uvx_watchdog_report_t* r, void* arg) {
  (void) arg;
  if (r->is_over)
    return;
  ASSERT_LT(strlen(r->backtrace), sizeof(backtrace));
  memcpy(backtrace, r->backtrace, strlen(r->backtrace) + 1);
  uv_sem_post(&reported);
}

static void spin_until_report(void* arg) {
  (void) arg;
  while (uv_sem_trywait(&reported) != 0)
    continue;
}

static void on_timer(uv_timer_t* timer) {
  struct call in_inner = { spin_until_report, NULL };
  struct call in_outer = { inner, &in_inner };

  outer(&in_outer);
  uv_close((uv_handle_t*) timer, NULL);
}

static void generate_code(void) {
  unsigned char* page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  ASSERT((void*) page != MAP_FAILED);
  memcpy(page, code, sizeof(code));
  memcpy(page + 4096, code, sizeof(code));
  ASSERT_EQ(0, mprotect(page, 8192, PROT_READ | PROT_EXEC));
  __builtin___clear_cache((char*) page, (char*) page + 8192);
  unsigned char* second = page + 4096;
  memcpy(&inner, &page, sizeof(inner));
  memcpy(&outer, &second, sizeof(outer));
}

static void write_map(int is_link) {
  char target[80];

  snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int) getpid());
  snprintf(target, sizeof(target), "%s.target", map_path);
  const char* path = is_link ? target : map_path;
  FILE* file = fopen(path, "w");
  ASSERT_NOT_NULL(file);
  /* The first line is out of date; two are no lines of a map. */
  fprintf(file, "%lx %zx JS:~before moved.js:1:1\nhello\n12\n",
          (unsigned long) (uintptr_t) inner, sizeof(code));
  fprintf(file, "%lx %zx JS:~inner spin.js:1:15\n",
          (unsigned long) (uintptr_t) inner, sizeof(code));
  fprintf(file, "%lx %zx JS:*outer\tspin.js:2:3\n",
          (unsigned long) (uintptr_t) outer, sizeof(code));
  fclose(file);
  if (is_link)
    ASSERT_EQ(0, symlink(target, map_path));
}

static void remove_map(void) {
  char target[80];

  snprintf(target, sizeof(target), "%s.target", map_path);
  (void) unlink(target);
  ASSERT_EQ(0, unlink(map_path));
}

static void run_blocked(void) {
  uvx_watchdog_options_t options = { sizeof(options), 20, on_report, NULL,
                                     SIGUSR2 };
  uv_loop_t loop;
  uv_timer_t timer;

  int err = uvx_watchdog_start(&options);
  if (err == UV_ENOSYS)
    SKIP("the C library has no backtrace()");
  ASSERT_OK(err);
  if (test_on_valgrind())
    SKIP("valgrind delivers signals late");
  ASSERT_OK(uv_sem_init(&reported, 0));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_timer, 1, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uvx_watchdog_stop());
  ASSERT_OK(uv_loop_close(&loop));
}

TEST_IMPL(watchdog_backtrace_names_generated_code) {
  if (sizeof(code) == 1)
    SKIP("no generated code for this processor");
  generate_code();
  write_map(0);
  run_blocked();
  remove_map();
  const char* found = strstr(backtrace, " JS:~inner spin.js:1:15\n");
  ASSERT_NOT_NULL(found);
  ASSERT_NULL(strstr(backtrace, "before"));
  if (test_on_kqueue())
    SKIP("the BSDs' backtrace() ends at the first generated function");
  /* Beyond the first frame without tables, by frame pointers. */
  ASSERT_NOT_NULL(strstr(found, " JS:*outer?spin.js:2:3\n"));
  return 0;
}

/* Somebody else's file: a link may lead anywhere. */
TEST_IMPL(watchdog_backtrace_ignores_a_map_behind_a_link) {
  if (sizeof(code) == 1)
    SKIP("no generated code for this processor");
  generate_code();
  write_map(1);
  run_blocked();
  remove_map();
  ASSERT_NULL(strstr(backtrace, "spin.js"));
  return 0;
}
