/* SPDX-License-Identifier: MIT */
/* A trace from its start to its end: uvx_trace_start() or UV_TRACE in the
 * environment, the file, the writer, uvx_trace_stop() or the end of the
 * library.
 *
 * Starting and stopping are serialised by a lock that a fork may find held.
 * A forked child records nothing until it makes a loop or calls
 * uv_loop_fork(); if the name has a %p it goes on then in a file of its own.
 *
 * Context: any.
 */
#include "observe/trace/trace.h"
#include "observe/hooks.h"
#include "observe/thread.h"
#include "observe/trace/writer.h"
#include "os/private-file.h"
#include "variable.h"
#include "util/fork-lock.h"
#include "uv/ext.h"

#include <stdio.h>
#include <string.h>

#define PATH_SIZE 4096
/* Files that one process may have made before, by exec. */
#define SAME_PID_MAX 99

static struct uv__fork_lock lock;
static int is_on;               /* the lock's: a trace is under way */
static unsigned generation;     /* the lock's: of the process it is of */
static char pattern[PATH_SIZE]; /* the file's name as given */
static uv_once_t environment_once = UV_ONCE_INIT;

int uv__trace_expand(char* out, size_t size, const char* from, int* has_pid) {
  size_t used = 0;

  *has_pid = 0;
  for (; *from != '\0'; from++) {
    int n;
    if (from[0] == '%' && from[1] == 'p') {
      n = snprintf(out + used, size - used, "%d", (int) uv_os_getpid());
      from++;
      *has_pid = 1;
    } else {
      n = snprintf(out + used, size - used, "%c", *from);
    }
    if (n < 0 || (size_t) n >= size - used)
      return UV_ENAMETOOLONG;
    used += (size_t) n;
  }
  return used == 0 ? UV_EINVAL : 0;
}

/* The file name with this process id exists: the process ran another program
 * before. That file stays; this one gets a number appended. */
static int open_next_file(char* path, size_t size) {
  size_t len = strlen(path);
  int fd = UV_EEXIST;

  for (int i = 2; i <= SAME_PID_MAX && fd == UV_EEXIST; i++) {
    int n = snprintf(path + len, size - len, ".%d", i);
    if (n < 0 || (size_t) n >= size - len)
      return UV_ENAMETOOLONG;
    fd = uv__private_file_os_open(path, 1);
  }
  return fd;
}

static int open_file(void) {
  char path[PATH_SIZE];
  int has_pid;
  int err = uv__trace_expand(path, sizeof(path), pattern, &has_pid);

  if (err != 0)
    return err;
  int fd = uv__private_file_os_open(path, has_pid);
  return fd == UV_EEXIST && has_pid ? open_next_file(path, sizeof(path)) : fd;
}

/* With the lock. */
static int start_session(void) {
  int err = uv__observe_init();
  if (err != 0)
    return err;

  int fd = open_file();
  if (fd < 0)
    return fd;
  err = uv__trace_writer_start(fd);
  if (err != 0) {
    uv__private_file_os_close(fd);
    return err;
  }
  is_on = 1;
  generation = uv__observe_generation();
  uv__observe_start(UV__OBSERVE_TRACE);
  return 0;
}

/* A trace that is on in the parent of this process. */
static int is_parents_session(void) {
  return is_on && generation != uv__observe_generation();
}

/* With the lock. */
static void leave_parents_trace(void) {
  if (!is_parents_session())
    return;
  uv__trace_writer_fork();
  is_on = 0;
}

int uvx_trace_start(const uvx_trace_options_t* options) {
  if (options == NULL || options->size < sizeof(*options) ||
      options->path == NULL)
    return UV_EINVAL;
  if (strlen(options->path) >= sizeof(pattern))
    return UV_ENAMETOOLONG;

  int err = UV_EBUSY;
  (void) uv__fork_lock(&lock);
  leave_parents_trace();
  if (!is_on) {
    memcpy(pattern, options->path, strlen(options->path) + 1);
    err = start_session();
  }
  uv__fork_unlock(&lock);
  return err;
}

/* With the lock. */
static int stop_session(void) {
  leave_parents_trace();
  if (!is_on)
    return UV_ESRCH;
  uv__observe_stop(UV__OBSERVE_TRACE);
  uv__trace_writer_stop();
  is_on = 0;
  return 0;
}

int uvx_trace_stop(void) {
  (void) uv__fork_lock(&lock);
  int err = stop_session();
  uv__fork_unlock(&lock);
  return err;
}

void uv__trace_shutdown(void) {
  /* A forked child that has not traced has nothing to end, and its locks may be
   * in any state. */
  if (is_on && !is_parents_session())
    (void) uvx_trace_stop();
  uv__observe_threads_shutdown();
}

static void start_session_or_report(void) {
  int err = start_session();

  if (err != 0)
    uv__variable_refuse("UV_TRACE", pattern, uv_strerror(err));
}

static void read_environment(void) {
  char path[PATH_SIZE];

  if (!uv__variable_get("UV_TRACE", path, sizeof(path)))
    return;
  (void) uv__fork_lock(&lock);
  /* The program may have started one before its first loop. */
  if (!is_on) {
    memcpy(pattern, path, strlen(path) + 1);
    start_session_or_report();
  }
  uv__fork_unlock(&lock);
}

/* Continues in a file of the child's own, if its name differs from the
 * parent's. */
static void restart_in_child(void) {
  (void) uv__fork_lock(&lock);
  leave_parents_trace();
  if (!is_on && strstr(pattern, "%p") != NULL)
    start_session_or_report();
  uv__fork_unlock(&lock);
}

void uv__trace_init_loop(void) {
  uv_once(&environment_once, read_environment);
  if (is_parents_session())
    restart_in_child();
}
