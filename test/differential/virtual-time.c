/* SPDX-License-Identifier: MIT */
/* Virtual time: the definitions of clock_gettime() and epoll_pwait() here come
 * before the C library's for everything that is linked statically. */
#include "moment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS 1000000u
/* A wake-up that was sent must arrive; this only bounds a library that lost
 * it. */
#define WAKE_MS 2000
/* Longer waits are as good as for ever. */
#define FOR_EVER_MS 100000000
/* As is a loop that only polls files, and finds no change. */
#define QUIET_MAX_MS 2000
#define KERNEL_SIGSET_BYTES 8

static _Thread_local int is_loop_thread;
static uint64_t now_ns;
static uint64_t start_ns;
static uint64_t progress_ns; /* when something happened last */
static int patience_ms;
static void (*idle)(void);

static int real_clock(clockid_t id, struct timespec* ts) {
  return (int) syscall(SYS_clock_gettime, id, ts);
}

static int real_wait(int fd,
                     struct epoll_event* events,
                     int max,
                     int timeout,
                     const sigset_t* mask) {
  return (int) syscall(SYS_epoll_pwait, fd, events, max, timeout, mask,
                       KERNEL_SIGSET_BYTES);
}

void moment_start(void (*on_idle)(void)) {
  struct timespec real;

  real_clock(CLOCK_MONOTONIC, &real);
  /* Near the real clock, which other threads see; on a whole millisecond, so
   * that rounding does not matter. */
  start_ns = (uint64_t) (real.tv_sec + 1) * 1000 * NS_PER_MS;
  now_ns = start_ns;
  progress_ns = start_ns;
  idle = on_idle;
  is_loop_thread = 1;
}

void moment_stop(void) {
  idle = NULL;
}

void moment_progress(void) {
  progress_ns = now_ns;
}

void moment_pass(unsigned ms) {
  now_ns += (uint64_t) ms * NS_PER_MS;
}

long long moment_since(unsigned long long now_ms) {
  return (long long) (now_ms - start_ns / NS_PER_MS);
}

void moment_patience(int ms) {
  patience_ms = ms;
}

int moment_is_virtual(void) {
  return 1;
}

static int thread_sleeps(const char* id) {
  char path[64];
  char stat[256];
  int fd;
  ssize_t n;

  snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", id);
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 1; /* ended meanwhile */
  n = read(fd, stat, sizeof(stat) - 1);
  close(fd);
  if (n <= 0)
    return 1;
  stat[n] = '\0';
  const char* name_end = strrchr(stat, ')');
  return name_end == NULL || name_end[2] == 'S';
}

static int others_sleep(void) {
  struct stat task;
  /* A directory for each thread: more than "." and ".." and our own? */
  if (stat("/proc/self/task", &task) == 0 && task.st_nlink <= 3)
    return 1;

  DIR* dir = opendir("/proc/self/task");
  struct dirent* entry;
  int all = 1;

  while (all && (entry = readdir(dir)) != NULL)
    if (entry->d_name[0] != '.' && strtol(entry->d_name, NULL, 10) != getpid())
      all = thread_sleeps(entry->d_name);
  closedir(dir);
  return all;
}

void moment_settle(void) {
  struct timespec pause = { 0, 20000 };

  /* A thread may be between two sleeps: check twice. */
  for (int quiet = 0; quiet < 2; quiet++)
    if (!others_sleep()) {
      quiet = -1;
      nanosleep(&pause, NULL);
    }
}

int clock_gettime(clockid_t id, struct timespec* ts) {
  int is_ours = id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE ||
                id == CLOCK_BOOTTIME;

  if (!is_loop_thread || !is_ours)
    return real_clock(id, ts);
  ts->tv_sec = (time_t) (now_ns / NS_PER_MS / 1000);
  ts->tv_nsec = (long) (now_ns % (NS_PER_MS * 1000ull));
  return 0;
}

int epoll_pwait(int fd,
                struct epoll_event* events,
                int max,
                int timeout,
                const sigset_t* mask) {
  int n;

  if (!is_loop_thread)
    return real_wait(fd, events, max, timeout, mask);
  moment_settle();
  n = real_wait(fd, events, max, 0, mask);
  if (n != 0 || timeout == 0)
    return n;
  if (patience_ms != 0)
    n = real_wait(fd, events, max, patience_ms, mask);
  if (n != 0)
    return n;
  if (timeout > 0 && timeout < FOR_EVER_MS) {
    now_ns += (uint64_t) timeout * NS_PER_MS;
    if (now_ns - progress_ns < QUIET_MAX_MS * (uint64_t) NS_PER_MS)
      return 0;
  }
  progress_ns = now_ns;
  if (idle != NULL)
    idle();
  return real_wait(fd, events, max, WAKE_MS, mask);
}

int epoll_wait(int fd, struct epoll_event* events, int max, int timeout) {
  return epoll_pwait(fd, events, max, timeout, NULL);
}
