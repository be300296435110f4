/* SPDX-License-Identifier: MIT */
/* uvx_metrics_start() or UV_METRICS in the environment, a chore (chore.h) that
 * writes the file if there is to be one, uvx_metrics_stop() or the end of the
 * library.
 *
 * Each version is written to a temporary file, which is then renamed, so that a
 * reader finds a whole version. If the file cannot be written, one message says
 * so; metrics are still collected.
 *
 * Starting and stopping are serialised by a lock that a fork may find held.
 * Context: any; the file: who runs chores, one thread at a time.
 */
#include "observe/metrics/session.h"
#include "observe/chore.h"
#include "observe/hooks.h"
#include "observe/metrics/text.h"
#include "observe/trace/trace.h"
#include "os/private-file.h"
#include "util/env.h"
#include "variable.h"
#include "util/fork-lock.h"
#include "uv/ext.h"

#include <stdio.h>
#include <string.h>

#define PATH_SIZE 4096
#define INTERVAL_MS 1000

struct exporter {
  struct uv__symbols symbols;
  int has_failed; /* and said so */
  char path[PATH_SIZE];
  char draft[PATH_SIZE + 16]; /* what is renamed to it */
};

static struct uv__fork_lock lock;
static int is_on;               /* the lock's */
static int has_file;            /* the lock's: the chore is on */
static unsigned generation;     /* the lock's: of the process it is of */
static char pattern[PATH_SIZE]; /* the file's name as given, "" if there is
                                 * none */
static unsigned interval_ms;
static struct exporter exporter;
static int write_version(void);
static void run_exporter(void* arg);
static struct uv__chore chore = { .run = write_version, .entry = run_exporter };
static uv_once_t environment_once = UV_ONCE_INIT;

static int write_draft(struct exporter* e, const struct uv__strbuf* text) {
  uv_fs_t req;

  /* Left by a killed process. */
  (void) uv_fs_unlink(NULL, &req, e->draft, NULL);
  uv_fs_req_cleanup(&req);
  int fd = uv__private_file_os_open(e->draft, 1);
  if (fd < 0)
    return fd;
  int err = uv__private_file_os_write(fd, text->data, text->used);
  uv__private_file_os_close(fd);
  if (err == 0)
    err = uv_fs_rename(NULL, &req, e->draft, e->path, NULL);
  else
    (void) uv_fs_unlink(NULL, &req, e->draft, NULL);
  uv_fs_req_cleanup(&req);
  return err;
}

/* A version for each period, whatever the loop does: its age says that the
 * process runs. */
static int write_version(void) {
  struct exporter* e = &exporter;
  struct uv__strbuf text = { NULL, 0, 0, 0 };

  uv__metrics_text(&text, &e->symbols);
  int err = text.is_short ? UV_ENOMEM : write_draft(e, &text);
  uv__strbuf_free(&text);
  if (err != 0 && !e->has_failed) {
    e->has_failed = 1;
    uv__variable_refuse("UV_METRICS", e->path, uv_strerror(err));
  }
  return 1;
}

static void run_exporter(void* arg) {
  (void) arg;
  (void) uv_thread_setname("libuv-metrics");
  uv__chore_thread(&chore);
}

static int start_exporter(void) {
  struct exporter* e = &exporter;
  int has_pid;

  memset(e, 0, sizeof(*e));
  int err = uv__trace_expand(e->path, sizeof(e->path), pattern, &has_pid);
  if (err != 0)
    return err;
  int n = snprintf(e->draft, sizeof(e->draft), "%s.%d", e->path,
                   (int) uv_os_getpid());
  if (n < 0 || (size_t) n >= sizeof(e->draft))
    return UV_ENAMETOOLONG;
  uv__symbols_init(&e->symbols);
  (void) write_version();
  chore.period_ms = interval_ms;
  err = uv__chore_start(&chore);
  if (err != 0)
    uv__symbols_close(&e->symbols);
  has_file = err == 0;
  return err;
}

/* With the lock. */
static int start_metrics(void) {
  int err = uv__observe_init();

  if (err != 0)
    return err;
  generation = uv__observe_generation();
  if (pattern[0] != '\0')
    err = start_exporter();
  if (err != 0)
    return err;
  is_on = 1;
  uv__observe_start(UV__OBSERVE_METRICS);
  return 0;
}

static int are_metrics_of_parent(void) {
  return is_on && generation != uv__observe_generation();
}

/* With the lock. */
static void drop_metrics_of_parent(void) {
  if (!are_metrics_of_parent())
    return;
  is_on = 0;
  if (has_file)
    uv__symbols_close(&exporter.symbols);
  has_file = 0;
}

int uvx_metrics_start(const uvx_metrics_options_t* options) {
  if (options == NULL || options->size < sizeof(*options) ||
      options->interval_ms > UV__ENV_MS_MAX)
    return UV_EINVAL;
  const char* path = options->path != NULL ? options->path : "";
  if (strlen(path) >= sizeof(pattern))
    return UV_ENAMETOOLONG;

  int err = UV_EBUSY;
  (void) uv__fork_lock(&lock);
  drop_metrics_of_parent();
  if (!is_on) {
    memcpy(pattern, path, strlen(path) + 1);
    interval_ms =
        options->interval_ms != 0 ? options->interval_ms : INTERVAL_MS;
    err = start_metrics();
  }
  uv__fork_unlock(&lock);
  return err;
}

int uvx_metrics_stop(void) {
  int err = UV_ESRCH;

  (void) uv__fork_lock(&lock);
  drop_metrics_of_parent();
  if (is_on) {
    uv__observe_stop(UV__OBSERVE_METRICS);
    if (has_file) {
      uv__chore_stop(&chore);
      uv__symbols_close(&exporter.symbols);
    }
    has_file = 0;
    is_on = 0;
    err = 0;
  }
  uv__fork_unlock(&lock);
  return err;
}

void uv__metrics_shutdown(void) {
  if (is_on && !are_metrics_of_parent())
    (void) uvx_metrics_stop();
}

static void start_metrics_or_report(void) {
  int err = start_metrics();

  if (err != 0)
    uv__variable_refuse("UV_METRICS", pattern, uv_strerror(err));
}

static void read_environment(void) {
  char path[PATH_SIZE];
  unsigned ms = INTERVAL_MS;

  if (!uv__variable_get("UV_METRICS", path, sizeof(path)))
    return;
  (void) uv__variable_get_ms("UV_METRICS_INTERVAL", &ms);
  (void) uv__fork_lock(&lock);
  /* The program may have started them before its first loop. */
  if (!is_on) {
    memcpy(pattern, path, strlen(path) + 1);
    interval_ms = ms;
    start_metrics_or_report();
  }
  uv__fork_unlock(&lock);
}

/* Without a name of its own, a child would overwrite its parent's file. */
static void restart_metrics_in_child(void) {
  (void) uv__fork_lock(&lock);
  drop_metrics_of_parent();
  if (!is_on && (pattern[0] == '\0' || strstr(pattern, "%p") != NULL))
    start_metrics_or_report();
  uv__fork_unlock(&lock);
}

void uv__metrics_init_loop(void) {
  uv_once(&environment_once, read_environment);
  if (are_metrics_of_parent())
    restart_metrics_in_child();
}
