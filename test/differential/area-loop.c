/* SPDX-License-Identifier: MIT */
/* Area loop: timers, idle, prepare and check handles, asyncs, references,
 * closing and initialising again, the modes of uv_run(). Other areas use some
 * of these operations as well. */
#include "areas.h"
#include "moment.h"
#include "trace.h"

#include <string.h>

#define TIMERS 5
#define WATCHERS 3
#define ASYNCS 3

static const uint64_t timeouts[] = { 0,
                                     0,
                                     0,
                                     1,
                                     1,
                                     2,
                                     3,
                                     5,
                                     5,
                                     7,
                                     10,
                                     20,
                                     50,
                                     100,
                                     1000,
                                     (uint64_t) -1,
                                     (uint64_t) -2,
                                     (uint64_t) 1 << 62,
                                     4294967296u };
static const uint64_t repeats[] = {
  0, 0, 0, 0, 1, 2, 5, 10, 100, (uint64_t) -1
};
static const unsigned spans[] = { 0, 1, 1, 2, 3, 5, 10, 30 };

/* --- timers -------------------------------------------------------------- */

/* When a timer is due, or -1 for never: that depends on when the machine was
 * started. */
static long long due_in(const uv_timer_t* handle) {
  uint64_t due = uv_timer_get_due_in(handle);

  return due > INT64_MAX ? -1 : (long long) due;
}

static void on_timer(uv_timer_t* handle) {
  world_callback(handle->data, "timer_cb due=%lld", due_in(handle));
}

static void on_timer2(uv_timer_t* handle) {
  world_callback(handle->data, "timer_cb2");
}

/* uv_timer_start() is allowed while the timer closes. */
static uv_timer_t* timer(const struct step* step, struct object** object) {
  *object = object_pick(KIND_TIMER, step->arg[0]);
  if ((*object)->life == GONE) {
    uv_timer_t* memory = object_memory(*object, sizeof(*memory));
    object_made(*object, uv_timer_init(world_loop(), memory));
  }
  return (uv_timer_t*) (*object)->handle;
}

static void timer_start(const struct step* step) {
  struct object* o;
  uv_timer_t* t = timer(step, &o);
  uint64_t timeout = AT(timeouts, step->arg[1]);
  uint64_t repeat = AT(repeats, step->arg[2]);
  int other = step->arg[3] % 8 == 0;
  int none = step->arg[3] % 50 == 1;
  uv_timer_cb cb = none ? NULL : other ? on_timer2 : on_timer;
  int err = uv_timer_start(t, cb, timeout, repeat);

  world_say(step, o, err, "timer_start %s %llu %llu%s", o->name,
            (unsigned long long) timeout, (unsigned long long) repeat,
            none ? " NULL" : "");
}

static void timer_stop(const struct step* step) {
  struct object* o;
  uv_timer_t* t = timer(step, &o);
  world_say(step, o, uv_timer_stop(t), "timer_stop %s", o->name);
}

static void timer_again(const struct step* step) {
  struct object* o;
  uv_timer_t* t = timer(step, &o);
  world_say(step, o, uv_timer_again(t), "timer_again %s", o->name);
}

static void timer_repeat(const struct step* step) {
  struct object* o;
  uv_timer_t* t = timer(step, &o);
  uint64_t repeat = AT(repeats, step->arg[1]);

  uv_timer_set_repeat(t, repeat);
  world_say(step, o, 0, "timer_set_repeat %s %llu", o->name,
            (unsigned long long) uv_timer_get_repeat(t));
}

static void timer_due(const struct step* step) {
  struct object* o;
  uv_timer_t* t = timer(step, &o);
  world_say(step, o, 0, "timer_get_due_in %s: %lld, repeat %llu", o->name,
            due_in(t), (unsigned long long) uv_timer_get_repeat(t));
}

/* --- idle, prepare, check ------------------------------------------------ */

enum callback { NO_CALLBACK, FIRST_CALLBACK, OTHER_CALLBACK };

struct watcher_class {
  const char* name;
  int kind;
  size_t size;
  int (*init)(void* handle);
  int (*start)(void* handle, enum callback which);
  int (*stop)(void* handle);
};

