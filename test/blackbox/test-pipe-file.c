/* SPDX-License-Identifier: MIT */
/* The file of a pipe: whose file closing removes, and its permissions without
 * /proc. Issue 29, row 13 and issue 37, row 2. */
#include "filter.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_FILTER
# include <sys/syscall.h>
#endif

static uv_loop_t loop;

static void bind_server(uv_pipe_t* server, const char* name) {
  ASSERT_OK(uv_pipe_init(&loop, server, 0));
  ASSERT_OK(uv_pipe_bind(server, name));
}

static void close_server(uv_pipe_t* server) {
  uv_close((uv_handle_t*) server, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
}

static int exists(const char* path) {
  struct stat st;
  return lstat(path, &st) == 0;
}

TEST_IMPL(pipe_file_is_removed_by_close) {
  uv_pipe_t server;

  ASSERT_OK(uv_loop_init(&loop));
  bind_server(&server, "name");
  ASSERT(exists("name"));
  close_server(&server);
  ASSERT(!exists("name"));

  /* Also under a name that a link leads to, and one that is gone. */
  test_mkdir("dir");
  ASSERT_EQ(0, symlink("dir", "link"));
  bind_server(&server, "link/name");
  close_server(&server);
  ASSERT(!exists("dir/name"));
  bind_server(&server, "name");
  ASSERT_EQ(0, unlink("name"));
  close_server(&server);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(pipe_file_of_another_directory_stays) {
  uv_pipe_t server;

  test_mkdir("elsewhere");
  test_write_file("elsewhere/name", "unrelated");
  ASSERT_OK(uv_loop_init(&loop));
  bind_server(&server, "name");
  ASSERT_EQ(0, chdir("elsewhere"));
  close_server(&server);
  ASSERT(exists("name"));
  test_close_loop(&loop);
  return 0;
}

/* The successor removed the name and bound it again while we still listened. */
TEST_IMPL(pipe_file_of_the_successor_stays) {
  uv_pipe_t server;
  uv_pipe_t successor;

  ASSERT_OK(uv_loop_init(&loop));
  bind_server(&server, "name");
  ASSERT_EQ(0, unlink("name"));
  bind_server(&successor, "name");
  close_server(&server);
  ASSERT(exists("name"));
  close_server(&successor);
  ASSERT(!exists("name"));

  /* By rename, as those do who want no moment without a server. */
  bind_server(&server, "name");
  bind_server(&successor, "next");
  ASSERT_EQ(0, rename("next", "name"));
  close_server(&server);
  ASSERT(exists("name"));
  close_server(&successor);
  test_close_loop(&loop);
  return 0;
}

#ifdef HAVE_FILTER
/* fchmodat2(), of Linux 6.6; 0 if there are no filters. */
static int refuse_newest_chmod(void) {
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 452, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return filter_install(rules, ARRAY_SIZE(rules));
}
#else
static int refuse_newest_chmod(void) {
  return 1;
}
#endif

static void change_mode_in_chroot(void) {
  uv_pipe_t server;
  struct stat st;

  ASSERT_OK(uv_loop_init(&loop));
  if (chroot(".") != 0 || chdir("/") != 0)
    _exit(77);
  umask(077);
  bind_server(&server, "/name");
  ASSERT_OK(uv_pipe_chmod(&server, UV_READABLE | UV_WRITABLE));
  ASSERT_EQ(0, lstat("/name", &st));
  ASSERT_EQ(0666, st.st_mode & 0666);

  /* Still nothing but sockets, and no links. */
  ASSERT_EQ(0, unlink("/name"));
  test_write_file("/secret", "secret");
  ASSERT_EQ(0, symlink("/secret", "/name"));
  ASSERT_ERR(UV_EINVAL, uv_pipe_chmod(&server, UV_READABLE));
  ASSERT_EQ(0, lstat("/secret", &st));
  ASSERT_EQ(0600, st.st_mode & 0777);
  test_close_loop(&loop);
}

static void change_mode_on_an_older_kernel(void) {
  if (!refuse_newest_chmod())
    _exit(77);
  change_mode_in_chroot();
}

static void run_in_child(void (*body)(void)) {
  pid_t pid = test_fork();
  if (pid == 0) {
    body();
    test_exit_bare(0);
  }
  int status = test_wait_child(pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    SKIP("needs root for chroot(), and system call filters");
  ASSERT_EQ(0, status);
}

TEST_IMPL(pipe_file_chmod_without_proc) {
  if (getenv("UV_TEST_EMULATED") != NULL)
    SKIP("qemu-user answers for /proc/self itself");
  test_mkdir("one");
  test_mkdir("two");
  ASSERT_EQ(0, chdir("one"));
  run_in_child(change_mode_in_chroot);
  ASSERT_EQ(0, chdir("../two"));
  run_in_child(change_mode_on_an_older_kernel);
  return 0;
}
