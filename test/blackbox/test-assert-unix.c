/* SPDX-License-Identifier: MIT */
/* The tests' own assertions: a child fails one with standard error redirected;
 * its standard output, where the runner looks, has the message. */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void redirect(const char* path, int fd) {
  int file = open(path, O_WRONLY | O_CREAT, 0600);

  ASSERT_EQ(fd, dup2(file, fd));
  close(file);
}

TEST_IMPL(assert_is_shown_if_stderr_is_redirected) {
  char text[256];
  pid_t pid = test_fork();
  if (pid == 0) {
    redirect("out", STDOUT_FILENO);
    redirect("/dev/null", STDERR_FILENO);
    ASSERT_EQ(1, 2);
  }
  int status = test_wait_child(pid);
  ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  FILE* file = fopen("out", "rb");
  ASSERT_NOT_NULL(file);
  size_t n = fread(text, 1, sizeof(text) - 1, file);
  text[n] = '\0';
  fclose(file);
  ASSERT_NOT_NULL(strstr(text, "test-assert-unix.c:"));
  ASSERT_NOT_NULL(strstr(text, ": 1 == 2: 1 and 2\n"));
  return 0;
}
