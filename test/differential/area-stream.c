/* SPDX-License-Identifier: MIT */
/* Area stream: reading, writing, shutting down, over what stream-make.c
 * makes. */
#include "moment.h"
#include "stream-world.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long the kernel may take to deliver over loopback. */
#define PATIENCE_MS 2
#define WRITES_MAX 16 /* that can be cancelled */

static const unsigned write_sizes[] = { 0,     1,     1,     2,    5,
                                        10,    100,   100,   1000, 4096,
                                        65536, 70000, 300000 };
static const unsigned read_sizes[] = { 65536, 65536, 65536, 1000, 16, 1, 0 };

struct write_req {
  uv_write_t req;
  struct object* object;
  int number;
  char* data;
};

static unsigned read_size[STREAMS + SERVERS];
static struct write_req* writes[WRITES_MAX];
static int nwrites;

uv_stream_t* stream_of(const struct object* object) {
  return (uv_stream_t*) object->handle;
}

struct object* stream_pick(unsigned arg) {
  struct object* o = object_pick(KIND_STREAM, arg);
  return o->life == OPEN ? o : NULL;
}

void stream_say(const struct step* step,
                struct object* object,
                long result,
                const char* what) {
  uv_stream_t* stream = stream_of(object);

  if (stream == NULL)
    world_say(step, object, result, "%s %s", what, object->name);
  else
    world_say(step, object, result, "%s %s q=%zu%s%s", what, object->name,
              uv_stream_get_write_queue_size(stream),
              uv_is_readable(stream) ? " readable" : "",
              uv_is_writable(stream) ? " writable" : "");
}

/* --- reading ------------------------------------------------------------- */

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  const struct object* o = handle->data;
  unsigned size = read_size[o->number];

  trace_add("%s alloc %zu", o->name, suggested);
  trace_end();
  *buf = uv_buf_init(size == 0 ? NULL : malloc(size), size);
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  unsigned sum = 0;

  for (ssize_t i = 0; i < nread; i++)
    sum = sum * 31 + (unsigned char) buf->base[i];
  free(buf->base);
  world_callback(stream->data, "read_cb %s sum=%u", trace_code(nread), sum);
}

int stream_read(struct object* object, unsigned arg) {
  read_size[object->number] = AT(read_sizes, arg);
  return uv_read_start(stream_of(object), on_alloc, on_read);
}

static void read_start(const struct step* step) {
  struct object* o = object_pick(KIND_STREAM, step->arg[0]);

  if (o->life == GONE) {
    world_skip(step);
    return;
  }
  stream_say(step, o, stream_read(o, step->arg[1]), "read_start");
}

static void read_stop(const struct step* step) {
  struct object* o = object_pick(KIND_STREAM, step->arg[0]);

  if (o->life == GONE)
    world_skip(step);
  else
    stream_say(step, o, uv_read_stop(stream_of(o)), "read_stop");
}

/* --- writing ------------------------------------------------------------- */

/* Up to three buffers in one block of memory. */
static char* make_buffers(const struct step* step,
                          uv_buf_t bufs[3],
                          unsigned* nbufs) {
  static unsigned char serial;
  unsigned total = 0;
  char* data;

  *nbufs = 1 + (step->arg[1] % 5 == 0) + (step->arg[1] % 11 == 0);
  for (unsigned i = 0; i < *nbufs; i++) {
    bufs[i].len = AT(write_sizes, step->arg[2] >> (4 * i));
    total += (unsigned) bufs[i].len;
  }
  data = malloc(total + 1);
  for (unsigned i = 0, at = 0; i < *nbufs; i++) {
    bufs[i].base = data + at;
    memset(bufs[i].base, serial++, bufs[i].len);
    at += (unsigned) bufs[i].len;
  }
  return data;
}

static const char* describe(const char* what,
                            const uv_buf_t* bufs,
                            unsigned nbufs) {
  static char text[128];
  int at = snprintf(text, sizeof(text), "%s", what);

  for (unsigned i = 0; i < nbufs; i++)
    at += snprintf(text + at, sizeof(text) - (size_t) at, " %zu", bufs[i].len);
  return text;
}

