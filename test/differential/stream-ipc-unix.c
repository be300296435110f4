/* SPDX-License-Identifier: MIT */
/* Area ipc: handles sent over pipes. And more of area stream, on Unix: pipe
 * names with a length, and what only newer libraries have. */
#include "stream-world.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- sending handles ----------------------------------------------------- */

struct write_req {
  uv_write_t req;
  struct object* object;
  int is_counted; /* the library has uv_write_nwritten() */
  char* data;
};

static void on_write(uv_write_t* req, int status) {
  struct write_req* write = (struct write_req*) req;
  struct object* o = write->object;
  long written = write->is_counted ? (long) uv_write_nwritten(req) : -1;

  free(write->data);
  free(write);
  world_callback(o, "write2_cb %s written=%ld", trace_code(status), written);
}

/* An open stream or server. */
static struct object* handle_to_send(unsigned arg) {
  struct object* o = arg % 4 == 0 ? object_pick(KIND_SERVER, arg / 4)
                                  : object_pick(KIND_STREAM, arg / 4);
  return o->life == OPEN ? o : NULL;
}

/* Mostly a pipe that carries handles. */
static struct object* carrier_pick(unsigned arg) {
  for (unsigned i = 0; i < STREAMS && arg % 8 != 0; i++) {
    struct object* o = stream_pick(arg / 8 + i);
    if (o != NULL && o->handle->type == UV_NAMED_PIPE &&
        ((uv_pipe_t*) o->handle)->ipc)
      return o;
  }
  return stream_pick(arg / 8);
}

static void write_with_handle(const struct step* step) {
  struct object* o = carrier_pick(step->arg[0]);
  struct object* sent = handle_to_send(step->arg[1]);
  uv_buf_t buf = uv_buf_init("0123456789", 1 + step->arg[2] % 10);
  char what[64];

  if (o == NULL || sent == NULL || sent == o) {
    world_skip(step);
    return;
  }
  snprintf(what, sizeof(what), "%s %u with %s",
           step->arg[3] % 3 ? "write2" : "try_write2", (unsigned) buf.len,
           sent->name);
  if (step->arg[3] % 3 == 0) {
    stream_say(step, o, uv_try_write2(stream_of(o), &buf, 1, stream_of(sent)),
               what);
    return;
  }
  struct write_req* write = calloc(1, sizeof(*write));
  write->object = o;
  int err =
      uv_write2(&write->req, stream_of(o), &buf, 1, stream_of(sent), on_write);
  if (err != 0)
    free(write);
  stream_say(step, o, err, what);
}

static void write_counted(const struct step* step) {
  struct object* o = stream_pick(step->arg[0]);
  static const unsigned sizes[] = { 0, 1, 100, 70000, 300000 };
  unsigned size = AT(sizes, step->arg[1]);

  if (o == NULL) {
    world_skip(step);
    return;
  }
  struct write_req* write = calloc(1, sizeof(*write));
  write->object = o;
  write->is_counted = 1;
  write->data = calloc(1, size + 1);
  uv_buf_t buf = uv_buf_init(write->data, size);
  int err = uv_write(&write->req, stream_of(o), &buf, 1, on_write);
  size_t written = err == 0 ? uv_write_nwritten(&write->req) : 0;
  if (err != 0) {
    free(write->data);
    free(write);
  }
  char what[64];
  snprintf(what, sizeof(what), "write %u written=%zu", size, written);
  stream_say(step, o, err, what);
}

/* Both ends read, so that what is sent arrives. */
static void pair_ipc(const struct step* step) {
  struct step same = *step;

  same.arg[1] = PAIR_IPC;
  stream_pair(&same);
  for (unsigned i = 0; i < 2; i++) {
    struct object* o = object_pick(KIND_STREAM, (step->arg[0] & ~1u) + i);
    if (o->life == OPEN && step->arg[2] >> i & 3)
      stream_say(step, o, stream_read(o, step->arg[3]), "read_start");
  }
}

/* --- receiving handles --------------------------------------------------- */

static struct object* pipe_pick(unsigned arg) {
  struct object* o = stream_pick(arg);
  return o != NULL && o->handle->type == UV_NAMED_PIPE ? o : NULL;
}

