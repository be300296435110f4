/* SPDX-License-Identifier: MIT */
#include "watch.h"
#include "base.h"
#include "os.h"
#include "symbols.h"
#include "threads.h"
#include "top.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096
/* The library replaces its file by renaming: it is there, or will be. */
#define ATTEMPTS 20
#define ATTEMPT_MS 100
/* A file that is older than this says so. */
#define OLD_S 5
/* The process counts nothing. */
#define NO_FILE 1

/* Appends to a path; 0, or -1 if it does not fit. */
static int path_add(char path[PATH_SIZE], const char* text, size_t len) {
  size_t used = strlen(path);

  if (used + len >= PATH_SIZE)
    return -1;
  memcpy(path + used, text, len);
  path[used + len] = '\0';
  return 0;
}

/* A process that found its file in use has one with its number added. */
static void prefer_own_file(char path[PATH_SIZE], const char* number) {
  size_t used = strlen(path);
  FILE* file = NULL;

  if (path_add(path, ".", 1) == 0 &&
      path_add(path, number, strlen(number)) == 0)
    file = fopen(path, "rb");
  if (file == NULL)
    path[used] = '\0';
  else
    fclose(file);
}

/* The process's file: UV_METRICS of its environment. 0, NO_FILE, or -1 after it
 * has said what is wrong. */
static int find_file(int64_t pid, char path[PATH_SIZE]) {
  char value[PATH_SIZE];
  char number[BASE_TEXT];
  int err = os_read_variable(pid, "UV_METRICS", value, sizeof(value));

  if (err == ENOENT)
    return NO_FILE;
  if (err == ENOSYS)
    base_say("this system does not tell another process's environment: "
             "use uv-trace top --file FILE");
  else if (err != 0)
    base_say("process %" PRId64 ": %s", pid, strerror(err));
  if (err != 0)
    return -1;
  snprintf(number, sizeof(number), "%" PRId64, pid);
  path[0] = '\0';
  if (value[0] != '/') {
    char directory[PATH_SIZE];
    if (os_directory(pid, directory, sizeof(directory)) != 0)
      return -1;
    path_add(path, directory, strlen(directory));
    path_add(path, "/", 1);
  }
  for (const char* at = value; *at != '\0'; at++) {
    int is_pid = at[0] == '%' && at[1] == 'p';
    if (path_add(path, is_pid ? number : at, is_pid ? strlen(number) : 1) != 0)
      return -1;
    at += is_pid;
  }
  prefer_own_file(path, number);
  return 0;
}

/* A whole version of the file; the library may be about to write it. */
static int read_patiently(struct metrics* metrics, const char* path) {
  int err = metrics_read(metrics, path);

  for (int i = 0; err != 0 && i < ATTEMPTS && !os_is_stopping(); i++) {
    os_sleep_ms(ATTEMPT_MS);
    err = metrics_read(metrics, path);
  }
  if (err == EINVAL)
    base_say("%s: not a file of UV_METRICS", path);
  else if (err != 0)
    base_say("%s: %s", path, strerror(err));
  return err;
}

static int is_same(const struct metrics* a, const struct metrics* b) {
  if (a->count != b->count)
    return 0;
  for (size_t i = 0; i < a->count; i++)
    if (a->samples[i].value != b->samples[i].value ||
        strcmp(a->samples[i].key, b->samples[i].key) != 0)
      return 0;
  return 1;
}

struct watch {
  const struct options* options;
  const char* path;
  int64_t pid; /* 0: a file */
};

static void show(const struct watch* w,
                 const struct metrics* now,
                 const struct metrics* before,
                 double seconds) {
  int columns = 100;
  int rows = 30;
  size_t callbacks = (size_t) w->options->top;

  if (os_terminal(&columns, &rows)) {
    fputs("\033[H\033[J", stdout);
    if (rows > 18 && callbacks > (size_t) rows - 17)
      callbacks = (size_t) rows - 17;
  }
  if (w->pid != 0)
    printf("process %" PRId64 ", ", w->pid);
  printf("%s, ", w->path);
  if (seconds > 0)
    printf("the last %.1f s\n", seconds);
  else
    printf("since the start\n");
  double age = os_file_age(w->path);
  if (age >= OLD_S)
    printf("not written for %.0f s: the loop is in a callback, or is not run\n",
           age);
  putchar('\n');
  top_print(stdout, now, before, seconds, w->options->symbols, callbacks,
            columns);
  fflush(stdout);
}