static void forget_write(struct write_req* write) {
  if (write->number < WRITES_MAX)
    writes[write->number] = NULL;
  free(write->data);
  free(write);
}

static void on_write(uv_write_t* req, int status) {
  struct write_req* write = (struct write_req*) req;
  struct object* o = write->object;
  int number = write->number;

  forget_write(write);
  if (o->handle != NULL && o->life != GONE)
    world_callback(o, "write_cb #%d %s q=%zu", number, trace_code(status),
                   uv_stream_get_write_queue_size(stream_of(o)));
  else
    world_callback(o, "write_cb #%d %s", number, trace_code(status));
}

static void stream_write(const struct step* step) {
  struct object* o = stream_pick(step->arg[0]);
  uv_buf_t bufs[3];
  unsigned nbufs;
  char what[160];

  if (o == NULL || nwrites > 60) {
    world_skip(step);
    return;
  }
  struct write_req* write = calloc(1, sizeof(*write));
  write->object = o;
  write->number = nwrites++;
  write->data = make_buffers(step, bufs, &nbufs);
  if (write->number < WRITES_MAX)
    writes[write->number] = write;
  snprintf(what, sizeof(what), "%s #%d", describe("write", bufs, nbufs),
           write->number);
  int err = uv_write(&write->req, stream_of(o), bufs, nbufs, on_write);
  if (err != 0)
    forget_write(write);
  stream_say(step, o, err, what);
}

static void stream_try_write(const struct step* step) {
  struct object* o = stream_pick(step->arg[0]);
  uv_buf_t bufs[3];
  unsigned nbufs;

  if (o == NULL) {
    world_skip(step);
    return;
  }
  char* data = make_buffers(step, bufs, &nbufs);
  int result = uv_try_write(stream_of(o), bufs, nbufs);
  stream_say(step, o, result, describe("try_write", bufs, nbufs));
  free(data);
}

static void write_cancel(const struct step* step) {
  struct write_req* write = writes[step->arg[0] % WRITES_MAX];

  if (write == NULL) {
    world_skip(step);
    return;
  }
  struct object* o = write->object;
  int number = write->number;
  int err = uv_cancel((uv_req_t*) &write->req);
  world_say(step, o, err, "cancel write #%d", number);
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  struct object* o = req->data;

  free(req);
  world_callback(o, "shutdown_cb %s", trace_code(status));
}

static void stream_shutdown(const struct step* step) {
  struct object* o = stream_pick(step->arg[0]);
  uv_shutdown_t* req;

  if (o == NULL) {
    world_skip(step);
    return;
  }
  req = malloc(sizeof(*req));
  req->data = o;
  int err = uv_shutdown(req, stream_of(o), on_shutdown);
  if (err != 0)
    free(req);
  stream_say(step, o, err, "shutdown");
}

/* --- the rest ------------------------------------------------------------ */

static void stream_state(const struct step* step) {
  struct object* o = stream_pick(step->arg[0]);
  uv_os_fd_t fd;

  if (o == NULL)
    world_skip(step);
  else
    stream_say(step, o, uv_fileno(o->handle, &fd), "fileno");
}

static void tcp_option(const struct step* step) {
  struct object* o = stream_pick(step->arg[0]);
  int on = step->arg[2] % 2;
  uv_tcp_t* tcp;

  if (o == NULL || o->handle->type != UV_TCP) {
    world_skip(step);
    return;
  }
  tcp = (uv_tcp_t*) o->handle;
  if (step->arg[1] % 3 == 0)
    stream_say(step, o, uv_tcp_nodelay(tcp, on), "nodelay");
  else if (step->arg[1] % 3 == 1)
    stream_say(step, o, uv_tcp_keepalive(tcp, on, step->arg[3] % 100),
               "keepalive");
  else
    stream_say(step, o, uv_tcp_simultaneous_accepts(tcp, on), "accepts");
}

