/* SPDX-License-Identifier: MIT */
#include "world.h"
#include "moment.h"
#include "trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Programs may run for ever (a repeating timer): they are stopped after so many
 * callbacks. */
#define CALLBACKS_MAX 200
#define CALLBACKS_PER_RUN 24
#define DEPTH_MAX 4
#define DRAIN_RUNS 20
#define RUBBISH 0xa5

struct orphan { /* memory of a handle that was closed without a callback */
  struct orphan* next;
  void* memory;
};

static uv_loop_t loop;
static uv_async_t rescue;
static struct object objects[OBJECTS_MAX];
static int nobjects;
static const struct program* program;
static struct orphan* orphans;
static int ncallbacks;
static int nrun_callbacks; /* of the current uv_run() */
static int depth;          /* of callbacks */
static int tells_timeout;  /* in callbacks, too */
static int ending;

uv_loop_t* world_loop(void) {
  return &loop;
}

int world_depth(void) {
  return depth;
}

int world_is_ending(void) {
  return ending;
}

int world_count(void) {
  return nobjects;
}

void world_add(int kind, const char* letter, int count) {
  for (int i = 0; i < count; i++) {
    struct object* object = &objects[nobjects];

    if (nobjects == OBJECTS_MAX)
      abort();
    snprintf(object->name, sizeof(object->name), "%s%d", letter, i);
    object->kind = kind;
    object->number = i;
    object->index = nobjects++;
  }
}

struct object* object_pick(int kind, unsigned arg) {
  int first = 0;
  int count = 0;

  while (objects[first].kind != kind)
    first++;
  while (first + count < nobjects && objects[first + count].kind == kind)
    count++;
  return &objects[first + (int) (arg % (unsigned) count)];
}

struct object* object_pick_open(unsigned arg) {
  for (int i = 0; i < nobjects; i++) {
    struct object* object = &objects[((int) arg + i) % nobjects];
    if (object->life == OPEN && object->handle != NULL)
      return object;
  }
  return NULL;
}

void* object_memory(struct object* object, size_t size) {
  object->handle = malloc(size);
  memset(object->handle, RUBBISH, size);
  return object->handle;
}

int object_made(struct object* object, int err) {
  if (err == 0) {
    object->life = OPEN;
    object->handle->data = object;
  } else {
    free(object->handle);
    object->handle = NULL;
  }
  return err;
}

/* ------------------------------------------------------------------------- */

static void say_state(const struct object* object) {
  if (object != NULL && object->handle != NULL && object->life != GONE)
    trace_add(" | %s %c%c%c", object->name,
              uv_is_active(object->handle) ? 'a' : '-',
              uv_has_ref(object->handle) ? 'r' : '-',
              uv_is_closing(object->handle) ? 'c' : '-');
  trace_add(" | alive=%d", uv_loop_alive(&loop));
  if (depth == 0 || tells_timeout)
    trace_add(" timeout=%d", uv_backend_timeout(&loop));
  trace_add(" now=%lld", moment_since(uv_now(&loop)));
  trace_end();
}

static void say(const char* format, va_list args) {
  char text[512];

  vsnprintf(text, sizeof(text), format, args);
  trace_add("%s", text);
}

void world_say(const struct step* step,
               const struct object* object,
               long result,
               const char* format,
               ...) {
  va_list args;

  trace_add("[%d] ", step->index);
  va_start(args, format);
  say(format, args);
  va_end(args);
  trace_add(" -> %s", trace_code(result));
  say_state(object);
}

void world_skip(const struct step* step) {
  trace_add("[%d] %s: not now", step->index, step->op->name);
  trace_end();
}

int world_run_loop(uv_run_mode mode) {
  int result;

  nrun_callbacks = 0;
  trace_indent(1);
  result = uv_run(&loop, mode);
  moment_settle();
  trace_indent(-1);
  return result;
}

static void run_reactions(struct object* object) {
  int more = 1;

  trace_indent(1);
  while (more && object->reaction < program->count) {
    const struct step* step = &program->steps[object->reaction++];

    if (step->where == object->index) {
      step->op->run(step);
      more = step->more;
    }
  }
  trace_indent(-1);
}

