/* SPDX-License-Identifier: MIT */
/* The runner starts a test again if Wine could not for no lasting reason.
 * Method: a CreateProcess that fails a number of times, then the real one. */
#include "runner-win.h"
#include "runner.h"
#include "test.h"

static int calls;
static int failures;
static DWORD failure;

static BOOL failing_create(char* command,
                           const char* folder,
                           STARTUPINFOA* startup,
                           PROCESS_INFORMATION* info) {
  if (calls++ < failures) {
    SetLastError(failure);
    return FALSE;
  }
  return runner_create_suspended(command, folder, startup, info);
}

/* Returns what runner_os_start() returns; a test that starts must pass. */
static int start_after(int nfailures, DWORD sys_error) {
  struct runner_job job;
  enum runner_end end;
  int value;

  memset(&job, 0, sizeof(job));
  job.name = "timer_due_together_are_inactive";
  calls = 0;
  failures = nfailures;
  failure = sys_error;
  runner_create = failing_create;
  int err = runner_os_start(&job);
  runner_create = runner_create_suspended;
  if (err != 0)
    return err;
  job.deadline_ms = job.started_ms + 60000;
  ASSERT_EQ(0, runner_os_wait(&job, 1, &end, &value));
  ASSERT_EQ(RUNNER_EXITED, end);
  ASSERT_EQ(0, value);
  runner_os_clean(&job);
  return 0;
}

TEST_IMPL(runner_starts_again_after_an_internal_error) {
  ASSERT_OK(runner_os_init(NULL));
  ASSERT_OK(start_after(0, ERROR_INTERNAL_ERROR));
  ASSERT_EQ(1, calls);
  ASSERT_OK(start_after(1, ERROR_INTERNAL_ERROR));
  ASSERT_EQ(2, calls);
  ASSERT_EQ(-1, start_after(2, ERROR_INTERNAL_ERROR));
  ASSERT_EQ(2, calls);
  ASSERT_EQ(-1, start_after(1, ERROR_FILE_NOT_FOUND));
  ASSERT_EQ(1, calls);
  return 0;
}
