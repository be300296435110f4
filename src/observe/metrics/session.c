/* SPDX-License-Identifier: MIT */
/* Metrics: uvx_metrics_start() or UV_METRICS in the environment, and a thread
 * that writes the file if there is to be one. session.h has their life.
 *
 * The file is claimed first. Each version is written to a draft, which then
 * takes its place, so that a reader finds a whole version. If the file cannot
 * be written, one message says so; metrics are still collected. A process whose
 * file another one writes takes a name of its own.
 *
 * Context: the session's lock; while the thread runs, the file is its own.
 */
#include "observe/background.h"
#include "observe/hooks.h"
#include "observe/metrics/text.h"
#include "observe/output.h"
#include "observe/session.h"
#include "os/private-file.h"
#include "util/env.h"
#include "uv/ext.h"
#include "variable.h"

#include <stdio.h>
#include <string.h>

#define INTERVAL_MS 1000
/* Added to a name: .PID.new */
#define SUFFIX_MAX 32

struct exporter {
  struct uv__symbols symbols;
  uint64_t since_ns; /* when metrics were started */
  int has_failed;    /* and said so */
  int may_rename;    /* the file, if another process has it */
  int has_version;
  struct uv__private_file file; /* what `path` leads to */
  char path[UV__OUTPUT_MAX + SUFFIX_MAX];
};

static int has_file; /* the thread runs */
static int wants_file;
static struct uv__output output; /* unless !wants_file */
static unsigned interval_ms;
static struct exporter exporter;
static struct uv__background background;

static void report_rename(const struct exporter* e) {
  char line[384];
  const char* slash = strrchr(e->path, '/');

  snprintf(line, sizeof(line),
           "another process writes it, this one writes to %.256s",
           slash == NULL ? e->path : slash + 1);
  uv__variable_refuse("UV_METRICS", output.given, line);
}

static int claim_file(struct exporter* e) {
  int err = uv__output_path(&output, e->path, UV__OUTPUT_MAX);

  if (err == 0)
    err = uv__private_file_os_open(&e->file, e->path, UV__METRICS_FIRST,
                                   output.mode);
  if (err != UV_EBUSY || !e->may_rename)
    return err;
  size_t len = strlen(e->path);
  snprintf(e->path + len, sizeof(e->path) - len, ".%d", (int) uv_os_getpid());
  err = uv__private_file_os_open(&e->file, e->path, UV__METRICS_FIRST,
                                 output.mode);
  if (err == 0)
    report_rename(e);
  return err;
}

/* An empty file says nothing. */
static void leave_file(struct exporter* e) {
  if (!e->has_version && e->file.is_new)
    uv__private_file_os_remove(&e->file, e->path);
  uv__private_file_os_close(&e->file);
}

static int fill_draft(struct uv__private_file* draft,
                      const struct uv__strbuf* text) {
  int err = uv__private_file_os_empty(draft);

  return err != 0 ? err
                  : uv__private_file_os_write(draft, text->data, text->used);
}

static int write_draft(struct exporter* e, const struct uv__strbuf* text) {
  struct uv__private_file draft;
  char path[sizeof(e->path) + SUFFIX_MAX];

  snprintf(path, sizeof(path), "%s.%d.new", e->path, (int) uv_os_getpid());
  /* One that is there was left by a killed process. */
  int err =
      uv__private_file_os_open(&draft, path, UV__METRICS_FIRST, output.mode);
  if (err != 0)
    return err;
  err = fill_draft(&draft, text);
  if (err == 0)
    err = uv__private_file_os_replace(&e->file, e->path, &draft, path);
  if (err == 0) {
    e->has_version = 1;
    return 0;
  }
  uv__private_file_os_remove(&draft, path);
  uv__private_file_os_close(&draft);
  return err;
}

static int write_file(struct exporter* e) {
  struct uv__strbuf text = { NULL, 0, 0, 0 };
  int err = e->file.fd < 0 ? claim_file(e) : 0;

  if (err != 0)
    return err;
  uv__metrics_text(&text, &e->symbols, e->since_ns);
  err = text.is_short ? UV_ENOMEM : write_draft(e, &text);
  uv__strbuf_free(&text);
  if (err != 0 && !e->has_version)
    leave_file(e);
  return err;
}