static void pending(const struct step* step) {
  struct object* o = pipe_pick(step->arg[0]);
  char what[64];

  if (o == NULL) {
    world_skip(step);
    return;
  }
  uv_pipe_t* pipe = (uv_pipe_t*) o->handle;
  uv_pipe_pending_instances(pipe, 3);
  snprintf(what, sizeof(what), "pending %d type %d",
           uv_pipe_pending_count(pipe), (int) uv_pipe_pending_type(pipe));
  stream_say(step, o, 0, what);
}

/* A pipe with handles to accept, if there is one, or any. */
static struct object* pending_pick(unsigned arg) {
  for (unsigned i = 0; i < STREAMS; i++) {
    struct object* o = pipe_pick(arg + i);
    if (o != NULL && uv_pipe_pending_count((uv_pipe_t*) o->handle) > 0)
      return o;
  }
  return pipe_pick(arg);
}

static void accept_pending(const struct step* step) {
  struct object* o = pending_pick(step->arg[0]);
  struct object* client = object_pick(KIND_STREAM, step->arg[1]);
  int is_tcp = step->arg[2] % 2;

  for (unsigned i = 1; i < STREAMS && client->life != GONE; i++)
    client = object_pick(KIND_STREAM, step->arg[1] + i);
  if (o == NULL || client->life != GONE) {
    world_skip(step);
    return;
  }
  if (uv_pipe_pending_count((uv_pipe_t*) o->handle) > 0)
    is_tcp = uv_pipe_pending_type((uv_pipe_t*) o->handle) == UV_TCP;
  stream_make(client, is_tcp, 0);
  stream_say(step, client, uv_accept(stream_of(o), stream_of(client)),
             is_tcp ? "accept pending tcp" : "accept pending pipe");
}

/* --- names with a length ------------------------------------------------- */

struct name {
  const char* what;
  char text[200];
  size_t length;
};

static void name_fill(struct name* name, const char* text, size_t length) {
  memset(name->text, 'n', sizeof(name->text));
  memcpy(name->text, text, strlen(text));
  name->length = length;
}

/* The namespace of abstract names is common to all processes. */
static void name_abstract(struct name* name) {
  int n = snprintf(name->text + 1, sizeof(name->text) - 1, "differ-%d",
                   (int) getpid());

  name->text[0] = '\0';
  name->length = 1 + (size_t) n;
}

static void name_make(struct name* name, unsigned arg) {
  static const char* const kinds[] = { "plain", "nowhere", "abstract",  "empty",
                                       "long",  "longest", "with a NUL" };
  unsigned kind = arg % 7;

  name->what = kinds[kind];
  switch (kind) {
  case 0:
    name_fill(name, "plain", 5);
    break;
  case 1:
    name_fill(name, "nowhere", 7);
    break;
  case 2:
    name_abstract(name);
    break;
  case 3: /* libuv reads the first byte, whatever the length */
    name_fill(name, "", 0);
    name->text[0] = '\0';
    break;
  case 4:
    name_fill(name, "long", 150);
    break;
  case 5:
    name_fill(name, "longest", 107 + arg / 7 % 3);
    break;
  default:
    name_fill(name, "null", 5);
    name->text[2] = '\0';
    break;
  }
}

static void on_connect(uv_connect_t* req, int status) {
  struct object* o = req->data;

  free(req);
  world_callback(o, "connect2_cb %s", trace_code(status));
}

static unsigned flags_of(unsigned arg) {
  static const unsigned flags[] = {
    0, 0, UV_PIPE_NO_TRUNCATE, UV_PIPE_NO_TRUNCATE, 2, 255
  };
  return AT(flags, arg);
}

/* A new pipe handle for the step, and the name it asks for; NULL if the chosen
 * object is in use. */
static struct object* pipe_for_name(const struct step* step,
                                    struct name* name) {
  struct object* o = object_pick(KIND_STREAM, step->arg[0]);

  if (o->life != GONE) {
    world_skip(step);
    return NULL;
  }
  stream_make(o, 0, 0);
  name_make(name, step->arg[1]);
  return o;
}

static void say_name(const struct step* step,
                     struct object* o,
                     int err,
                     const char* call,
                     const struct name* name) {
  char what[64];

  snprintf(what, sizeof(what), "%s %s flags=%u", call, name->what,
           flags_of(step->arg[2]));
  stream_say(step, o, err, what);
}

