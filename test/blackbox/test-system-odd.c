/* SPDX-License-Identifier: MIT */
/* System and process information under unusual conditions: a directory with a
 * name longer than PATH_MAX, unusual descriptors, a system without /proc. */
#include "test.h"

#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<linux/sched.h>)
# include <sched.h>
# include <sys/mount.h>
#endif

static char long_name[201];

/* Leaves the process in a directory whose name is longer than PATH_MAX. */
static size_t enter_long_directory(void) {
  size_t len = 0;

  memset(long_name, 'd', sizeof(long_name) - 1);
  for (; len <= PATH_MAX; len += sizeof(long_name)) {
    ASSERT_EQ(0, mkdir(long_name, 0700));
    ASSERT_EQ(0, chdir(long_name));
  }
  return len;
}

/* And back: the runner cannot remove such a long name. */
static void leave_long_directory(size_t depth) {
  for (; depth > 0; depth -= sizeof(long_name)) {
    ASSERT_EQ(0, chdir(".."));
    ASSERT_EQ(0, rmdir(long_name));
  }
}

TEST_IMPL(system_cwd_longer_than_path_max) {
  static char buffer[4 * PATH_MAX];
  size_t depth = enter_long_directory();
  size_t size = sizeof(buffer);

  int err = uv_cwd(buffer, &size);
  if (err == UV_ENAMETOOLONG) {
    leave_long_directory(depth);
    SKIP("this C library's getcwd() is bound to the kernel's limit");
  }
  ASSERT_OK(err);
  ASSERT_EQ(strlen(buffer), size);
  ASSERT_GT(size, depth);
  ASSERT_EQ('/', buffer[0]);
  ASSERT_EQ('d', buffer[size - 1]);

  size_t exact = size + 1;
  size = PATH_MAX;
  ASSERT_ERR(UV_ENOBUFS, uv_cwd(buffer, &size));
  ASSERT_EQ(exact, size);
  ASSERT_OK(uv_cwd(buffer, &size));
  leave_long_directory(depth);
  return 0;
}

TEST_IMPL(guess_handle_of_unusual_descriptors) {
  int pair[2];

  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
  ASSERT_EQ(UV_UNKNOWN_HANDLE, uv_guess_handle(pair[0]));
  ASSERT_EQ(0, close(pair[0]));
  ASSERT_EQ(UV_UNKNOWN_HANDLE, uv_guess_handle(pair[0]));
  ASSERT_EQ(0, close(pair[1]));
  int dir = open(".", O_RDONLY);
  ASSERT_GE(dir, 0);
  ASSERT_EQ(UV_UNKNOWN_HANDLE, uv_guess_handle(dir));
  ASSERT_EQ(0, close(dir));
  return 0;
}

#if __has_include(<linux/sched.h>)

/* /proc and /sys are empty in new namespaces. Returns 0 if that is not allowed.
 */
static int hide_proc(void) {
  return unshare(CLONE_NEWNS) == 0 &&
         mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount("none", "/sys", "tmpfs", 0, NULL) == 0 &&
         mount("none", "/proc", "tmpfs", 0, NULL) == 0;
}

static void ask_without_proc(void) {
  double load[3] = { -1, -1, -1 };
  double uptime = 0;
  size_t rss = 0;
  uv_cpu_info_t* cpus;
  int count;
  char path[PATH_MAX];
  size_t size = sizeof(path);

  uv_loadavg(load);
  for (int i = 0; i < 3; i++)
    ASSERT(load[i] >= 0);
  ASSERT_OK(uv_uptime(&uptime));
  ASSERT(uptime > 0);
  ASSERT_GT(uv_get_total_memory(), 0);
  ASSERT_GT(uv_get_free_memory(), 0);
  ASSERT_GT(uv_get_total_memory(), uv_get_free_memory());
  ASSERT_EQ(0, uv_get_constrained_memory());
  ASSERT_GT(uv_get_available_memory(), 0);
  ASSERT_GT(uv_available_parallelism(), 0);
  ASSERT_ERR(UV_ENOENT, uv_exepath(path, &size));
  /* What has no other source is an error. */
  ASSERT_LT(uv_resident_set_memory(&rss), 0);
  if (uv_cpu_info(&cpus, &count) == 0)
    uv_free_cpu_info(cpus, count);
}

