/* SPDX-License-Identifier: MIT */
/* What the macros of test.h call, and small things that many tests need. */
#include "test.h"

#include <stdarg.h>
#include <stdio.h>

#if TEST_POSIX
# include <sys/stat.h>
# include <unistd.h>
#else
# include <process.h>
#endif

#define EXIT_SKIPPED 77
#define EXIT_AGAIN 75

/* Not exit(): the loop is in any state, other threads may run. */
_Noreturn static void fail(void) {
  fflush(NULL);
  _exit(1);
}

/* The runner gives both streams to one file. */
static int is_stderr_redirected(void) {
#if TEST_POSIX
  struct stat out;
  struct stat err;

  return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
         (out.st_dev != err.st_dev || out.st_ino != err.st_ino);
#else
  return 0;
#endif
}

/* What was wrong; on standard output, too, if the test has redirected
 * standard error, where nobody would see it. */
static void complain(const char* format, ...) {
  va_list ap;

  va_start(ap, format);
  vfprintf(stderr, format, ap);
  va_end(ap);
  if (!is_stderr_redirected())
    return;
  va_start(ap, format);
  vprintf(format, ap);
  va_end(ap);
}

/* Under Wine, one process in some thousands dies before it runs: nothing that
 * the library could do, so the runner starts the test once more. */
_Noreturn static void fail_result(intmax_t result) {
#if !TEST_POSIX
  DWORD sys_error = GetLastError();
  if (result == UV_UNKNOWN && sys_error == ERROR_INTERNAL_ERROR &&
      test_on_wine()) {
    fprintf(stderr, "Wine could not start a process\n");
    _exit(EXIT_AGAIN);
  }
#endif
  (void) result;
  fail();
}

void test_assert(int ok, const char* file, int line, const char* text) {
  if (ok)
    return;
  complain("%s:%d: %s\n", file, line, text);
  fail();
}

static int compare(intmax_t a, enum test_op op, intmax_t b) {
  switch (op) {
  case TEST_EQ:
    return a == b;
  case TEST_NE:
    return a != b;
  case TEST_LT:
    return a < b;
  case TEST_LE:
    return a <= b;
  case TEST_GT:
    return a > b;
  case TEST_GE:
    return a >= b;
  }
  return 0;
}

void test_assert_int(intmax_t a,
                     enum test_op op,
                     intmax_t b,
                     const char* file,
                     int line,
                     const char* a_text,
                     const char* b_text) {
  static const char* const signs[] = { "==", "!=", "<", "<=", ">", ">=" };

  if (compare(a, op, b))
    return;
  complain("%s:%d: %s %s %s: %jd and %jd\n", file, line, a_text, signs[op],
           b_text, a, b);
  fail();
}

static const char* result_name(intmax_t result, char* buf, size_t size) {
  if (result >= 0)
    return "";
  return uv_err_name_r((int) result, buf, size);
}

void test_assert_result(intmax_t got,
                        intmax_t want,
                        const char* file,
                        int line,
                        const char* text) {
  char got_name[64];
  char want_name[64];

  if (got == want)
    return;
  complain("%s:%d: %s: %jd %s, not %jd %s\n", file, line, text, got,
           result_name(got, got_name, sizeof(got_name)), want,
           result_name(want, want_name, sizeof(want_name)));
  fail_result(got);
}

void test_assert_ptr(const void* a,
                     const void* b,
                     const char* file,
                     int line,
                     const char* a_text,
                     const char* b_text) {
  if (a == b)
    return;
  complain("%s:%d: %s == %s: %p and %p\n", file, line, a_text, b_text, a, b);
  fail();
}

void test_assert_str(const char* a,
                     const char* b,
                     const char* file,
                     int line,
                     const char* a_text,
                     const char* b_text) {
  if (a == b || (a != NULL && b != NULL && strcmp(a, b) == 0))
    return;
  complain("%s:%d: %s == %s: \"%s\" and \"%s\"\n", file, line, a_text, b_text,
           a == NULL ? "(null)" : a, b == NULL ? "(null)" : b);
  fail();
}