void world_callback(struct object* object, const char* format, ...) {
  va_list args;

  moment_progress();
  depth++;
  va_start(args, format);
  trace_add("%s ", object->name);
  say(format, args);
  va_end(args);
  say_state(object);
  if (++ncallbacks == CALLBACKS_MAX)
    ending = 1;
  if (ending || ++nrun_callbacks > CALLBACKS_PER_RUN)
    uv_stop(&loop);
  else if (depth <= DEPTH_MAX)
    run_reactions(object);
  /* A library may check for finished work without a system call, which virtual
   * time would not notice. */
  moment_settle();
  depth--;
}

/* ------------------------------------------------------------------------- */

static void on_close(uv_handle_t* handle) {
  struct object* object = handle->data;

  world_callback(object, "close_cb");
  object->life = GONE;
  object->handle = NULL;
  free(handle);
  if (object->gone != NULL)
    object->gone(object);
}

void object_close(struct object* object, int with_callback) {
  if (with_callback) {
    object->life = CLOSING;
    uv_close(object->handle, on_close);
    return;
  }
  struct orphan* orphan = malloc(sizeof(*orphan));
  orphan->memory = object->handle;
  orphan->next = orphans;
  orphans = orphan;
  uv_close(object->handle, NULL);
  object->life = GONE;
  object->handle = NULL;
  if (object->gone != NULL)
    object->gone(object);
}

int object_reset(struct object* object) {
  int err = uv_tcp_close_reset((uv_tcp_t*) object->handle, on_close);

  if (err == 0)
    object->life = CLOSING;
  return err;
}

static void free_orphans(void) {
  while (orphans != NULL) {
    struct orphan* next = orphans->next;

    free(orphans->memory);
    free(orphans);
    orphans = next;
  }
}

static void on_rescue(uv_async_t* handle) {
  if (moment_is_virtual()) {
    trace_add("rescued");
    trace_end();
  }
  uv_stop(handle->loop);
}

/* Takes the role of another thread that stops the loop when it sleeps forever.
 */
static void on_idle(void) {
  if (moment_is_virtual()) {
    trace_add("sleeps for ever");
    trace_end();
  }
  uv_async_send(&rescue);
}

static void close_all(void) {
  for (int i = 0; i < nobjects; i++)
    if (objects[i].life == OPEN && objects[i].handle != NULL)
      object_close(&objects[i], 1);
}

/* Callbacks stop the loop, so one run may not suffice. */
static void wait_for_handles(void) {
  for (int i = 0; i < DRAIN_RUNS; i++)
    if (!world_run_loop(UV_RUN_DEFAULT))
      return;
  trace_add("handles never close");
  trace_end();
  _Exit(1);
}

static void drain(const struct area* area) {
  ending = 1;
  trace_add("the end");
  trace_end();
  if (area->end != NULL)
    area->end();
  close_all();
  wait_for_handles();
  moment_stop();
  uv_close((uv_handle_t*) &rescue, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  trace_add("loop_close -> %s", trace_code(uv_loop_close(&loop)));
  trace_end();
  free_orphans();
  if (area->cleanup != NULL)
    area->cleanup();
}

static void open_loop(void) {
  uv_loop_init(&loop);
  uv_async_init(&loop, &rescue, on_rescue);
  rescue.data = NULL;
  /* Until the first poll the descriptor that wakes the loop is not registered,
   * and uv_backend_timeout() is 0 with libuv. Programs do not test that. */
  uv_run(&loop, UV_RUN_NOWAIT);
  uv_unref((uv_handle_t*) &rescue);
}

void world_run(const struct area* area, const struct program* what) {
  program = what;
  tells_timeout = area->tells_timeout;
  if (moment_is_virtual())
    moment_start(on_idle);
  open_loop();
  if (!moment_is_virtual())
    moment_start(on_idle);
  if (area->begin != NULL)
    area->begin();
  for (int i = 0; i < program->count && !ending; i++)
    if (program->steps[i].where == IN_MAIN)
      program->steps[i].op->run(&program->steps[i]);
  drain(area);
}
