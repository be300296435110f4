/* SPDX-License-Identifier: MIT */
/* Area process: signals and child processes. A child is this program itself,
 * with --child. When one is meant to end, the step waits until it has. */
#include "areas.h"
#include "moment.h"
#include "process-world.h"
#include "trace.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KIND_PROCESS = KIND_AREA, KIND_SIGNAL, KIND_OUTPUT };

#define PROCESSES 4
#define SIGNALS 5

/* --- children ------------------------------------------------------------ */

/* What the child does: "exit" STATUS, "die" SIGNUM, "wait", "print" BYTES. */
int process_child(const char* what, const char* arg) {
  static char text[1000];
  int n = atoi(arg);

  if (strcmp(what, "die") == 0)
    raise(n);
  if (strcmp(what, "wait") == 0)
    child_wait();
  /* In one write: it is read only after the child has ended. */
  if (strcmp(what, "print") == 0 && write(STDOUT_FILENO, text, n) != n)
    return 1;
  return strcmp(what, "exit") == 0 ? n : 0;
}

static uv_process_t* process_of(const struct object* object) {
  return (uv_process_t*) object->handle;
}

static void on_exit_cb(uv_process_t* process,
                       int64_t exit_status,
                       int term_signal) {
  world_callback(process->data, "exit_cb status=%d signal=%d",
                 (int) exit_status, term_signal);
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char data[65536];

  (void) handle;
  *buf = uv_buf_init(data, suggested < sizeof(data) ? suggested : sizeof(data));
}

static void on_output(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  world_callback(stream->data, "read_cb %s", trace_code(nread));
}

static const struct child {
  const char* what;
  const char* arg;
  int ends;
} children[] = {
  { "exit", "0", 1 },  { "exit", "7", 1 },     { "die", "15", 1 },
  { "die", "9", 1 },   { "wait", "", 0 },      { "wait", "", 0 },
  { "print", "5", 1 }, { "print", "1000", 1 },
};

/* Standard output becomes a pipe that is read, if it is free. */
static struct object* output_pipe(const struct object* process) {
  struct object* o = object_pick(KIND_OUTPUT, (unsigned) process->number);

  if (o->life != GONE)
    return NULL;
  uv_pipe_t* memory = object_memory(o, sizeof(*memory));
  return object_made(o, uv_pipe_init(world_loop(), memory, 0)) == 0 ? o : NULL;
}

static void spawn(const struct step* step) {
  struct object* o = object_pick(KIND_PROCESS, step->arg[0]);
  const struct child* child = &AT(children, step->arg[1]);
  struct object* output = NULL;
  uv_stdio_container_t stdio[2];
  uv_process_options_t options;
  char* args[5] = { "differ", "--child", (char*) child->what,
                    (char*) child->arg, NULL };

  if (o->life != GONE) {
    world_skip(step);
    return;
  }
  memset(&options, 0, sizeof(options));
  memset(stdio, 0, sizeof(stdio));
  options.file = step->arg[2] % 12 == 0 ? "./missing" : child_program();
  options.cwd = step->arg[2] % 12 == 1 ? "missing" : NULL;
  options.args = args;
  options.exit_cb = step->arg[3] % 10 == 0 ? NULL : on_exit_cb;
  options.stdio = stdio;
  options.stdio_count = 2;
  if (step->arg[2] % 20 == 2)
    options.flags = UV_PROCESS_DETACHED;
  if (step->arg[2] % 3 == 0)
    output = output_pipe(o);
  if (output != NULL) {
    stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
    stdio[1].data.stream = (uv_stream_t*) output->handle;
  }
  uv_process_t* memory = object_memory(o, sizeof(*memory));
  memory->data = NULL;
  int err = uv_spawn(world_loop(), memory, &options);
  object_made(o, 0);
  if (err == 0 && child->ends)
    child_await(process_of(o));
  world_say(step, o, err, "spawn %s %s %s%s%s", o->name, child->what,
            child->arg, output != NULL ? " with output" : "",
            options.flags != 0 ? " detached" : "");
  if (err != 0)
    object_close(o, 1);
  else if (output != NULL)
    world_say(step, output,
              uv_read_start((uv_stream_t*) output->handle, on_alloc, on_output),
              "read_start %s", output->name);
}

static void process_kill(const struct step* step) {
  static const int kills[] = { SIGTERM, SIGKILL, SIGTERM, 0, 99 };
  struct object* o = object_pick(KIND_PROCESS, step->arg[0]);
  int signum = AT(kills, step->arg[1]);

  if (o->life != OPEN) {
    world_skip(step);
    return;
  }
  int err = uv_process_kill(process_of(o), signum);
  if (err == 0 && (signum == SIGTERM || signum == SIGKILL))
    child_await(process_of(o));
  world_say(step, o, err, "process_kill %s %d, pid %d", o->name, signum,
            uv_process_get_pid(process_of(o)) != 0);
}

