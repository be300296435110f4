/* SPDX-License-Identifier: MIT */
/* uv-trace: what a trace of UV_TRACE says. docs/manual/tools/uv-trace.rst */
#include "base.h"
#include "compare.h"
#include "html.h"
#include "report.h"
#include "run.h"
#include "trace.h"
#include "uv/ext.h" /* its version, nothing else */
#include "watch.h"

#include <limits.h>
#include <string.h>

static const char usage[] =
    "usage: uv-trace report [OPTION...] FILE\n"
    "       uv-trace html [OPTION...] [-o PAGE] FILE\n"
    "       uv-trace compare [OPTION...] BEFORE AFTER\n"
    "       uv-trace run [OPTION...] [-o DIR] PROGRAM [ARGUMENT...]\n"
    "       uv-trace top [OPTION...] PROCESS | --file FILE\n"
    "\n"
    "  report  reads a trace that a program wrote with UV_TRACE=FILE; prints\n"
    "          loop lag, where the time went, the callbacks that took most of\n"
    "          it, the thread pool, starved requests\n"
    "  html    writes a page to look at: timeline, flame graph, lag, tables\n"
    "  compare reads two traces; prints counts, times and p99 of callbacks "
    "and\n"
    "          of work side by side, the largest difference first\n"
    "  run     runs a program with UV_TRACE, then does both\n"
    "  top     shows a process that was started with UV_METRICS=FILE, live; "
    "of\n"
    "          another one what the kernel knows of its threads\n"
    "\n"
    "report, html, compare, run:\n"
    "  --top N          rows of each table (15)\n"
    "  --starved MS     a request is starved if it waits longer than it runs,\n"
    "                   and at least this long (10)\n"
    "  --modules PATH   a file, or a directory of files, whose symbols name\n"
    "                   functions; may be given more than once\n"
    "  --slices N       how many slices a page draws, the longest (100000)\n"
    "html:\n"
    "  -o PAGE          the page's file (FILE.html); - is standard output\n"
    "run:\n"
    "  -o DIR           the directory for traces and pages\n"
    "                   (uv-trace-PROGRAM-NUMBER)\n"
    "  --blocked MS     find out where callbacks are that take longer, also "
    "in\n"
    "                   JavaScript\n"
    "  --details        with paths, hosts, peers and commands\n"
    "  --library DIR    put first in LD_LIBRARY_PATH: where libuv.so.1 is\n"
    "  --preload FILE   put first in LD_PRELOAD\n"
    "top:\n"
    "  --file FILE      the file of metrics, if the process cannot be asked\n"
    "  --interval MS    how often to look (1000)\n"
    "  --once           print totals once\n"
    "\n"
    "  --help, --version\n";

/* Commands return the exit status: 0, 1 for a failure. */
static int command_report(const struct options* options) {
  struct trace trace;

  if (trace_open(&trace, options->words[0], options) != 0)
    return 1;
  report_print(stdout, &trace.analysis, &trace.reader, trace.path,
               (size_t) options->top);
  trace_close(&trace);
  return 0;
}

static int command_compare(const struct options* options) {
  struct trace traces[2];

  if (trace_open(&traces[0], options->words[0], options) != 0)
    return 1;
  int err = trace_open(&traces[1], options->words[1], options);
  if (err == 0) {
    compare_print(stdout, &traces[0], &traces[1], (size_t) options->top);
    trace_close(&traces[1]);
  }
  trace_close(&traces[0]);
  return err == 0 ? 0 : 1;
}

static int command_html(const struct options* options) {
  const char* output = options->output;
  char path[4096];
  struct trace trace;

  if (output == NULL) {
    int n = snprintf(path, sizeof(path), "%s.html", options->words[0]);
    if (n < 0 || (size_t) n >= sizeof(path)) {
      base_say("the name is too long");
      return 1;
    }
    output = path;
  }
  if (trace_open(&trace, options->words[0], options) != 0)
    return 1;
  int err = html_write(output, &trace, options->slices);
  trace_close(&trace);
  if (err == 0 && output == path)
    printf("%s\n", path);
  return err == 0 ? 0 : 1;
}

static const struct command {
  const char* name;
  int (*run)(const struct options* options);
  unsigned options;
  int words_min;
  int words_max;
} commands[] = {
  { "report", command_report, OPTION_TOP | OPTION_STARVED | OPTION_MODULES, 1,
    1 },
  { "html", command_html,
    OPTION_OUTPUT | OPTION_STARVED | OPTION_MODULES | OPTION_SLICES, 1, 1 },
  { "compare", command_compare, OPTION_TOP | OPTION_MODULES, 2, 2 },
  { "run", run_program,
    OPTION_OUTPUT | OPTION_TOP | OPTION_STARVED | OPTION_MODULES |
        OPTION_SLICES | OPTION_LIBRARY | OPTION_PRELOAD | OPTION_BLOCKED |
        OPTION_DETAILS | OPTION_PROGRAM,
    1, INT_MAX },
  { "top", watch,
    OPTION_FILE | OPTION_ONCE | OPTION_INTERVAL | OPTION_MODULES | OPTION_TOP,
    0, 1 },
};

static int run_command(const struct command* command, char** argv) {
  struct options options;
  int status = 2;

  if (options_parse(&options, command->options, argv) == 0) {
    if (options.nwords >= command->words_min &&
        options.nwords <= command->words_max)
      status = command->run(&options);
    else
      fputs(usage, stderr);
  }
  options_close(&options);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    base_say("cannot write to standard output");
    return 1;
  }
  return status;
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";

  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    fputs(usage, stdout);
    return 0;
  }
  if (strcmp(name, "--version") == 0) {
    printf("uv-trace %d.%d.%d%s\n", UVX_VERSION_MAJOR, UVX_VERSION_MINOR,
           UVX_VERSION_PATCH, UVX_VERSION_IS_RELEASE ? "" : "-dev");
    return 0;
  }
  for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
    if (strcmp(commands[i].name, name) == 0)
      return run_command(&commands[i], argv + 2);
  fputs(usage, stderr);
  return 2;
}
