/* SPDX-License-Identifier: MIT */
/* How a child starts: programs that cannot be executed, and a parent without a
 * free descriptor (issue 37, rows 1 and 8); no code of the program runs in it
 * (issue 30). */
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static uv_loop_t loop;
static int64_t exit_status = -1;

static void on_exit_cb(uv_process_t* process, int64_t status, int signal) {
  ASSERT_EQ(0, signal);
  exit_status = status;
  uv_close((uv_handle_t*) process, NULL);
}

static void make_program(const char* path, const char* text) {
  test_write_file(path, text);
  ASSERT_EQ(0, chmod(path, 0700));
}

static int try_to_start(const char* file, char** env, const char* cwd) {
  uv_process_t process;
  uv_process_options_t options;
  char* args[] = { (char*) file, NULL };

  test_process_options(&options, args, on_exit_cb);
  options.env = env;
  options.cwd = cwd;
  return uv_spawn(&loop, &process, &options);
}

/* The same, by the method for another user. */
static int try_to_start_as_user(const char* file, char** env) {
  uv_process_t process;
  uv_process_options_t options;
  char* args[] = { (char*) file, NULL };

  test_process_options(&options, args, on_exit_cb);
  options.env = env;
  options.flags = UV_PROCESS_SETUID;
  options.uid = getuid();
  return uv_spawn(&loop, &process, &options);
}

/* No shell runs what the kernel refuses to execute. */
TEST_IMPL(process_start_without_interpreter) {
  char dir[512];
  char path[1600];
  size_t size = sizeof(dir);
  char* env[] = { path, NULL };

  ASSERT_OK(uv_cwd(dir, &size));
  test_mkdir("bin");
  test_mkdir("later");
  make_program("script", "echo > ran\n");
  make_program("garbage", "\1\2\3\4\n");
  make_program("empty", "");
  make_program("bin/program", "echo > ran\n");
  ASSERT_EQ(0, symlink("/bin/true", "later/program"));
  /* The first file of that name counts, as in libuv. */
  snprintf(path, sizeof(path), "PATH=%s/none:%s/bin:%s/later", dir, dir, dir);

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_ERR(UV_ENOEXEC, try_to_start("./script", NULL, NULL));
  ASSERT_ERR(UV_ENOEXEC, try_to_start("./garbage", NULL, NULL));
  ASSERT_ERR(UV_ENOEXEC, try_to_start("./empty", NULL, NULL));
  ASSERT_ERR(UV_ENOEXEC, try_to_start("./program", NULL, "bin"));
  ASSERT_ERR(UV_ENOEXEC, try_to_start("program", env, NULL));
  ASSERT_ERR(UV_ENOEXEC, try_to_start("program", env, "/"));
  ASSERT_ERR(UV_ENOEXEC, try_to_start_as_user("./script", NULL));
  ASSERT_ERR(UV_ENOEXEC, try_to_start_as_user("program", env));
  ASSERT_OK(uv_os_setenv("PATH", path + strlen("PATH=")));
  ASSERT_ERR(UV_ENOEXEC, try_to_start("program", NULL, NULL));
  test_close_loop(&loop);

  ASSERT_EQ(-1, access("ran", F_OK));
  ASSERT_EQ(-1, access("/ran", F_OK));
  ASSERT_EQ(-1, access("bin/ran", F_OK));
  return 0;
}

/* Exits with 0 if the files are those named: "null", or what file "a" or "b"
 * contains. */
HELPER_IMPL(check_descriptors) {
  for (int fd = 0; fd < argc; fd++) {
    struct stat want;
    struct stat is;
    const char* name = strcmp(argv[fd], "null") == 0 ? "/dev/null" : argv[fd];
    if (stat(name, &want) != 0 || fstat(fd, &is) != 0)
      return 10 + fd;
    if (is.st_dev != want.st_dev || is.st_ino != want.st_ino)
      return 20 + fd;
  }
  return 0;
}