static void stream_names(const struct step* step) {
  struct object* o = stream_pick(step->arg[0]);
  struct sockaddr_storage addr;
  int length = sizeof(addr);
  char name[64 + 1];
  size_t size = 1 + step->arg[2] % (sizeof(name) - 1);
  int peer = step->arg[1] % 2;
  int err;

  if (o == NULL) {
    world_skip(step);
  } else if (o->handle->type == UV_TCP) {
    uv_tcp_t* tcp = (uv_tcp_t*) o->handle;
    err = peer ? uv_tcp_getpeername(tcp, (struct sockaddr*) &addr, &length)
               : uv_tcp_getsockname(tcp, (struct sockaddr*) &addr, &length);
    world_say(step, o, err, "tcp name %s peer=%d length=%d", o->name, peer,
              err == 0 ? length : 0);
  } else {
    uv_pipe_t* pipe = (uv_pipe_t*) o->handle;
    size_t before = size;
    err = peer ? uv_pipe_getpeername(pipe, name, &size)
               : uv_pipe_getsockname(pipe, name, &size);
    if (err != 0)
      name[0] = '\0';
    else
      name[size] = '\0';
    world_say(step, o, err, "pipe name %s peer=%d room=%zu size=%zu %s",
              o->name, peer, before, size, pipe_name_tail(name));
  }
}

static void stream_buffer_size(const struct step* step) {
  struct object* o = stream_pick(step->arg[0]);
  int value = step->arg[2] % 3 == 0 ? 0 : 4096;
  int err;

  if (o == NULL) {
    world_skip(step);
    return;
  }
  if (step->arg[1] % 2)
    err = uv_send_buffer_size(o->handle, &value);
  else
    err = uv_recv_buffer_size(o->handle, &value);
  stream_say(step, o, err, "buffer size");
}

static void tcp_reset(const struct step* step) {
  struct object* o = stream_pick(step->arg[0]);

  if (o == NULL || o->handle->type != UV_TCP)
    world_skip(step);
  else
    world_say(step, o, object_reset(o), "close_reset %s", o->name);
}

static void pipe_chmod(const struct step* step) {
  struct object* o = step->arg[1] % 2 ? stream_pick(step->arg[0])
                                      : object_pick(KIND_SERVER, 0);

  if (o == NULL || o->life != OPEN || o->handle->type != UV_NAMED_PIPE)
    world_skip(step);
  else
    world_say(step, o,
              uv_pipe_chmod((uv_pipe_t*) o->handle, (int) (step->arg[2] % 5)),
              "pipe_chmod %s %u", o->name, step->arg[2] % 5);
}

/* ------------------------------------------------------------------------- */

void stream_setup(void) {
  loop_setup();
  world_add(KIND_STREAM, "s", STREAMS);
  world_add(KIND_SERVER, "l", SERVERS);
}

void stream_begin(void) {
  moment_patience(PATIENCE_MS);
}

const struct op stream_ops[] = {
  { "pair", 60, stream_pair, 0 },
  { "init", 6, stream_init, 0 },
  { "open_again", 4, stream_open_again, 0 },
  { "listen", 30, server_listen, 0 },
  { "accept", 12, server_accept, 0 },
  { "connect", 40, stream_connect, 0 },
  { "read_start", 80, read_start, 0 },
  { "read_stop", 20, read_stop, 0 },
  { "write", 100, stream_write, 0 },
  { "try_write", 25, stream_try_write, 0 },
  { "write_cancel", 8, write_cancel, SINCE_1_53 },
  { "shutdown", 25, stream_shutdown, 0 },
  { "state", 8, stream_state, 0 },
  { "tcp_option", 6, tcp_option, 0 },
  { "names", 8, stream_names, 0 },
  { "buffer_size", 3, stream_buffer_size, 0 },
  { "tcp_reset", 5, tcp_reset, 0 },
  { "pipe_chmod", 3, pipe_chmod, 0 },
  { NULL, 0, NULL, 0 },
};

const struct area area_stream = {
  .name = "stream",
  .ops = stream_ops,
  .common = loop_few_ops,
  .more = stream_more_ops,
  .setup = stream_setup,
  .begin = stream_begin,
};
