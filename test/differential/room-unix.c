/* SPDX-License-Identifier: MIT */
/* A forked process in an empty directory. */
#include "room.h"
#include "trace.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_MAX 20
#define OPEN_DIRS 8

void* room_memory(size_t size) {
  void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  if (memory == MAP_FAILED) {
    perror("mmap");
    exit(1);
  }
  return memory;
}

FILE* room_output(void) {
  return stdout;
}

void room_line_ended(void) {
  /* The memory is shared: nothing is lost when the program crashes. */
}

static int remove_entry(const char* path,
                        const struct stat* stat,
                        int type,
                        struct FTW* info) {
  (void) stat;
  (void) type;
  (void) info;
  return remove(path);
}

void room_run(void (*body)(unsigned long seed), unsigned long seed) {
  char dir[] = "/tmp/differ-XXXXXX";
  int status;

  if (mkdtemp(dir) == NULL) {
    perror(dir);
    exit(1);
  }
  pid_t pid = fork();
  if (pid == 0) {
    /* A group of its own, so that nothing survives it. */
    setpgid(0, 0);
    signal(SIGPIPE, SIG_IGN);
    alarm(SECONDS_MAX);
    if (chdir(dir) == 0)
      body(seed);
    exit(0);
  }
  waitpid(pid, &status, 0);
  kill(-pid, SIGKILL);
  nftw(dir, remove_entry, OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
  trace_print();
  if (WIFSIGNALED(status))
    printf("status: signal %d\n", WTERMSIG(status));
  else
    printf("status: %d\n", WEXITSTATUS(status));
}