/* From here on in this process (each test has its own). */
static void use_up_descriptors(void) {
  struct rlimit limit;

  ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
  limit.rlim_cur = (rlim_t) test_lowest_fd() + 16;
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
  while (fcntl(0, F_DUPFD_CLOEXEC, 0) != -1)
    continue;
}

static void start_and_check(uv_process_options_t* options) {
  uv_process_t process;

  exit_status = -1;
  ASSERT_OK(uv_spawn(&loop, &process, options));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(0, exit_status);
}

/* The number of an ignored descriptor is free in the child. */
TEST_IMPL(process_start_ignored_stdio_without_free_descriptor) {
  uv_process_options_t options;
  uv_stdio_container_t stdio[3] = {
    { .flags = UV_IGNORE },
    { .flags = UV_INHERIT_FD },
    { .flags = UV_IGNORE },
  };
  char* args[7];

  if (test_on_valgrind())
    SKIP("valgrind emulates resource exhaustion itself");
  if (TEST_SPAWN_NEEDS_FD)
    SKIP("fork() and posix_spawn() need a free descriptor");
  test_write_file("a", "");
  ASSERT_OK(uv_loop_init(&loop));
  stdio[1].data.fd = open("a", O_RDWR | O_CLOEXEC);
  ASSERT_GE(stdio[1].data.fd, 0);
  use_up_descriptors();

  helper_args(args, "check_descriptors", "null", "null", "null");
  test_process_options(&options, args, on_exit_cb);
  start_and_check(&options);

  helper_args(args, "check_descriptors", "null", "a", "null");
  options.stdio = stdio;
  options.stdio_count = 3;
  start_and_check(&options);
  test_close_loop(&loop);
  return 0;
}

/* Descriptors that exec closes make room for those that change places. */
TEST_IMPL(process_start_swapped_stdio_without_free_descriptor) {
  uv_process_options_t options;
  uv_stdio_container_t stdio[3] = {
    { .flags = UV_INHERIT_FD },
    { .flags = UV_INHERIT_FD },
    { .flags = UV_IGNORE },
  };
  char* args[7];

  if (test_on_valgrind())
    SKIP("valgrind emulates resource exhaustion itself");
  if (TEST_SPAWN_NEEDS_FD)
    SKIP("fork() and posix_spawn() need a free descriptor");
  test_write_file("a", "");
  test_write_file("b", "");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_EQ(0, dup2(open("a", O_RDWR | O_CLOEXEC), 0));
  ASSERT_EQ(1, dup2(open("b", O_RDWR | O_CLOEXEC), 1));
  use_up_descriptors();

  stdio[0].data.fd = 1;
  stdio[1].data.fd = 0;
  helper_args(args, "check_descriptors", "b", "a", "null");
  test_process_options(&options, args, on_exit_cb);
  options.stdio = stdio;
  options.stdio_count = 3;
  start_and_check(&options);
  test_close_loop(&loop);
  return 0;
}

static int forks;

static void count_fork(void) {
  forks++;
}

/* The child shares the memory of the parent, or the kernel makes it. */
TEST_IMPL(process_start_runs_no_fork_handlers) {
  uv_process_options_t options;
  char* args[7];

  if (TEST_SPAWN_FORKS)
    SKIP("vfork() copies memory here, as fork() does");
  if (getenv("UV_TEST_EMULATED") != NULL)
    SKIP("qemu-user turns the child into a fork");
  ASSERT_EQ(0, pthread_atfork(count_fork, NULL, NULL));
  ASSERT_OK(uv_loop_init(&loop));
  helper_args(args, "nothing", NULL, NULL, NULL);
  test_process_options(&options, args, on_exit_cb);
  start_and_check(&options);
  options.cwd = "/";
  options.flags = UV_PROCESS_DETACHED;
  start_and_check(&options);
  ASSERT_EQ(0, forks);

  /* A failure comes back without them, too. */
  options.cwd = "no such directory";
  uv_process_t process;
  ASSERT_ERR(UV_ENOENT, uv_spawn(&loop, &process, &options));
  ASSERT_EQ(0, forks);
  test_close_loop(&loop);
  return 0;
}
