/* SPDX-License-Identifier: MIT */
/* The traces of a run are in a directory of its own: one for each process that
 * had a loop. The report goes to standard error, as standard output is
 * the program's.
 */
#include "run.h"
#include "base.h"
#include "html.h"
#include "os.h"
#include "report.h"
#include "trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096
#define TRACES_MAX 1000

static const char prefix[] = "trace-";
static const char suffix[] = ".json";

struct run {
  const struct options* options;
  char directory[PATH_SIZE];
  char* names[TRACES_MAX]; /* of traces in the directory */
  size_t count;
  unsigned left_out;
};

/* directory/name; 0, or -1 after saying that it does not fit. */
static int path_of(char path[PATH_SIZE],
                   const struct run* run,
                   const char* name) {
  int n = snprintf(path, PATH_SIZE, "%s/%s", run->directory, name);

  if (n > 0 && n < PATH_SIZE)
    return 0;
  base_say("%s: the name is too long", run->directory);
  return -1;
}

static void add_trace(const char* name, void* arg) {
  struct run* run = arg;
  size_t len = strlen(name);

  if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 ||
      len < sizeof(suffix) - 1 ||
      strcmp(name + len - (sizeof(suffix) - 1), suffix) != 0)
    return;
  if (run->count == TRACES_MAX)
    run->left_out++;
  else
    run->names[run->count++] = base_copy(name);
}

/* Numbers in names count as numbers: process 9 is before process 10. */
static int by_name(const void* a, const void* b) {
  const char* x = *(char* const*) a;
  const char* y = *(char* const*) b;

  if (strlen(x) != strlen(y))
    return strlen(x) < strlen(y) ? -1 : 1;
  return strcmp(x, y);
}

/* Puts a directory first in a variable like LD_LIBRARY_PATH. */
static int set_list(const char* name, const char* first) {
  const char* old = getenv(name);
  char value[2 * PATH_SIZE];
  int n = snprintf(value, sizeof(value), "%s%s%s", first,
                   old != NULL && *old != '\0' ? OS_LIST_SEPARATOR : "",
                   old != NULL ? old : "");

  if (n < 0 || (size_t) n >= sizeof(value))
    return -1;
  return os_set_variable(name, value);
}

/* The watchdog, with a signal that programs ignore by default; and what makes
 * V8 name the functions that it compiles. Programs without V8 do not read
 * NODE_OPTIONS. */
static int watch_callbacks(uint64_t ms) {
  static const char v8[] =
      "--perf-basic-prof --interpreted-frames-native-stack";
  const char* before = getenv("NODE_OPTIONS");
  char text[PATH_SIZE];

  snprintf(text, sizeof(text), "%" PRIu64, ms);
  int err = os_set_variable("UV_WATCHDOG", text);
  if (err == 0)
    err = os_set_variable("UV_WATCHDOG_SIGNAL", "URG");
  int n = snprintf(text, sizeof(text), "%s%s%s", before == NULL ? "" : before,
                   before == NULL ? "" : " ", v8);
  if (err == 0 && n > 0 && (size_t) n < sizeof(text))
    err = os_set_variable("NODE_OPTIONS", text);
  return err;
}

static int prepare(struct run* run) {
  const struct options* options = run->options;
  char path[PATH_SIZE];
  char given[PATH_SIZE];
  int err;

  if (options->output != NULL)
    snprintf(given, sizeof(given), "%s", options->output);
  else
    snprintf(given, sizeof(given), "uv-trace-%s-%" PRId64,
             os_base_name(options->words[0]), os_pid());
  err = os_make_directory(given);
  if (err == 0)
    err = os_full_path(given, run->directory, sizeof(run->directory));
  if (err != 0) {
    base_say("%s: %s", given, strerror(err));
    return -1;
  }
  /* Traces of an earlier run would be taken for this one's. */
  if (os_list(run->directory, add_trace, run) != 0 || run->count != 0) {
    base_say("%s: there are traces already; use another directory", given);
    return -1;
  }
  if (path_of(path, run, "trace-%p.json") != 0)
    return -1;
  err = os_set_variable("UV_TRACE", path);
  if (err == 0 && options->has_details)
    err = os_set_variable("UV_TRACE_DETAILS", "1");
  if (err == 0 && options->blocked_ms != 0)
    err = watch_callbacks(options->blocked_ms);
  if (err == 0 && options->library != NULL)
    err = set_list(OS_LIBRARY_PATH, options->library);
  if (err == 0 && options->preload != NULL)
    err = set_list(OS_PRELOAD, options->preload);
  if (err != 0)
    base_say("cannot set up the environment");
  return err;
}

