/* SPDX-License-Identifier: MIT */
/* A watched tree: what exists is scanned by the start, what is made and moved
 * later at the end of a batch, and what was exchanged by workers as well.
 * Directories that could not be read for want of memory or descriptors are
 * tried again with the next event, so there is one in every tick. */
#define _GNU_SOURCE
#include "scenarios.h"
#include "uv/ext.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TICK_MS 1
#define TICKS_MAX 12 /* per phase */

enum phase { BEFORE, MADE, EXCHANGED, LAST };

static const char* const files[] = { "new/sub/f", "b/x/g", "b/h",
                                     "new/sub/x/i" };
enum { FILES = sizeof(files) / sizeof(files[0]) };

static uv_fs_event_t watch;
static enum phase phase;
static int ticks;
static int was_named[FILES];
static int ntold;

static int remove_entry(const char* path,
                        const struct stat* st,
                        int type,
                        struct FTW* ftw) {
  (void) st;
  (void) type;
  (void) ftw;
  return remove(path);
}

static void remove_tree(void) {
  struct stat st;

  if (stat("root", &st) == 0)
    SC_CHECK(nftw("root", remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
}

static void make_file(const char* path) {
  char full[64];

  snprintf(full, sizeof(full), "root/%s", path);
  int fd = open(full, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  SC_CHECK(fd >= 0);
  close(fd);
}

static int are_named(int first, int end) {
  while (first < end && was_named[first])
    first++;
  return first == end;
}

/* Nothing was refused, or one allocation: everything was named. A refused watch
 * is reported, unless it was tried again. */
static void check_promises(void) {
  int all = are_named(0, FILES);

  SC_CHECK(ntold <= 1);
  if (fault_count() == 0)
    SC_CHECK(all && ntold == 0);
  if (fault_count() == 1 && strcmp(fault_last(), "malloc") == 0)
    SC_CHECK(all && ntold == 0);
  if (fault_count() == 1 && strcmp(fault_last(), "inotify_add_watch") == 0 &&
      fault_last_error() == ENOSPC)
    SC_CHECK(all || ntold == 1);
}

static void on_tree_event(uv_fs_event_t* handle,
                          const char* name,
                          int events,
                          int status) {
  (void) handle;
  (void) events;
  if (status == UV_ENOSPC && name != NULL) {
    sc.err = sc.err != 0 ? sc.err : status;
    ntold++; /* one directory is not watched; the rest goes on */
    return;
  }
  if (status != 0) {
    sc_fail(status);
    return;
  }
  for (int i = 0; i < FILES && name != NULL; i++)
    was_named[i] |= strcmp(name, files[i]) == 0;
  if (name != NULL && strcmp(name, "last") == 0 && !sc.goal) {
    check_promises();
    sc.goal = 1;
    sc_close_all();
  }
}

static void make_and_move(void) {
  SC_CHECK(mkdir("root/new", 0700) == 0 && mkdir("root/new/sub", 0700) == 0);
  make_file(files[0]);
  SC_CHECK(rename("root/a", "root/b") == 0);
  make_file(files[1]);
}

/* Which was which is found out by reading both again. */
static void exchange(void) {
  if (syscall(SYS_renameat2, AT_FDCWD, "root/b", AT_FDCWD, "root/new/sub", 2) !=
      0) { /* not on this file system */
    SC_CHECK(rename("root/b", "root/t") == 0);
    SC_CHECK(rename("root/new/sub", "root/b") == 0);
    SC_CHECK(rename("root/t", "root/new/sub") == 0);
  }
  make_file(files[2]);
  make_file(files[3]);
}

static void on_tick(uv_timer_t* timer) {
  (void) timer;
  make_file("tick");
  SC_CHECK(unlink("root/tick") == 0);
  ticks++;
  if (phase == BEFORE) {
    make_and_move();
  } else if (phase == MADE && (ticks > TICKS_MAX || are_named(0, 2))) {
    exchange();
  } else if (phase == EXCHANGED && (ticks > TICKS_MAX || are_named(0, FILES))) {
    make_file("last");
  } else {
    return;
  }
  phase++;
  ticks = 0;
}

void scenario_tree(void) {
  static uv_timer_t timer;

  phase = BEFORE;
  ticks = 0;
  ntold = 0;
  memset(was_named, 0, sizeof(was_named));
  remove_tree();
  SC_CHECK(mkdir("root", 0700) == 0 && mkdir("root/a", 0700) == 0);
  SC_CHECK(mkdir("root/a/x", 0700) == 0 && mkdir("root/d", 0700) == 0);
  if (sc_try(uv_fs_event_init(&sc.loop, &watch)) == 0 &&
      sc_try(uv_fs_event_start(&watch, on_tree_event, "root",
                               UV_FS_EVENT_RECURSIVE)) == 0 &&
      sc_try(uv_timer_init(&sc.loop, &timer)) == 0)
    sc_try(uv_timer_start(&timer, on_tick, TICK_MS, TICK_MS));
  sc_run();
  remove_tree();
}