TEST_IMPL(system_without_proc) {
  if (getenv("UV_TEST_EMULATED") != NULL)
    SKIP("qemu-user answers for /proc/self itself");
  pid_t pid = test_fork();
  if (pid == 0) {
    if (!hide_proc())
      _exit(77);
    ask_without_proc();
    _exit(0);
  }
  int status = test_wait_child(pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    SKIP("this user may not hide /proc from a process");
  ASSERT_EQ(0, status);
  return 0;
}

#else

TEST_IMPL(system_without_proc) {
  SKIP("system information comes from /proc on Linux only");
}

#endif

/* The first arguments are adopted; a second call returns the same copy. */
TEST_IMPL(system_setup_args_twice) {
  char name[] = "program";
  char* argv[] = { name, NULL };
  char* others[] = { name, NULL };

  ASSERT_PTR_EQ(argv, uv_setup_args(0, argv));
  ASSERT_NULL(uv_setup_args(1, NULL));
  char** copy = uv_setup_args(1, argv);
  ASSERT_STR_EQ("program", copy[0]);
  ASSERT_PTR_EQ(copy, uv_setup_args(1, argv));
  ASSERT_PTR_EQ(others, uv_setup_args(1, others));
  return 0;
}

extern char** environ;

/* Entries that are no assignments are left out; there may be none at all. */
TEST_IMPL(system_environment_with_odd_entries) {
  char* odd[] = { (char*) "NOTHING", (char*) "A=1", (char*) "", NULL };
  char* none[] = { NULL };
  char** before = environ;
  uv_env_item_t* items;
  int count;

  environ = odd;
  ASSERT_OK(uv_os_environ(&items, &count));
  ASSERT_EQ(1, count);
  ASSERT_STR_EQ("A", items[0].name);
  ASSERT_STR_EQ("1", items[0].value);
  uv_os_free_environ(items, count);
  environ = none;
  ASSERT_OK(uv_os_environ(&items, &count));
  ASSERT_EQ(0, count);
  uv_os_free_environ(items, count);
  environ = before;
  return 0;
}

static void use_stack(void* arg) {
  char space[32 << 10];

  memset(space, 1, sizeof(space));
  *(int*) arg += space[sizeof(space) - 1];
}

/* Threads have a stack of a sensible size, whatever the limit says. */
TEST_IMPL(system_thread_with_odd_stack_limits) {
  static const rlim_t sizes[] = { 16 << 10, (rlim_t) 1 << 40, RLIM_INFINITY };
  struct rlimit limit;
  uv_thread_t thread;
  int used = 0;

  for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
    ASSERT_EQ(0, getrlimit(RLIMIT_STACK, &limit));
    limit.rlim_cur = sizes[i];
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max)
      SKIP("the stack is limited here");
    ASSERT_EQ(0, setrlimit(RLIMIT_STACK, &limit));
    ASSERT_OK(uv_thread_create(&thread, use_stack, &used));
    ASSERT_OK(uv_thread_join(&thread));
  }
  ASSERT_EQ(3, used);
  return 0;
}

/* The first group of the system that lists members. */
TEST_IMPL(system_group_with_members) {
  uv_group_t group;
  struct group* entry;
  size_t count = 0;

  setgrent();
  do
    entry = getgrent();
  while (entry != NULL && entry->gr_mem[0] == NULL);
  if (entry == NULL)
    SKIP("no group has members here");
  while (entry->gr_mem[count] != NULL)
    count++;
  char* first = strdup(entry->gr_mem[0]);
  uv_uid_t gid = entry->gr_gid;
  endgrent();

  ASSERT_OK(uv_os_get_group(&group, gid));
  ASSERT_STR_EQ(first, group.members[0]);
  ASSERT_NULL(group.members[count]);
  uv_os_free_group(&group);
  free(first);
  return 0;
}