static void bind_name(const struct step* step) {
  struct name name;
  struct object* o = pipe_for_name(step, &name);

  if (o == NULL)
    return;
  int err = uv_pipe_bind2((uv_pipe_t*) o->handle, name.text, name.length,
                          flags_of(step->arg[2]));
  say_name(step, o, err, "bind2", &name);
}

static void connect_name(const struct step* step) {
  struct name name;
  struct object* o = pipe_for_name(step, &name);

  if (o == NULL)
    return;
  uv_connect_t* req = malloc(sizeof(*req));
  req->data = o;
  int err = uv_pipe_connect2(req, (uv_pipe_t*) o->handle, name.text,
                             name.length, flags_of(step->arg[2]), on_connect);
  if (err != 0)
    free(req);
  say_name(step, o, err, "connect2", &name);
}

/* --- options ------------------------------------------------------------- */

static void tcp_init_ex(const struct step* step) {
  static const unsigned flags[] = { AF_UNSPEC, AF_INET, AF_INET6, AF_UNIX,
                                    0x100,     0x1ff,   AF_INET };
  struct object* o = object_pick(KIND_STREAM, step->arg[0]);
  unsigned flag = AT(flags, step->arg[1]);
  uv_os_fd_t fd;
  char what[64];

  if (o->life != GONE) {
    world_skip(step);
    return;
  }
  uv_tcp_t* memory = object_memory(o, sizeof(*memory));
  int err = object_made(o, uv_tcp_init_ex(world_loop(), memory, flag));
  snprintf(what, sizeof(what), "tcp_init_ex %#x fileno %s", flag,
           err == 0 ? trace_code(uv_fileno(o->handle, &fd)) : "-");
  stream_say(step, o, err, what);
}

static void keepalive_ex(const struct step* step) {
  static const unsigned values[] = { 0, 1, 5, 60, 32767, 32768, 4294967295u };
  struct object* o = stream_pick(step->arg[0]);
  unsigned idle = AT(values, step->arg[1]);
  unsigned interval = AT(values, step->arg[2]);
  unsigned count = AT(values, step->arg[3]);
  char what[64];

  if (o == NULL || o->handle->type != UV_TCP) {
    world_skip(step);
    return;
  }
  int on = step->arg[0] % 3 != 0;
  snprintf(what, sizeof(what), "keepalive_ex %d %u %u %u", on, idle, interval,
           count);
  stream_say(
      step, o,
      uv_tcp_keepalive_ex((uv_tcp_t*) o->handle, on, idle, interval, count),
      what);
}

/* On and off: a write to a peer that does not read would never return. */
static void set_blocking(const struct step* step) {
  struct object* o = stream_pick(step->arg[0]);

  if (o == NULL) {
    world_skip(step);
    return;
  }
  int on = uv_stream_set_blocking(stream_of(o), 1);
  int off = uv_stream_set_blocking(stream_of(o), 0);
  stream_say(step, o, on, off == on ? "blocking on, off" : "blocking differs");
}

static const struct op ipc_ops[] = {
  { "pair_ipc", 200, pair_ipc, 0 },
  { "write2", 500, write_with_handle, 0 },
  { "pending", 50, pending, 0 },
  { "accept_pending", 300, accept_pending, 0 },
  { NULL, 0, NULL, 0 },
};

const struct area area_ipc = {
  .name = "ipc",
  .ops = ipc_ops,
  .common = loop_few_ops,
  .more = stream_ops,
  .setup = stream_setup,
  .begin = stream_begin,
};

const struct op stream_more_ops[] = {
  { "write2", 40, write_with_handle, 0 },
  { "write_counted", 15, write_counted, SINCE_1_53 },
  { "pending", 15, pending, 0 },
  { "accept_pending", 25, accept_pending, 0 },
  { "bind2", 10, bind_name, SINCE_1_46 },
  { "connect2", 10, connect_name, SINCE_1_46 },
  { "tcp_init_ex", 6, tcp_init_ex, 0 },
  { "keepalive_ex", 5, keepalive_ex, SINCE_1_53 },
  { "set_blocking", 5, set_blocking, 0 },
  { NULL, 0, NULL, 0 },
};
