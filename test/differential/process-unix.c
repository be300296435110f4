/* SPDX-License-Identifier: MIT */
#include "process-world.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

const int signums[SIGNUMS] = { SIGUSR1, SIGUSR1, SIGUSR2, SIGUSR2,
                               SIGHUP,  SIGCHLD, SIGWINCH };
const int bad_signums[BAD_SIGNUMS] = { 0, -1, SIGKILL, SIGSTOP, 99 };

const int signals_can_be_sent = 1;

void signal_send(int signum) {
  kill(getpid(), signum);
}

int signal_is_harmless(int signum) {
  return signum == SIGCHLD || signum == SIGWINCH;
}

const char* child_program(void) {
  return "/proc/self/exe";
}

void child_await(const uv_process_t* process) {
  siginfo_t info;

  /* It stays a zombie for the library. */
  while (waitid(P_PID, (id_t) process->pid, &info, WEXITED | WNOWAIT) != 0) {
    /* interrupted by SIGCHLD */
    if (kill(process->pid, 0) != 0)
      return;
  }
}

/* Detached children outlive a program that is killed: the alarm ends them. */
void child_wait(void) {
  alarm(CHILD_SECONDS_MAX);
  for (;;)
    pause();
}