static void report_failure(struct exporter* e, int err) {
  if (err != 0 && !e->has_failed)
    uv__variable_refuse("UV_METRICS", output.given, uv_strerror(err));
  e->has_failed |= err != 0;
}

/* A version for each period, whatever the loop does: its age says that the
 * process runs. */
static void write_version(void) {
  report_failure(&exporter, write_file(&exporter));
}

static void run_exporter(void* arg) {
  (void) arg;
  (void) uv_thread_setname("libuv-metrics");
  int is_last;
  do {
    is_last = uv__background_sleep(&background, interval_ms);
    write_version();
  } while (!is_last);
}

static void end_exporter(struct exporter* e) {
  leave_file(e);
  uv__symbols_close(&e->symbols);
  has_file = 0;
}

/* The program is told of an error; whoever set the environment reads it, and
 * the file may be had later. */
static int start_exporter(enum uv__start why) {
  struct exporter* e = &exporter;

  memset(e, 0, sizeof(*e));
  e->since_ns = uv_hrtime();
  e->file.fd = -1;
  e->may_rename = why != UV__START_CALL;
  uv__symbols_init(&e->symbols);
  int err = write_file(e);
  if (why != UV__START_CALL) {
    report_failure(e, err);
    err = 0;
  }
  if (err == 0)
    err = uv__background_start(&background, run_exporter);
  has_file = 1;
  if (err != 0)
    end_exporter(e);
  return err;
}

static int start_environment(void) {
  char path[UV__OUTPUT_MAX];
  unsigned mode = 0;

  if (!uv__variable_get("UV_METRICS", path, sizeof(path)))
    return UV__STAYS_OFF;
  interval_ms = INTERVAL_MS;
  (void) uv__variable_get_ms("UV_METRICS_INTERVAL", &interval_ms);
  uv__variable_get_mode("UV_METRICS_MODE", &mode);
  int err = uv__output_set(&output, path, mode);
  wants_file = err == 0;
  if (err == 0)
    err = start_exporter(UV__START_ENVIRONMENT);
  if (err == 0)
    return 0;
  uv__variable_refuse("UV_METRICS", path, uv_strerror(err));
  return UV__STAYS_OFF;
}

static int start_call(const uvx_metrics_options_t* options) {
  interval_ms = options->interval_ms != 0 ? options->interval_ms : INTERVAL_MS;
  wants_file = options->path != NULL && options->path[0] != '\0';
  if (!wants_file)
    return 0;
  int err = uv__output_set(&output, options->path, options->mode);
  return err != 0 ? err : start_exporter(UV__START_CALL);
}

/* Without a name of its own, a child would write its parent's file. */
static int start_child(void) {
  if (!wants_file)
    return 0;
  if (!uv__output_has_pid(&output))
    return UV__STAYS_OFF;
  int err = start_exporter(UV__START_CHILD);
  if (err != 0)
    uv__variable_refuse("UV_METRICS", output.given, uv_strerror(err));
  return err != 0 ? UV__STAYS_OFF : 0;
}

static int start(enum uv__start why, const void* options) {
  switch (why) {
  case UV__START_CALL:
    return start_call(options);
  case UV__START_ENVIRONMENT:
    return start_environment();
  case UV__START_CHILD:
  case UV__START_SIGNAL:
    break;
  }
  return start_child();
}

static void stop(void) {
  if (!has_file)
    return;
  uv__background_stop(&background);
  end_exporter(&exporter);
}

/* The parent's file stays. */
static void forget(void) {
  exporter.has_version = 1;
  if (has_file)
    end_exporter(&exporter);
}

struct uv__session uv__metrics_session = {
  .variable = "UV_METRICS",
  .bit = UV__OBSERVE_METRICS,
  .start = start,
  .stop = stop,
  .forget = forget,
};

int uvx_metrics_start(const uvx_metrics_options_t* options) {
  uvx_metrics_options_t all;

  /* The first version ended before `reserved`. */
  if (options == NULL ||
      options->size < offsetof(uvx_metrics_options_t, reserved) ||
      options->interval_ms > UV__ENV_MS_MAX)
    return UV_EINVAL;
  memset(&all, 0, sizeof(all));
  memcpy(&all, options, uv__min_size(options->size, sizeof(all)));
  return uv__session_start(&uv__metrics_session, &all);
}

int uvx_metrics_stop(void) {
  return uv__session_stop(&uv__metrics_session);
}