static void kill_pid(const struct step* step) {
  static const int signals[] = { 0, 99, -1 };
  int signum = AT(signals, step->arg[0]);

  world_say(step, NULL, uv_kill(uv_os_getpid(), signum), "kill %d", signum);
}

/* --- signals ------------------------------------------------------------- */

static int signum_of[SIGNALS]; /* that a handle was last started for */
static int is_spent[SIGNALS];  /* oneshot, and the signal was raised: another
                                * one may end the process */
static int is_oneshot[SIGNALS];

static void on_signal(uv_signal_t* handle, int signum) {
  world_callback(handle->data, "signal_cb %d", signum);
}

static struct object* signal_handle(const struct step* step) {
  struct object* o = object_pick(KIND_SIGNAL, step->arg[0]);

  if (o->life == GONE) {
    uv_signal_t* memory = object_memory(o, sizeof(*memory));
    object_made(o, uv_signal_init(world_loop(), memory));
  }
  return o->life == OPEN ? o : NULL;
}

static void signal_start(const struct step* step) {
  struct object* o = signal_handle(step);
  int is_once = step->arg[2] % 3 == 0;
  int signum = signums[step->arg[1] % SIGNUMS];
  int err;

  if (o == NULL) {
    world_skip(step);
    return;
  }
  if (step->arg[2] % 15 == 1)
    signum = bad_signums[step->arg[1] % BAD_SIGNUMS];
  /* With a signal of the old number on its way libuv stops the handle: a known
   * difference. */
  if (uv_is_active(o->handle) && signum_of[o->number] != signum &&
      (is_once || is_oneshot[o->number])) {
    world_skip(step);
    return;
  }
  if (is_once)
    err = uv_signal_start_oneshot((uv_signal_t*) o->handle, on_signal, signum);
  else
    err = uv_signal_start((uv_signal_t*) o->handle, on_signal, signum);
  signum_of[o->number] = signum;
  is_oneshot[o->number] = is_once;
  is_spent[o->number] = 0;
  world_say(step, o, err, "signal_start%s %s %d", is_once ? "_oneshot" : "",
            o->name, signum);
}

static void signal_stop(const struct step* step) {
  struct object* o = signal_handle(step);

  if (o == NULL)
    world_skip(step);
  else
    world_say(step, o, uv_signal_stop((uv_signal_t*) o->handle),
              "signal_stop %s", o->name);
}

static int is_handled(int signum) {
  for (unsigned i = 0; i < SIGNALS; i++) {
    const struct object* o = object_pick(KIND_SIGNAL, i);
    if (o->life == OPEN && uv_is_active(o->handle) && signum_of[i] == signum &&
        !is_spent[i])
      return 1;
  }
  return signal_is_harmless(signum);
}

static void raise_signal(const struct step* step) {
  int signum = signums[step->arg[0] % SIGNUMS];

  if (!signals_can_be_sent || !is_handled(signum)) {
    world_skip(step);
    return;
  }
  for (int i = 0; i < SIGNALS; i++)
    if (signum_of[i] == signum && is_oneshot[i])
      is_spent[i] = 1;
  signal_send(signum);
  world_say(step, NULL, 0, "raise %d", signum);
}

/* ------------------------------------------------------------------------- */

static void setup(void) {
  loop_setup();
  world_add(KIND_PROCESS, "r", PROCESSES);
  world_add(KIND_SIGNAL, "g", SIGNALS);
  world_add(KIND_OUTPUT, "k", PROCESSES);
}

static void on_first_exit(uv_process_t* process, int64_t status, int signum) {
  (void) status;
  (void) signum;
  uv_close((uv_handle_t*) process, NULL);
}

/* A library may probe the system with a child of its own at the first spawn.
 * Programs do not test that, so do it up front. */
static void begin(void) {
  static uv_process_t process;
  char* args[] = { "differ", "--child", "exit", "0", NULL };
  uv_process_options_t options;

  memset(&options, 0, sizeof(options));
  options.file = child_program();
  options.args = args;
  options.exit_cb = on_first_exit;
  if (uv_spawn(world_loop(), &process, &options) != 0)
    abort();
  child_await(&process);
  uv_run(world_loop(), UV_RUN_DEFAULT);
}

static void end(void) {
  for (unsigned i = 0; i < PROCESSES; i++) {
    struct object* o = object_pick(KIND_PROCESS, i);
    if (o->life == OPEN && uv_is_active(o->handle))
      uv_process_kill(process_of(o), SIGKILL);
  }
}

static const struct op ops[] = {
  { "spawn", 60, spawn, 0 },
  { "process_kill", 25, process_kill, 0 },
  { "kill", 3, kill_pid, 0 },
  { "signal_start", 80, signal_start, 0 },
  { "signal_stop", 20, signal_stop, 0 },
  { "raise", 80, raise_signal, 0 },
  { NULL, 0, NULL, 0 },
};

const struct area area_process = {
  .name = "process",
  .ops = ops,
  .common = loop_few_ops,
  .more = process_more_ops,
  .setup = setup,
  .begin = begin,
  .end = end,
};
