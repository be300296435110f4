/* SPDX-License-Identifier: MIT */
/* Area watch: fs_event and fs_poll handles on a small directory that the
 * program changes. */
#include "areas.h"
#include "moment.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KIND_EVENT = KIND_AREA, KIND_POLL };

#define EVENTS 5
#define POLLS 3

static const char* const names[] = { ".", "a", "a", "b", "d", "d/x", "gone" };
static const char* const files[] = { "a", "a", "b", "d/x", "c" };

static void on_event(uv_fs_event_t* handle,
                     const char* name,
                     int events,
                     int status) {
  world_callback(handle->data, "fs_event_cb %s events=%d status=%s",
                 name == NULL ? "NULL" : name, events, trace_code(status));
}

static void on_poll(uv_fs_poll_t* handle,
                    int status,
                    const uv_stat_t* before,
                    const uv_stat_t* now) {
  int is_dir = (now->st_mode & S_IFMT) == S_IFDIR;

  world_callback(handle->data, "fs_poll_cb %s size %d to %d",
                 trace_code(status), is_dir ? 0 : (int) before->st_size,
                 is_dir ? 0 : (int) now->st_size);
}

/* --- fs_event ------------------------------------------------------------ */

static struct object* event_handle(const struct step* step) {
  struct object* o = object_pick(KIND_EVENT, step->arg[0]);

  if (o->life == GONE) {
    uv_fs_event_t* memory = object_memory(o, sizeof(*memory));
    object_made(o, uv_fs_event_init(world_loop(), memory));
  }
  return o->life == OPEN ? o : NULL;
}

static void event_start(const struct step* step) {
  struct object* o = event_handle(step);
  const char* name = AT(names, step->arg[1]);
  int is_recursive = step->arg[2] % 8 == 0;

  if (o == NULL)
    world_skip(step);
  else
    world_say(step, o,
              uv_fs_event_start((uv_fs_event_t*) o->handle, on_event, name,
                                is_recursive ? UV_FS_EVENT_RECURSIVE : 0),
              "fs_event_start %s %s%s", o->name, name,
              is_recursive ? " recursive" : "");
}

static void event_stop(const struct step* step) {
  struct object* o = event_handle(step);

  if (o == NULL)
    world_skip(step);
  else
    world_say(step, o, uv_fs_event_stop((uv_fs_event_t*) o->handle),
              "fs_event_stop %s", o->name);
}

static void event_path(const struct step* step) {
  struct object* o = event_handle(step);
  char path[16];
  size_t size = 1 + step->arg[1] % sizeof(path);

  if (o == NULL) {
    world_skip(step);
    return;
  }
  int err = uv_fs_event_getpath((uv_fs_event_t*) o->handle, path, &size);
  world_say(step, o, err, "fs_event_getpath %s size=%zu %s", o->name, size,
            err == 0 ? path : "");
}

/* --- fs_poll ------------------------------------------------------------- */

static struct object* poll_handle(const struct step* step) {
  struct object* o = object_pick(KIND_POLL, step->arg[0]);

  if (o->life == GONE) {
    uv_fs_poll_t* memory = object_memory(o, sizeof(*memory));
    object_made(o, uv_fs_poll_init(world_loop(), memory));
  }
  return o->life == OPEN ? o : NULL;
}

static void poll_start(const struct step* step) {
  static const unsigned intervals[] = { 5, 10, 100 };
  struct object* o = poll_handle(step);
  const char* name = AT(names, step->arg[1]);
  unsigned interval = AT(intervals, step->arg[2]);

  if (o == NULL) {
    world_skip(step);
    return;
  }
  int err =
      uv_fs_poll_start((uv_fs_poll_t*) o->handle, on_poll, name, interval);
  moment_settle();
  world_say(step, o, err, "fs_poll_start %s %s %u", o->name, name, interval);
}

