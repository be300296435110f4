/* SPDX-License-Identifier: MIT */
/* Area poll: uv_poll_t on descriptors that the program itself reads, writes,
 * shuts down and closes. */
#include "areas.h"
#include "poll-world.h"
#include "trace.h"

enum { KIND_POLL = KIND_AREA };

#define POLLS 6
#define PAIRS 4
#define TRANSFER_MAX 4096

static uv_os_sock_t fds[2 * PAIRS];
static int fd_of[POLLS];              /* index into fds of an open handle */
static uv_os_sock_t number_of[POLLS]; /* the descriptor it was made for */

static uv_poll_t* poll_of(const struct object* object) {
  return (uv_poll_t*) object->handle;
}

static const char* fd_name(int index) {
  static const char* const names[] = { "f0", "f1", "f2", "f3",
                                       "f4", "f5", "f6", "f7" };
  return names[index];
}

static void on_poll(uv_poll_t* handle, int status, int events) {
  const struct object* o = handle->data;

  world_callback(handle->data, "poll_cb %s status=%s events=%d",
                 fd_name(fd_of[o->number]), trace_code(status), events);
}

static void on_poll2(uv_poll_t* handle, int status, int events) {
  world_callback(handle->data, "poll_cb2 status=%s events=%d",
                 trace_code(status), events);
}

/* A pair of descriptors: sockets, or a pipe in the last place. */
static void make_pair(int pair) {
  poll_pair(pair == PAIRS - 1, &fds[2 * pair]);
}

static void poll_init(const struct step* step) {
  struct object* o = object_pick(KIND_POLL, step->arg[0]);
  int index = (int) (step->arg[1] % (2 * PAIRS));

  if (o->life != GONE || fds[index] == POLL_NONE) {
    world_skip(step);
    return;
  }
  uv_poll_t* memory = object_memory(o, sizeof(*memory));
  int err = step->arg[2] % 2
                ? poll_init_number(world_loop(), memory, fds[index])
                : uv_poll_init_socket(world_loop(), memory, fds[index]);
  object_made(o, err);
  if (err == 0) {
    fd_of[o->number] = index;
    number_of[o->number] = fds[index];
  }
  world_say(step, o, err, "poll_init %s %s", o->name, fd_name(index));
}

/* Whether a handle other than `self` watches a descriptor. */
static int is_watched(int index, const struct object* self) {
  for (unsigned i = 0; i < POLLS; i++) {
    const struct object* o = object_pick(KIND_POLL, i);
    if (o != self && o->life == OPEN && fd_of[i] == index &&
        uv_is_active(o->handle))
      return 1;
  }
  return 0;
}

static int may_start(const struct object* o) {
  int index = fd_of[o->number];

  return o->life == OPEN && fds[index] == number_of[o->number] &&
         (poll_may_start_twice() || !is_watched(index, o));
}

static void poll_start(const struct step* step) {
  struct object* o = object_pick(KIND_POLL, step->arg[0]);
  static const int masks[] = { UV_READABLE,
                               UV_READABLE,
                               UV_READABLE,
                               UV_WRITABLE,
                               UV_READABLE | UV_WRITABLE,
                               UV_DISCONNECT,
                               UV_READABLE | UV_DISCONNECT,
                               UV_PRIORITIZED,
                               0,
                               15 };
  int mask = AT(masks, step->arg[1]);

  if (!may_start(o)) {
    world_skip(step);
    return;
  }
  int err = uv_poll_start(poll_of(o), mask,
                          step->arg[2] % 6 == 0 ? on_poll2 : on_poll);
  world_say(step, o, err, "poll_start %s %d", o->name, mask);
}

static void poll_stop(const struct step* step) {
  struct object* o = object_pick(KIND_POLL, step->arg[0]);

  if (o->life != OPEN)
    world_skip(step);
  else
    world_say(step, o, uv_poll_stop(poll_of(o)), "poll_stop %s", o->name);
}

/* uv_poll_init() on what cannot be polled. */
static void poll_bad(const struct step* step) {
  struct object* o = object_pick(KIND_POLL, step->arg[0]);
  int fd = -1;

  if (o->life != GONE) {
    world_skip(step);
    return;
  }
  if (step->arg[1] % 2)
    fd = poll_file_open();
  uv_poll_t* memory = object_memory(o, sizeof(*memory));
  int err = object_made(o, uv_poll_init(world_loop(), memory, fd));
  if (err == 0)
    object_close(o, 0);
  if (fd != -1)
    poll_file_close(fd);
  world_say(step, o, err, "poll_init %s", fd == -1 ? "-1" : "a file");
}

