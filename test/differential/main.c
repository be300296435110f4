/* SPDX-License-Identifier: MIT */
/* differ AREA VERSION FIRST COUNT [KEEP]: runs the programs of COUNT seeds,
 * each as a process in a directory of its own, and prints their traces:
 *
 *   === SEED
 *   ... lines ...
 *   status: 0
 *
 * Operations that libuv VERSION (a hexadecimal UV_VERSION_HEX) does not have
 * are left out. KEEP is a list of steps (0,3,9): only these are run. */
#include "areas.h"
#include "program.h"
#include "trace.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_MAX 20
#define OPEN_DIRS 8

static const struct area* const areas[] = {
  &area_loop,
  &area_stream,
  &area_udp,
  &area_poll,
  &area_work,
  &area_fs,
  &area_process,
  &area_watch,
  &area_pure,
};

static const struct area* find_area(const char* name) {
  for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++)
    if (strcmp(areas[i]->name, name) == 0)
      return areas[i];
  return NULL;
}

static void run_program(const struct area* area,
                        unsigned version,
                        unsigned long seed,
                        const char* keep) {
  static struct program program;
  const struct op* const ops[2] = { area->ops, area->common };

  area->setup();
  program_make(&program, seed, ops, world_count(), version);
  program_keep(&program, keep);
  world_run(area, &program);
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

static void run_seed(const struct area* area,
                     unsigned version,
                     unsigned long seed,
                     const char* keep) {
  char dir[] = "/tmp/differ-XXXXXX";
  int status;

  printf("=== %lu\n", seed);
  fflush(stdout);
  trace_clear();
  if (mkdtemp(dir) == NULL) {
    perror(dir);
    exit(1);
  }
  pid_t pid = fork();
  if (pid == 0) {
    /* A group of its own, so that nothing survives it. */
    setpgid(0, 0);
    alarm(SECONDS_MAX);
    if (chdir(dir) == 0)
      run_program(area, version, seed, keep);
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

int main(int argc, char** argv) {
  const struct area* area = argc >= 5 ? find_area(argv[1]) : NULL;

  if (argc >= 4 && strcmp(argv[1], "--child") == 0)
    return process_child(argv[2], argv[3]);
  if (area == NULL) {
    for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++)
      puts(areas[i]->name);
    return argc == 1 ? 0 : 2;
  }
  argv = uv_setup_args(argc, argv);
  signal(SIGPIPE, SIG_IGN);
  trace_open();
  unsigned version = (unsigned) strtoul(argv[2], NULL, 16);
  unsigned long first = strtoul(argv[3], NULL, 10);
  unsigned long count = strtoul(argv[4], NULL, 10);
  for (unsigned long seed = first; seed < first + count; seed++)
    run_seed(area, version, seed, argc > 5 ? argv[5] : NULL);
  return 0;
}