#define WATCHER_CLASS(type, KIND)                                              \
 static void type##_cb(uv_##type##_t* handle) {                                \
  world_callback(handle->data, #type "_cb");                                   \
 }                                                                             \
 static void type##_cb2(uv_##type##_t* handle) {                               \
  world_callback(handle->data, #type "_cb2");                                  \
 }                                                                             \
 static int type##_init(void* handle) {                                        \
  return uv_##type##_init(world_loop(), handle);                               \
 }                                                                             \
 static int type##_start(void* handle, enum callback which) {                  \
  static const uv_##type##_cb cbs[] = { NULL, type##_cb, type##_cb2 };         \
  return uv_##type##_start(handle, cbs[which]);                                \
 }                                                                             \
 static int type##_stop(void* handle) {                                        \
  return uv_##type##_stop(handle);                                             \
 }                                                                             \
 static const struct watcher_class type##_class = {                            \
   #type, KIND, sizeof(uv_##type##_t), type##_init, type##_start, type##_stop  \
 }

WATCHER_CLASS(idle, KIND_IDLE);
WATCHER_CLASS(prepare, KIND_PREPARE);
WATCHER_CLASS(check, KIND_CHECK);

static const struct watcher_class* const watchers[] = { &idle_class,
                                                        &prepare_class,
                                                        &check_class };

/* NULL while it closes. */
static struct object* watcher(const struct watcher_class* class, unsigned arg) {
  struct object* o = object_pick(class->kind, arg);

  if (o->life == GONE)
    object_made(o, class->init(object_memory(o, class->size)));
  return o->life == OPEN ? o : NULL;
}

static void watcher_start(const struct step* step) {
  const struct watcher_class* class = AT(watchers, step->arg[1]);
  struct object* o = watcher(class, step->arg[0]);
  enum callback which = FIRST_CALLBACK;

  if (step->arg[2] % 50 == 1)
    which = NO_CALLBACK;
  else if (step->arg[2] % 8 == 0)
    which = OTHER_CALLBACK;
  if (o == NULL)
    world_skip(step);
  else
    world_say(step, o, class->start(o->handle, which), "%s_start %s%s",
              class->name, o->name, which == NO_CALLBACK ? " NULL" : "");
}

static void watcher_stop(const struct step* step) {
  const struct watcher_class* class = AT(watchers, step->arg[1]);
  struct object* o = watcher(class, step->arg[0]);

  if (o == NULL)
    world_skip(step);
  else
    world_say(step, o, class->stop(o->handle), "%s_stop %s", class->name,
              o->name);
}

/* --- async --------------------------------------------------------------- */

static void on_async(uv_async_t* handle) {
  world_callback(handle->data, "async_cb");
}

static void async_make(const struct step* step) {
  struct object* o = object_pick(KIND_ASYNC, step->arg[0]);

  if (o->life != GONE) {
    world_skip(step);
    return;
  }
  uv_async_t* memory = object_memory(o, sizeof(*memory));
  int err = uv_async_init(world_loop(), memory,
                          step->arg[1] % 30 == 0 ? NULL : on_async);
  world_say(step, o, object_made(o, err), "async_init %s", o->name);
}

static void async_send(const struct step* step) {
  struct object* o = object_pick(KIND_ASYNC, step->arg[0]);

  if (o->life == GONE)
    async_make(step);
  world_say(step, o, uv_async_send((uv_async_t*) o->handle), "async_send %s",
            o->name);
}

/* --- any handle ---------------------------------------------------------- */

static void handle_close(const struct step* step) {
  struct object* o = object_pick_open(step->arg[0]);
  char name[sizeof(o->name)];

  if (o == NULL) {
    world_skip(step);
    return;
  }
  memcpy(name, o->name, sizeof(name));
  object_close(o, step->arg[1] % 8 != 0);
  world_say(step, o, 0, "close %s", name);
}

static void handle_ref(const struct step* step) {
  struct object* o = object_pick_open(step->arg[0]);

  if (o == NULL) {
    world_skip(step);
    return;
  }
  uv_ref(o->handle);
  world_say(step, o, 0, "ref %s", o->name);
}

static void handle_unref(const struct step* step) {
  struct object* o = object_pick_open(step->arg[0]);

  if (o == NULL) {
    world_skip(step);
    return;
  }
  uv_unref(o->handle);
  world_say(step, o, 0, "unref %s", o->name);
}

/* --- the loop ------------------------------------------------------------ */

static const char* const mode_names[] = { "default", "once", "nowait" };