static void poll_stop(const struct step* step) {
  struct object* o = poll_handle(step);

  if (o == NULL)
    world_skip(step);
  else
    world_say(step, o, uv_fs_poll_stop((uv_fs_poll_t*) o->handle),
              "fs_poll_stop %s", o->name);
}

static void poll_path(const struct step* step) {
  struct object* o = poll_handle(step);
  char path[16];
  size_t size = 1 + step->arg[1] % sizeof(path);

  if (o == NULL) {
    world_skip(step);
    return;
  }
  int err = uv_fs_poll_getpath((uv_fs_poll_t*) o->handle, path, &size);
  world_say(step, o, err, "fs_poll_getpath %s size=%zu %s", o->name, size,
            err == 0 ? path : "");
}

/* --- changes ------------------------------------------------------------- */

static int change_append(const char* name) {
  int fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  int err;

  if (fd < 0)
    return -errno;
  err = write(fd, "xyz", 3) == 3 ? 0 : -errno;
  close(fd);
  return err;
}
static int change_unlink(const char* name) {
  return unlink(name) == 0 ? 0 : -errno;
}
static int change_mode(const char* name) {
  static mode_t mode = 0600;
  mode ^= 0044;
  return chmod(name, mode | 0700) == 0 ? 0 : -errno;
}
static int change_name(const char* name) {
  return rename(name, "b") == 0 ? 0 : -errno;
}
static int change_directory(const char* name) {
  (void) name;
  if (mkdir("d", 0755) == 0)
    return 1;
  return rmdir("d") == 0 ? 0 : -errno;
}
static int change_read(const char* name) {
  int fd = open(name, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return -errno;
  close(fd);
  return 0;
}

static const struct change {
  const char* name;
  int (*make)(const char* name);
} changes[] = {
  { "append", change_append },
  { "append", change_append },
  { "append", change_append },
  { "unlink", change_unlink },
  { "chmod", change_mode },
  { "rename to b", change_name },
  { "directory d", change_directory },
  { "open", change_read },
};

/* Waits until the clock of file times advances, so that a changed file always
 * has a new time, however fast the program is. */
static void wait_for_stamp(void) {
  struct timespec pause = { 0, 200000 };
  struct timespec before;
  struct timespec now;

  clock_gettime(CLOCK_REALTIME_COARSE, &before);
  do {
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
  } while (now.tv_sec == before.tv_sec && now.tv_nsec == before.tv_nsec);
}

static void change(const struct step* step) {
  const struct change* what = &AT(changes, step->arg[0]);
  const char* name = AT(files, step->arg[1]);

  if (step->arg[2] % 10 == 0)
    name = ".";
  if (what->make == change_append && strcmp(name, ".") == 0)
    name = "a";
  /* A stat that is already running sees the old state. */
  moment_settle();
  wait_for_stamp();
  world_say(step, NULL, what->make(name), "%s %s", what->name, name);
}

/* ------------------------------------------------------------------------- */

static void setup(void) {
  /* One thread: the stats of two handles finish in the order of submission. */
  setenv("UV_THREADPOOL_SIZE", "1", 1);
  loop_setup();
  world_add(KIND_EVENT, "v", EVENTS);
  world_add(KIND_POLL, "y", POLLS);
}

static void begin(void) {
  change_append("a");
  change_directory(NULL);
}

static const struct op ops[] = {
  { "fs_event_start", 70, event_start, 0 },
  { "fs_event_stop", 15, event_stop, 0 },
  { "fs_event_getpath", 8, event_path, SINCE_1_50 },
  { "fs_poll_start", 40, poll_start, 0 },
  { "fs_poll_stop", 10, poll_stop, 0 },
  { "fs_poll_getpath", 8, poll_path, SINCE_1_50 },
  { "change", 130, change, 0 },
  { NULL, 0, NULL, 0 },
};

const struct area area_watch = {
  .name = "watch",
  .ops = ops,
  .common = loop_few_ops,
  .setup = setup,
  .begin = begin,
};
