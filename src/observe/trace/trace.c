/* SPDX-License-Identifier: MIT */
/* A trace: uvx_trace_start() or UV_TRACE in the environment, the file, the
 * writer. session.h has its life.
 *
 * A forked child goes on in a file of its own if the name has a %p.
 *
 * Context: the session's lock.
 */
#include "observe/about.h"
#include "observe/hooks.h"
#include "observe/output.h"
#include "observe/session.h"
#include "observe/trace/format.h"
#include "observe/trace/recorder.h"
#include "observe/trace/trace.h"
#include "observe/trace/writer.h"
#include "os/private-file.h"
#include "os/system.h"
#include "util/atomic.h"
#include "uv/ext.h"
#include "variable.h"

#include <stdio.h>
#include <string.h>

/* Files that one process may have made before, by exec. */
#define SAME_PID_MAX 99

/* Megabytes of memory for a trace that is kept there. */
#define MEMORY_MB_MAX 1024

static struct uv__output output;
static int has_output;            /* atomic: `output` is set */
static unsigned details;          /* 1: it says what requests are about */
static unsigned memory_mb;        /* 0: the trace goes into the file */
static char path[UV__OUTPUT_MAX]; /* of the file */

/* The file name with this process id exists: the process ran another program
 * before. That file stays; this one gets a number appended. */
static int open_next_file(struct uv__private_file* file,
                          char* name,
                          size_t size) {
  size_t len = strlen(name);
  int err = UV_EEXIST;

  for (int i = 2; i <= SAME_PID_MAX && err == UV_EEXIST; i++) {
    int n = snprintf(name + len, size - len, ".%d", i);
    if (n < 0 || (size_t) n >= size - len)
      return UV_ENAMETOOLONG;
    err = uv__private_file_os_open(file, name, NULL, output.mode);
  }
  return err;
}

static int open_file(struct uv__private_file* file, char* name, size_t size) {
  int has_pid = uv__output_has_pid(&output);
  int err = uv__output_path(&output, name, size);

  if (err == 0)
    err = uv__private_file_os_open(file, name, has_pid ? NULL : UV__TRACE_FIRST,
                                   output.mode);
  return err == UV_EEXIST && has_pid ? open_next_file(file, name, size) : err;
}

/* What is kept in memory replaces an earlier file only when it is written: that
 * may be the record of the crash that this process was started after. */
static int start_writer(void) {
  size_t memory = (size_t) memory_mb << 20;
  struct uv__private_file file;
  int err = open_file(&file, path, sizeof(path));

  if (err != 0)
    return err;
  if (memory == 0)
    err = uv__private_file_os_empty(&file);
  if (err == 0)
    err = uv__trace_writer_start(&file, memory);
  if (err == 0) {
    uv__about_forget_all();
    if (details)
      uv__observe_start(UV__OBSERVE_DETAILS);
    return 0;
  }
  if (file.is_new)
    uv__private_file_os_remove(&file, path);
  uv__private_file_os_close(&file);
  return err;
}

static int start_or_report(void) {
  int err = start_writer();

  if (err != 0)
    uv__variable_refuse("UV_TRACE", output.given, uv_strerror(err));
  return err != 0 ? UV__STAYS_OFF : 0;
}

static int set_output(const char* name,
                      unsigned mode,
                      unsigned mb,
                      unsigned with_details) {
  int err = uv__output_set(&output, name, mode);

  details = with_details;
  memory_mb = mb;
  uv__store_relaxed(&has_output, err == 0);
  return err;
}

/* A trace that is not kept in memory begins with the signal for it. */
static int start_environment(void) {
  char name[UV__OUTPUT_MAX];
  char signal_name[64];
  unsigned mode = 0;
  unsigned mb = 0;
  unsigned with_details = 0;

  if (!uv__variable_get("UV_TRACE", name, sizeof(name)))
    return UV__STAYS_OFF;
  uv__variable_get_mode("UV_TRACE_MODE", &mode);
  uv__variable_get_number("UV_TRACE_MEMORY", 1, MEMORY_MB_MAX, &mb);
  uv__variable_get_number("UV_TRACE_DETAILS", 0, 1, &with_details);
  int err = set_output(name, mode, mb, with_details);
  if (err != 0) {
    uv__variable_refuse("UV_TRACE", name, uv_strerror(err));
    return UV__STAYS_OFF;
  }
  if (mb == 0 &&
      uv__variable_get("UV_TRACE_SIGNAL", signal_name, sizeof(signal_name)))
    return UV__STAYS_OFF;
  return start_or_report();
}

static int start_call(const uvx_trace_options_t* options) {
  int err = set_output(options->path, options->mode, options->memory_mb,
                       options->details);

  return err != 0 ? err : start_writer();
}

static int start(enum uv__start why, const void* options) {
  switch (why) {
  case UV__START_CALL:
    return start_call(options);
  case UV__START_ENVIRONMENT:
    return start_environment();
  case UV__START_SIGNAL:
    return start_or_report();
  case UV__START_CHILD:
    break;
  }
  return uv__output_has_pid(&output) ? start_or_report() : UV__STAYS_OFF;
}

static void stop(void) {
  uv__observe_stop(UV__OBSERVE_DETAILS);
  uv__trace_writer_stop(path);
}

struct uv__session uv__trace_session = {
  .variable = "UV_TRACE",
  .bit = UV__OBSERVE_TRACE,
  .start = start,
  .stop = stop,
  .forget = uv__trace_writer_fork,
};

int uvx_trace_start(const uvx_trace_options_t* options) {
  uvx_trace_options_t all;

  /* The first version ended before `mode`. */
  if (options == NULL || options->size < offsetof(uvx_trace_options_t, mode) ||
      options->path == NULL)
    return UV_EINVAL;
  memset(&all, 0, sizeof(all));
  memcpy(&all, options, uv__min_size(options->size, sizeof(all)));
  if (all.memory_mb > MEMORY_MB_MAX || all.details > 1)
    return UV_EINVAL;
  return uv__session_start(&uv__trace_session, &all);
}

int uvx_trace_stop(void) {
  return uv__session_stop(&uv__trace_session);
}

int uvx_trace_write(void) {
  return uv__session_call(&uv__trace_session, uv__trace_recorder_write);
}

int uv__trace_has_output(void) {
  return uv__load_relaxed(&has_output);
}

static void say(const char* what, const char* where) {
  char line[UV__OUTPUT_MAX + 64];

  snprintf(line, sizeof(line), "trace %s: %s", what, where);
  uv__os_print_line(line);
}

void uv__trace_signaled(void) {
  int err = uvx_trace_write();

  if (err == UV_ESRCH) {
    if (uv__session_resume(&uv__trace_session) == 0)
      say("begins", path);
  } else if (err == UV_EINVAL) {
    if (uvx_trace_stop() == 0)
      say("ended", path);
  } else if (err == 0) {
    say("written", path);
  } else {
    say("not written", uv_strerror(err));
  }
}