/* Shows each new version until the process is gone. */
static int watch_on(const struct watch* w, struct metrics* before) {
  uint64_t then = os_now();
  unsigned idle = 0;

  while (!os_is_stopping()) {
    struct metrics now;
    os_sleep_ms((unsigned) w->options->interval_ms);
    if (os_is_stopping())
      break;
    if (w->pid != 0 && !os_process_exists(w->pid)) {
      printf("process %" PRId64 " has ended\n", w->pid);
      break;
    }
    if (read_patiently(&now, w->path) != 0)
      return 1;
    /* The library may write less often than we look. */
    idle = is_same(&now, before) ? idle + 1 : 0;
    if (idle == 1 || idle == 2) {
      metrics_close(&now);
      continue;
    }
    uint64_t time = os_now();
    show(w, &now, before, (double) (time - then) / 1e9);
    then = time;
    metrics_close(before);
    *before = now;
  }
  return 0;
}

static void say_no_metrics(int64_t pid) {
  base_say("process %" PRId64 " was not started with UV_METRICS=FILE; "
           "uv-trace top --file FILE shows any file of metrics",
           pid);
}

/* Shows the threads until the process is gone, from the second look on. */
static int watch_threads(const struct options* options, int64_t pid) {
  struct threads before;
  int err = threads_read(&before, pid);
  uint64_t then = os_now();

  while (err == 0 && !os_is_stopping()) {
    struct threads now;
    os_sleep_ms((unsigned) options->interval_ms);
    if (os_is_stopping())
      break;
    err = threads_read(&now, pid);
    uint64_t time = os_now();
    if (err == 0) {
      int columns = 100;
      int rows = 30;
      if (os_terminal(&columns, &rows))
        fputs("\033[H\033[J", stdout);
      printf("process %" PRId64 ", the last %.1f s, as the kernel counts: it "
             "was not started with UV_METRICS\n\n",
             pid, (double) (time - then) / 1e9);
      struct threads next = now;
      next.rows = base_alloc(now.count + 1, sizeof(*now.rows));
      memcpy(next.rows, now.rows, now.count * sizeof(*now.rows));
      threads_print(stdout, &next, &before, (double) (time - then) / 1e9,
                    (size_t) options->top);
      threads_close(&next);
      fflush(stdout);
    }
    threads_close(&before);
    before = now;
    then = time;
    if (options->is_once)
      break;
  }
  threads_close(&before);
  if (err == ESRCH && !options->is_once) {
    printf("process %" PRId64 " has ended\n", pid);
    return 0;
  }
  if (err == ENOSYS)
    say_no_metrics(pid);
  else if (err != 0)
    base_say("process %" PRId64 ": %s", pid, strerror(err));
  return err == 0 ? 0 : 1;
}

int watch(const struct options* options) {
  struct watch w = { options, options->file, 0 };
  char path[PATH_SIZE];
  char program[PATH_SIZE];
  struct metrics first;
  struct metrics none = { NULL, NULL, 0 };

  if ((options->nwords == 0) == (options->file == NULL)) {
    base_say("top needs a process or --file FILE");
    return 2;
  }
  if (options->file == NULL) {
    char* end;
    w.pid = strtoll(options->words[0], &end, 10);
    if (*end != '\0' || w.pid <= 0) {
      base_say("%s is no process id", options->words[0]);
      return 2;
    }
    int err = find_file(w.pid, path);
    if (err == NO_FILE) {
      os_catch_stop();
      return watch_threads(options, w.pid);
    }
    if (err != 0)
      return 1;
    w.path = path;
    if (os_program(w.pid, program, sizeof(program)) == 0)
      symbols_set_program(options->symbols, program);
  }
  os_catch_stop();
  if (read_patiently(&first, w.path) != 0)
    return 1;
  show(&w, &first, &none, 0);
  int status = options->is_once ? 0 : watch_on(&w, &first);
  metrics_close(&first);
  return status;
}