static void explain(const char* program) {
  base_say("no trace was written: no process of this run made a loop of this "
           "library.");
  base_say("%s does not use libuv, has a libuv linked into it, or loads "
           "another libuv.so.1:",
           program);
  base_say("ldd \"$(command -v %s)\" shows which, and --library DIR puts this "
           "library first.",
           program);
}

/* One trace: a page, and the report if it is the first. */
static void show_trace(struct run* run, const char* name, int is_first) {
  struct trace trace;
  char path[PATH_SIZE];
  char page[PATH_SIZE];
  char report[PATH_SIZE];

  if (path_of(path, run, name) != 0 ||
      path_of(report, run, "report.txt") != 0 ||
      trace_open(&trace, path, run->options) != 0)
    return;
  snprintf(page, sizeof(page), "%.*s.html",
           (int) (strlen(path) - (sizeof(suffix) - 1)), path);
  if (is_first) {
    FILE* file = fopen(report, "wb");
    report_print(stderr, &trace.analysis, &trace.reader, name,
                 (size_t) run->options->top);
    if (file != NULL) {
      report_print(file, &trace.analysis, &trace.reader, name,
                   (size_t) run->options->top);
      fclose(file);
    }
    fputc('\n', stderr);
  }
  if (html_write(page, &trace, run->options->slices) == 0)
    base_say("%s", page);
  trace_close(&trace);
}

/* The program's own trace comes first; it has none if it only starts others. */
static size_t first_of(const struct run* run, int64_t pid) {
  char name[64];

  snprintf(name, sizeof(name), "trace-%" PRId64 ".json", pid);
  for (size_t i = 0; i < run->count; i++)
    if (strcmp(run->names[i], name) == 0)
      return i;
  return 0;
}

static void show_traces(struct run* run, int64_t pid) {
  qsort(run->names, run->count, sizeof(*run->names), by_name);
  size_t first = first_of(run, pid);
  show_trace(run, run->names[first], 1);
  for (size_t i = 0; i < run->count; i++)
    if (i != first)
      show_trace(run, run->names[i], 0);
  if (run->left_out != 0)
    base_say("%u more traces are in %s", run->left_out, run->directory);
}

int run_program(const struct options* options) {
  struct run* run = base_alloc(1, sizeof(*run));
  struct os_exit how = { 0, 0, 0 };
  char* const* argv = options->words;
  int status = 1;

  run->options = options;
  if (prepare(run) != 0)
    goto out;
  symbols_add_place(options->symbols, argv[0]);
  int err = os_run(argv, &how);
  if (err != 0) {
    base_say("%s: %s", argv[0], strerror(err));
    status = 127;
    os_remove_directory(run->directory); /* if it is empty */
    goto out;
  }
  status = how.status;
  fputc('\n', stderr);
  if (how.signal != 0)
    base_say("%s was ended by signal %d", argv[0], how.signal);
  else if (how.status != 0)
    base_say("%s ended with status %d", argv[0], how.status);
  (void) os_list(run->directory, add_trace, run); /* no trace if it fails */
  if (run->count != 0) {
    show_traces(run, how.pid);
  } else {
    explain(argv[0]);
    os_remove_directory(run->directory);
    status = status != 0 ? status : 1;
  }
out:
  for (size_t i = 0; i < run->count; i++)
    free(run->names[i]);
  free(run);
  return status;
}
