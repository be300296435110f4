/* SPDX-License-Identifier: MIT */
/* The runner on Unix: fork and exec, process groups, temporary files. */
#include "runner.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The longest sleep between two checks of the children. */
#define NAP_MS 1000

static char self[PATH_MAX];
static sigset_t original_mask;

static void on_child(int signum) {
  (void) signum; /* nap() waits for it */
}

int runner_os_init(const char* argv0) {
  if (realpath(argv0, self) == NULL) {
    perror(argv0);
    return -1;
  }

  /* A signal that is ignored may be lost although it is blocked (FreeBSD). */
  signal(SIGCHLD, on_child);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return sigprocmask(SIG_BLOCK, &set, &original_mask);
}

const char* runner_os_self(void) {
  return self;
}

uint64_t runner_os_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

static int make_dir(struct runner_job* job) {
  const char* tmp = getenv("TMPDIR");
  int n = snprintf(job->dir, sizeof(job->dir), "%s/uv-test-XXXXXX",
                   tmp == NULL ? "/tmp" : tmp);

  if (n < 0 || (size_t) n >= sizeof(job->dir)) {
    fprintf(stderr, "TMPDIR is too long\n");
    return -1;
  }
  if (mkdtemp(job->dir) == NULL) {
    perror(job->dir);
    return -1;
  }
  return 0;
}

_Noreturn static void run_child(const struct runner_job* job) {
  char* argv[] = { self, (char*) "--run", (char*) job->name, NULL };
  int fd = fileno(job->output);

  setpgid(0, 0);
  signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_SETMASK, &original_mask, NULL);
  if (dup2(fd, 1) == -1 || dup2(fd, 2) == -1 || chdir(job->dir) != 0)
    _exit(126);
  execv(self, argv);
  _exit(127);
}

int runner_os_start(struct runner_job* job) {
  if (make_dir(job) != 0)
    return -1;
  job->output = tmpfile();
  if (job->output == NULL) {
    perror("tmpfile");
    goto err_remove_dir;
  }

  fflush(NULL);
  pid_t pid = fork();
  if (pid == -1) {
    perror("fork");
    goto err_close_output;
  }
  if (pid == 0) {
    /* The test inherits neither the other jobs' output nor ours twice. */
    for (int fd = 3; fd < 256; fd++)
      if (fd != fileno(job->output))
        close(fd);
    run_child(job);
  }
  setpgid(pid, pid); /* whoever comes first; fails if the child was */
  job->pid = pid;
  job->started_ms = runner_os_now_ms();
  return 0;

err_close_output:
  fclose(job->output);
err_remove_dir:
  rmdir(job->dir);
  return -1;
}

/* Has it ended? Then nothing of its group is left either. */
static int reap(const struct runner_job* job,
                enum runner_end* end,
                int* value) {
  pid_t pid = (pid_t) job->pid;
  int status;

  if (waitpid(pid, &status, WNOHANG) != pid)
    return 0;
  kill(-pid, SIGKILL);
  *end = WIFSIGNALED(status) ? RUNNER_KILLED : RUNNER_EXITED;
  *value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return 1;
}

#if defined(_POSIX_REALTIME_SIGNALS) && _POSIX_REALTIME_SIGNALS > 0
static void nap(uint64_t ms) {
  sigset_t set;
  struct timespec time = { 0, 0 };

  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  time.tv_sec = (time_t) (ms / 1000);
  time.tv_nsec = (long) (ms % 1000) * 1000000;
  (void) sigtimedwait(&set, NULL, &time); /* at worst an unnecessary wake-up */
}
#else
static void nap(uint64_t ms) {
  struct timespec time = { 0, 5000000 };

  if (ms < 5)
    time.tv_nsec = (long) ms * 1000000;
  nanosleep(&time, NULL);
}
#endif

int runner_os_wait(struct runner_job* jobs,
                   int njobs,
                   enum runner_end* end,
                   int* value) {
  for (;;) {
    uint64_t now = runner_os_now_ms();
    uint64_t wait_ms = NAP_MS;

    for (int i = 0; i < njobs; i++) {
      if (reap(&jobs[i], end, value))
        return i;
      if (now >= jobs[i].deadline_ms) {
        kill((pid_t) -jobs[i].pid, SIGKILL);
        waitpid((pid_t) jobs[i].pid, NULL, 0);
        *end = RUNNER_TIMEOUT;
        *value = 0;
        return i;
      }
      uint64_t left = jobs[i].deadline_ms - now;
      if (left < wait_ms)
        wait_ms = left;
    }
    nap(wait_ms);
  }
}

static int remove_one(const char* path,
                      const struct stat* st,
                      int kind,
                      struct FTW* at) {
  (void) kind;
  (void) at;
  (void) st;
  if (remove(path) != 0)
    fprintf(stderr, "cannot remove %s: %s\n", path, strerror(errno));
  return 0;
}

void runner_os_clean(struct runner_job* job) {
  nftw(job->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  fclose(job->output);
}
