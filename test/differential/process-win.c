/* SPDX-License-Identifier: MIT */
#include "process-world.h"
#include "moment.h"

#include <signal.h>
#include <stdlib.h>

#define PATH_BYTES 1024

const int signums[SIGNUMS] = { SIGINT, SIGINT,  SIGBREAK, SIGHUP,
                               SIGHUP, SIGTERM, SIGWINCH };
const int bad_signums[BAD_SIGNUMS] = { 0, -1, SIGKILL, 99, 4096 };

/* They come from the console, which the programs do not have. */
const int signals_can_be_sent = 0;

void signal_send(int signum) {
  (void) signum;
}

int signal_is_harmless(int signum) {
  (void) signum;
  return 0;
}

const char* child_program(void) {
  static char path[PATH_BYTES];

  if (path[0] == '\0' && GetModuleFileNameA(NULL, path, PATH_BYTES) == 0)
    abort();
  return path;
}

void child_await(const uv_process_t* process) {
  WaitForSingleObject(process->process_handle, INFINITE);
  /* A thread of the system's pool notifies the library. */
  moment_settle();
}

void child_wait(void) {
  Sleep(CHILD_SECONDS_MAX * 1000);
}
