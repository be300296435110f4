/* SPDX-License-Identifier: MIT */
/* What the runner asks of the operating system: processes, private directories,
 * captured output. One file per platform implements it: runner-unix.c,
 * runner-win.c. */
#ifndef RUNNER_H_
#define RUNNER_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A running test. */
struct runner_job {
  const char* name;
  int is_second; /* it was started once more */
  long pid;      /* also its process group (unix) */
  void* os;      /* the platform's own */
  uint64_t started_ms;
  uint64_t deadline_ms; /* of runner_os_now_ms() */
  char dir[256];        /* private, removed by runner_os_clean() */
  FILE* output;         /* what it printed */
};

enum runner_end {
  RUNNER_EXITED, /* value: the exit status */
  RUNNER_KILLED, /* value: the signal, or the exception */
  RUNNER_TIMEOUT /* it was killed, with everything it had started */
};

/* Once, before everything else: the path of this program. */
int runner_os_init(const char* argv0);
const char* runner_os_self(void);

uint64_t runner_os_now_ms(void);

/* Starts `self --run name` in a new directory, with its output in job->output.
 * 0, or -1 with a message on stderr. */
int runner_os_start(struct runner_job* job);

/* Waits until one of the jobs has ended or exceeded its time. Returns its index
 * and how it ended. */
int runner_os_wait(struct runner_job* jobs,
                   int njobs,
                   enum runner_end* end,
                   int* value);

/* Removes the directory and closes the output. */
void runner_os_clean(struct runner_job* job);

#endif /* RUNNER_H_ */
