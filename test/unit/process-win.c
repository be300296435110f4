/* SPDX-License-Identifier: MIT */
/* The processes of the unit tests on Windows: this program again, with --run,
 * through ../blackbox/runner-win.c. The last line it prints is its message. */
#include "harness.h"
#include "runner.h"

#include <process.h>

static char message[UNIT_MESSAGE_SIZE];
char* unit_message = message;

int unit_os_init(const char* argv0) {
  return runner_os_init(argv0);
}

void unit_os_end(enum unit_outcome outcome) {
  printf("%s\n", message);
  fflush(NULL);
  _exit(outcome == UNIT_SKIPPED ? UNIT_EXIT_SKIPPED : UNIT_EXIT_FAILED);
}

static void take_message(FILE* output) {
  char line[UNIT_MESSAGE_SIZE / 4];

  rewind(output);
  while (fgets(line, sizeof(line), output) != NULL) {
    line[strcspn(line, "\r\n")] = '\0';
    unit_say("%s", line);
  }
}

static enum unit_outcome judge(struct runner_job* job,
                               enum runner_end end,
                               int status) {
  if (end == RUNNER_EXITED && status == 0)
    return UNIT_PASSED;
  take_message(job->output);
  if (end == RUNNER_EXITED && status == UNIT_EXIT_SKIPPED)
    return UNIT_SKIPPED;
  if (end == RUNNER_TIMEOUT)
    unit_say("did not end within %d seconds", unit_time_limit_s());
  else if (message[0] == '\0')
    unit_say("exit status %#x", (unsigned) status);
  return UNIT_FAILED;
}

enum unit_outcome unit_os_run(const char* name, void (*run)(void)) {
  struct runner_job job = { .name = name };
  enum runner_end end;
  int status;

  (void) run;
  if (runner_os_start(&job) != 0) {
    unit_say("the test cannot be started");
    return UNIT_FAILED;
  }
  job.deadline_ms = job.started_ms + 1000u * (unsigned) unit_time_limit_s();
  runner_os_wait(&job, 1, &end, &status);
  enum unit_outcome outcome = judge(&job, end, status);
  runner_os_clean(&job);
  return outcome;
}
