/* SPDX-License-Identifier: MIT */
/* A trace: uvx_trace_start() or UV_TRACE in the environment, the file, the
 * writer. session.h has its life.
 *
 * A forked child goes on in a file of its own if the name has a %p.
 *
 * Context: the session's lock.
 */
#include "observe/hooks.h"
#include "observe/output.h"
#include "observe/session.h"
#include "observe/trace/format.h"
#include "observe/trace/writer.h"
#include "os/private-file.h"
#include "uv/ext.h"
#include "variable.h"

#include <stdio.h>
#include <string.h>

/* Files that one process may have made before, by exec. */
#define SAME_PID_MAX 99

static struct uv__output output;

/* The file name with this process id exists: the process ran another program
 * before. That file stays; this one gets a number appended. */
static int open_next_file(struct uv__private_file* file,
                          char* path,
                          size_t size) {
  size_t len = strlen(path);
  int err = UV_EEXIST;

  for (int i = 2; i <= SAME_PID_MAX && err == UV_EEXIST; i++) {
    int n = snprintf(path + len, size - len, ".%d", i);
    if (n < 0 || (size_t) n >= size - len)
      return UV_ENAMETOOLONG;
    err = uv__private_file_os_open(file, path, NULL, output.mode);
  }
  return err;
}

static int open_file(struct uv__private_file* file, char* path, size_t size) {
  int has_pid = uv__output_has_pid(&output);
  int err = uv__output_path(&output, path, size);

  if (err == 0)
    err = uv__private_file_os_open(file, path, has_pid ? NULL : UV__TRACE_FIRST,
                                   output.mode);
  return err == UV_EEXIST && has_pid ? open_next_file(file, path, size) : err;
}

static int start_writer(void) {
  struct uv__private_file file;
  char path[UV__OUTPUT_MAX];
  int err = open_file(&file, path, sizeof(path));

  if (err != 0)
    return err;
  err = uv__private_file_os_empty(&file);
  if (err == 0)
    err = uv__trace_writer_start(&file);
  if (err == 0)
    return 0;
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

static int start_environment(void) {
  char path[UV__OUTPUT_MAX];
  unsigned mode = 0;

  if (!uv__variable_get("UV_TRACE", path, sizeof(path)))
    return UV__STAYS_OFF;
  uv__variable_get_mode("UV_TRACE_MODE", &mode);
  int err = uv__output_set(&output, path, mode);
  if (err == 0)
    return start_or_report();
  uv__variable_refuse("UV_TRACE", path, uv_strerror(err));
  return UV__STAYS_OFF;
}

static int start_call(const uvx_trace_options_t* options) {
  int err = uv__output_set(&output, options->path, options->mode);

  return err != 0 ? err : start_writer();
}

static int start(enum uv__start why, const void* options) {
  switch (why) {
  case UV__START_CALL:
    return start_call(options);
  case UV__START_ENVIRONMENT:
    return start_environment();
  case UV__START_CHILD:
    break;
  }
  return uv__output_has_pid(&output) ? start_or_report() : UV__STAYS_OFF;
}

struct uv__session uv__trace_session = {
  .variable = "UV_TRACE",
  .bit = UV__OBSERVE_TRACE,
  .start = start,
  .stop = uv__trace_writer_stop,
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
  return uv__session_start(&uv__trace_session, &all);
}

int uvx_trace_stop(void) {
  return uv__session_stop(&uv__trace_session);
}