static void run(const struct step* step) {
  int mode = (int) (step->arg[0] % 3);

  if (world_depth() != 0) {
    world_skip(step);
    return;
  }
  trace_add("[%d] run %s", step->index, mode_names[mode]);
  trace_end();
  int result = world_run_loop((uv_run_mode) mode);
  world_say(step, NULL, result, "ran %s", mode_names[mode]);
}

static void stop(const struct step* step) {
  uv_stop(world_loop());
  world_say(step, NULL, 0, "stop");
}

static void update_time(const struct step* step) {
  uv_update_time(world_loop());
  world_say(step, NULL, 0, "update_time");
}

static void pass(const struct step* step) {
  unsigned ms = AT(spans, step->arg[0]);
  moment_pass(ms);
  world_say(step, NULL, 0, "%u ms pass", ms);
}

static void close_busy(const struct step* step) {
  /* Never 0: the handle that wakes the loop is open. */
  world_say(step, NULL, uv_loop_close(world_loop()), "loop_close");
}

static void on_walk(uv_handle_t* handle, void* arg) {
  const struct object* object = handle->data;

  (void) arg;
  if (object != NULL)
    trace_add("%s ", object->name);
}

static void walk(const struct step* step) {
  trace_add("walk: ");
  uv_walk(world_loop(), on_walk, NULL);
  trace_end();
  world_say(step, NULL, 0, "walked");
}

static void metrics(const struct step* step) {
  uv_metrics_t info;
  int err = uv_metrics_info(world_loop(), &info);
  world_say(step, NULL, err, "metrics loops=%llu events=%llu waiting=%llu",
            (unsigned long long) info.loop_count,
            (unsigned long long) info.events,
            (unsigned long long) info.events_waiting);
}

static void idle_time(const struct step* step) {
  if (step->arg[0] % 4 == 0) {
    int err = uv_loop_configure(world_loop(), UV_METRICS_IDLE_TIME);
    world_say(step, NULL, err, "configure idle time");
  } else {
    uint64_t ns = uv_metrics_idle_time(world_loop());
    world_say(step, NULL, 0, "idle time %llu us",
              (unsigned long long) (ns / 1000));
  }
}

/* ------------------------------------------------------------------------- */

void loop_setup(void) {
  world_add(KIND_TIMER, "t", TIMERS);
  world_add(KIND_IDLE, "i", WATCHERS);
  world_add(KIND_PREPARE, "p", WATCHERS);
  world_add(KIND_CHECK, "c", WATCHERS);
  world_add(KIND_ASYNC, "a", ASYNCS);
}

const struct op loop_ops[] = {
  { "timer_start", 160, timer_start, 0 },
  { "timer_stop", 30, timer_stop, 0 },
  { "timer_again", 30, timer_again, 0 },
  { "timer_repeat", 20, timer_repeat, 0 },
  { "timer_due", 15, timer_due, 0 },
  { "watcher_start", 110, watcher_start, 0 },
  { "watcher_stop", 80, watcher_stop, 0 },
  { "async_init", 20, async_make, 0 },
  { "async_send", 70, async_send, 0 },
  { "close", 70, handle_close, 0 },
  { "ref", 30, handle_ref, 0 },
  { "unref", 60, handle_unref, 0 },
  { "run", 160, run, 0 },
  { "stop", 25, stop, 0 },
  { "update_time", 15, update_time, 0 },
  { "pass", 40, pass, 0 },
  { "loop_close", 5, close_busy, 0 },
  { "walk", 10, walk, 0 },
  { "metrics", 10, metrics, SINCE_1_45 },
  { "idle_time", 8, idle_time, 0 },
  { NULL, 0, NULL, 0 },
};

const struct op loop_few_ops[] = {
  { "timer_start", 40, timer_start, 0 },
  { "timer_stop", 5, timer_stop, 0 },
  { "watcher_start", 16, watcher_start, 0 },
  { "watcher_stop", 10, watcher_stop, 0 },
  { "async_send", 10, async_send, 0 },
  { "close", 30, handle_close, 0 },
  { "ref", 6, handle_ref, 0 },
  { "unref", 12, handle_unref, 0 },
  { "run", 120, run, 0 },
  { "stop", 5, stop, 0 },
  { "pass", 5, pass, 0 },
  { "walk", 2, walk, 0 },
  { NULL, 0, NULL, 0 },
};

const struct area area_loop = {
  .name = "loop",
  .ops = loop_ops,
  .tells_timeout = 1,
  .setup = loop_setup,
};