/* --- the descriptors ----------------------------------------------------- */

static char data[TRANSFER_MAX];

static void fd_write(const struct step* step) {
  int index = (int) (step->arg[0] % (2 * PAIRS));
  size_t size = 1 + step->arg[1] % 100;

  if (fds[index] == POLL_NONE) {
    world_skip(step);
    return;
  }
  long n = poll_send(fds[index], data, size);
  world_say(step, NULL, n, "write %s", fd_name(index));
}

static void fd_fill(const struct step* step) {
  int index = (int) (step->arg[0] % (2 * PAIRS));

  if (fds[index] == POLL_NONE) {
    world_skip(step);
    return;
  }
  while (poll_send(fds[index], data, sizeof(data)) > 0) {
    /* until it is full */
  }
  world_say(step, NULL, 0, "fill %s", fd_name(index));
}

static void fd_read(const struct step* step) {
  int index = (int) (step->arg[0] % (2 * PAIRS));
  size_t size = step->arg[1] % 2 ? sizeof(data) : 1 + step->arg[1] % 50;

  if (fds[index] == POLL_NONE) {
    world_skip(step);
    return;
  }
  long n = poll_receive(fds[index], data, size);
  world_say(step, NULL, n, "read %s", fd_name(index));
}

static void fd_drain(const struct step* step) {
  int index = (int) (step->arg[0] % (2 * PAIRS));

  if (fds[index] == POLL_NONE) {
    world_skip(step);
    return;
  }
  while (poll_receive(fds[index], data, sizeof(data)) > 0) {
    /* until it is empty */
  }
  world_say(step, NULL, 0, "drain %s", fd_name(index));
}

static void fd_shutdown(const struct step* step) {
  int index = (int) (step->arg[0] % (2 * PAIRS));
  int both = step->arg[1] % 2 == 0;

  if (fds[index] == POLL_NONE) {
    world_skip(step);
    return;
  }
  world_say(step, NULL, poll_shutdown(fds[index], both), "shutdown %s %d",
            fd_name(index), 1 + both);
}

/* Descriptors may be closed once nothing watches them. */
static void fd_close(const struct step* step) {
  int index = (int) (step->arg[0] % (2 * PAIRS));

  if (fds[index] == POLL_NONE || is_watched(index, NULL)) {
    world_skip(step);
    return;
  }
  poll_close(fds[index]);
  fds[index] = POLL_NONE;
  world_say(step, NULL, 0, "close %s", fd_name(index));
}

/* A new pair with the same numbers, while handles for the old ones may be
 * open. */
static void fd_reopen(const struct step* step) {
  int pair = (int) (step->arg[0] % PAIRS);
  uv_os_sock_t* both = &fds[2 * pair];
  uv_os_sock_t old[2] = { both[0], both[1] };

  if (is_watched(2 * pair, NULL) || is_watched(2 * pair + 1, NULL)) {
    world_skip(step);
    return;
  }
  make_pair(pair);
  for (int i = 0; i < 2; i++)
    if (old[i] != POLL_NONE)
      poll_replace(old[i], &both[i]);
  world_say(step, NULL, 0, "reopen %s %s", fd_name(2 * pair),
            fd_name(2 * pair + 1));
}

/* ------------------------------------------------------------------------- */

static void setup(void) {
  loop_setup();
  world_add(KIND_POLL, "o", POLLS);
}

static void begin(void) {
  for (int i = 0; i < PAIRS; i++)
    make_pair(i);
}

static const struct op ops[] = {
  { "poll_init", 70, poll_init, 0 },     { "poll_start", 110, poll_start, 0 },
  { "poll_stop", 25, poll_stop, 0 },     { "poll_bad", 3, poll_bad, 0 },
  { "fd_write", 60, fd_write, 0 },       { "fd_fill", 15, fd_fill, 0 },
  { "fd_read", 40, fd_read, 0 },         { "fd_drain", 15, fd_drain, 0 },
  { "fd_shutdown", 10, fd_shutdown, 0 }, { "fd_close", 15, fd_close, 0 },
  { "fd_reopen", 10, fd_reopen, 0 },     { NULL, 0, NULL, 0 },
};

const struct area area_poll = {
  .name = "poll",
  .ops = ops,
  .common = loop_few_ops,
  .setup = setup,
  .begin = begin,
};