void test_assert_mem(const void* a,
                     const void* b,
                     size_t n,
                     const char* file,
                     int line,
                     const char* a_text,
                     const char* b_text) {
  const unsigned char* p = a;
  const unsigned char* q = b;
  size_t i = 0;

  while (i < n && p[i] == q[i])
    i++;
  if (i == n)
    return;
  complain("%s:%d: %s == %s: byte %zu: %02x and %02x\n", file, line, a_text,
           b_text, i, p[i], q[i]);
  fail();
}

void test_skip(const char* reason) {
  printf("# SKIP %s\n", reason);
  fflush(NULL);
  _exit(EXIT_SKIPPED);
}

const char* test_running;

const char* test_self(void) {
  static char path[4096];
  size_t size = sizeof(path);

  ASSERT_OK(uv_exepath(path, &size));
  return path;
}

void helper_args(char** args,
                 const char* name,
                 const char* arg1,
                 const char* arg2,
                 const char* arg3) {
  args[0] = (char*) test_self();
  args[1] = (char*) "--helper";
  args[2] = (char*) name;
  args[3] = (char*) arg1;
  args[4] = (char*) (arg1 == NULL ? NULL : arg2);
  args[5] = (char*) (arg1 == NULL || arg2 == NULL ? NULL : arg3);
  args[6] = NULL;
}

void test_process_options(uv_process_options_t* options,
                          char** args,
                          uv_exit_cb exit_cb) {
  memset(options, 0, sizeof(*options));
  options->file = args[0];
  options->args = args;
  options->exit_cb = exit_cb;
}

struct sockaddr_in test_loopback(void) {
  struct sockaddr_in addr;
  ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, &addr));
  return addr;
}

struct sockaddr_in test_tcp_address(const uv_tcp_t* handle) {
  struct sockaddr_in addr;
  int len = sizeof(addr);
  ASSERT_OK(uv_tcp_getsockname(handle, (struct sockaddr*) &addr, &len));
  return addr;
}

struct sockaddr_in test_udp_address(const uv_udp_t* handle) {
  struct sockaddr_in addr;
  int len = sizeof(addr);
  ASSERT_OK(uv_udp_getsockname(handle, (struct sockaddr*) &addr, &len));
  return addr;
}

static void close_open(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (!uv_is_closing(handle))
    uv_close(handle, NULL);
}

void test_close_loop(uv_loop_t* loop) {
  uv_walk(loop, close_open, NULL);
  ASSERT_EQ(0, uv_run(loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(loop));
}

static char close_order[16];

static void close_add(uv_handle_t* handle) {
  size_t len = strlen(close_order);

  ASSERT_LT(len, sizeof(close_order) - 1);
  close_order[len] = *(const char*) handle->data;
}

void test_close_as(void* handle, const char* name) {
  ((uv_handle_t*) handle)->data = (void*) name;
  uv_close(handle, close_add);
}

const char* test_close_order(void) {
  return close_order;
}

void test_mkdir(const char* path) {
  uv_fs_t req;
  ASSERT_OK(uv_fs_mkdir(NULL, &req, path, 0700, NULL));
  uv_fs_req_cleanup(&req);
}

void test_write_file(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  ASSERT_NOT_NULL(file);
  ASSERT_GE(fputs(text, file), 0);
  ASSERT_EQ(0, fclose(file));
}

int test_on_valgrind(void) {
  const char* preload = getenv("LD_PRELOAD");
  return preload != NULL && strstr(preload, "vgpreload") != NULL;
}

int test_is_slow(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
    !TEST_POSIX /* mostly Wine: a system call is a talk with its server */
  return 1;
#else
  return getenv("UV_TEST_TIMEOUT_MULTIPLIER") != NULL;
#endif
}
