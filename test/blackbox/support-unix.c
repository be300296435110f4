/* SPDX-License-Identifier: MIT */
/* The helpers of test.h on Unix. */
#include "test.h"

#include <dlfcn.h>
#include <fcntl.h>
#if __has_include(<sys/syscall.h>)
# include <sys/syscall.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

_Noreturn void test_exit_bare(int status) {
#ifdef SYS_exit_group
  syscall(SYS_exit_group, status);
#endif
  _exit(status);
}

void test_redirect_errors(const char* path) {
  static const char mark[] = "UV_TEST_ERRORS";
  char* args[] = { (char*) test_self(), (char*) "--run", (char*) test_running,
                   NULL };

  if (getenv(mark) != NULL) {
    ASSERT_EQ(0, unsetenv(mark));
    return;
  }
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(0, setenv(mark, "1", 1));
  ASSERT_EQ(2, dup2(fd, 2));
  close(fd);
  execv(args[0], args);
  ASSERT(0 && "the test cannot be started again");
}

int test_on_kqueue(void) {
  const char* poller = getenv("UV_POLLER");

  return poller != NULL && strcmp(poller, "kqueue") == 0;
}

pid_t test_fork(void) {
  pid_t pid = fork();

  ASSERT_GE(pid, 0);
  return pid;
}

int test_wait_child(pid_t pid) {
  int status;

  ASSERT_EQ(pid, waitpid(pid, &status, 0));
  return status;
}

int test_lowest_fd(void) {
  int fd = open("/dev/null", O_RDONLY);
  ASSERT_GE(fd, 0);
  close(fd);
  return fd;
}

int test_open_handles(void) {
  return test_lowest_fd();
}

void test_close_socket(uv_os_sock_t sock) {
  ASSERT_EQ(0, close(sock));
}

/* In the test's own directory. */
const char* test_pipe_name(const char* name) {
  return name;
}

void test_stream_pair(uv_loop_t* loop, test_stream_t* a, test_stream_t* b) {
  uv_os_sock_t fds[2];

  ASSERT_OK(
      uv_socketpair(SOCK_STREAM, 0, fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  ASSERT_OK(uv_pipe_init(loop, a, 0));
  ASSERT_OK(uv_pipe_init(loop, b, 0));
  ASSERT_OK(uv_pipe_open(a, fds[0]));
  ASSERT_OK(uv_pipe_open(b, fds[1]));
}

void test_copy_library(const char* path) {
  Dl_info info;
  uv_fs_t req;
  void* address;
  unsigned (*function)(void) = uv_version;

  memcpy(&address, &function, sizeof(address));
  ASSERT_NE(0, dladdr(address, &info));
  if (strstr(info.dli_fname, ".so") == NULL &&
      strstr(info.dli_fname, ".dylib") == NULL)
    SKIP("the library is linked statically");
  ASSERT_OK(uv_fs_copyfile(NULL, &req, info.dli_fname, path, 0, NULL));
  uv_fs_req_cleanup(&req);
}

void test_find_symbol(void* object, const char* name, void* to) {
  void* found = dlsym(object, name);

  ASSERT_NOT_NULL(found);
  memcpy(to, &found, sizeof(found));
}
