/* SPDX-License-Identifier: MIT */
/* Making the streams of area stream: socket pairs, pipes, unix and TCP
 * connections over loopback. */
#include "stream-world.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACKLOG 4

static const char* const pair_names[] = { "unix", "tcp", "pipe", "ipc",
                                          "packet" };

static char server_name[64];           /* of l0, while it listens */
static struct sockaddr_in server_addr; /* of l1 */
static int auto_accept[SERVERS];

int stream_make(struct object* object, int is_tcp, int ipc) {
  int err;

  if (is_tcp)
    err = uv_tcp_init(world_loop(), object_memory(object, sizeof(uv_tcp_t)));
  else
    err = uv_pipe_init(world_loop(), object_memory(object, sizeof(uv_pipe_t)),
                       ipc);
  return object_made(object, err);
}

static int open_stream(struct object* object, const struct pair_end* end) {
  if (object->handle->type == UV_TCP)
    return uv_tcp_open((uv_tcp_t*) object->handle, end->sock);
  return uv_pipe_open((uv_pipe_t*) object->handle, end->file);
}

void stream_pair(const struct step* step) {
  struct object* a = object_pick(KIND_STREAM, step->arg[0] & ~1u);
  struct object* b = object_pick(KIND_STREAM, step->arg[0] | 1u);
  enum pair_kind kind = step->arg[1] % PAIR_KINDS;
  struct pair_end ends[2];

  if (a->life != GONE || b->life != GONE || pair_make(kind, ends) != 0) {
    world_skip(step);
    return;
  }
  stream_make(a, kind == PAIR_TCP, kind == PAIR_IPC);
  stream_make(b, kind == PAIR_TCP, kind == PAIR_IPC);
  int err = open_stream(a, &ends[0]);
  world_say(step, a, err, "pair %s %s %s: first", pair_names[kind], a->name,
            b->name);
  stream_say(step, b, open_stream(b, &ends[1]), "pair: second");
}

void stream_init(const struct step* step) {
  struct object* o = object_pick(KIND_STREAM, step->arg[0]);
  int is_tcp = step->arg[1] % 2;

  if (o->life != GONE) {
    world_skip(step);
    return;
  }
  stream_say(step, o, stream_make(o, is_tcp, 0),
             is_tcp ? "tcp_init" : "pipe_init");
}

/* A stream that has a descriptor is given another. */
void stream_open_again(const struct step* step) {
  struct object* o = stream_pick(step->arg[0]);
  enum pair_kind kind =
      o != NULL && o->handle->type == UV_TCP ? PAIR_TCP : PAIR_UNIX;
  struct pair_end ends[2];

  if (o == NULL || pair_make(kind, ends) != 0) {
    world_skip(step);
    return;
  }
  pair_drop(kind, &ends[1]);
  int err = open_stream(o, &ends[0]);
  if (err != 0)
    pair_drop(kind, &ends[0]);
  stream_say(step, o, err, "open again");
}

/* --- servers ------------------------------------------------------------- */

static struct object* free_stream(void) {
  for (unsigned i = 0; i < STREAMS; i++) {
    struct object* o = object_pick(KIND_STREAM, i);
    if (o->life == GONE)
      return o;
  }
  return NULL;
}

static int accept_into(struct object* server, struct object* client) {
  stream_make(client, server->handle->type == UV_TCP, 0);
  return uv_accept(stream_of(server), stream_of(client));
}

static void on_connection(uv_stream_t* handle, int status) {
  struct object* server = handle->data;
  struct object* client = free_stream();

  world_callback(server, "connection_cb %s", trace_code(status));
  if (server->life != OPEN || !auto_accept[server->number] || client == NULL ||
      client->life != GONE)
    return;
  trace_add("%s accept %s -> ", server->name, client->name);
  trace_add("%s", trace_code(accept_into(server, client)));
  trace_end();
}

static int bind_unix(struct object* server) {
  static int serial;

  pipe_name_make(server_name, sizeof(server_name), serial++);
  return uv_pipe_bind((uv_pipe_t*) server->handle, server_name);
}

static int bind_tcp(struct object* server) {
  struct sockaddr_in addr;
  int length = sizeof(server_addr);
  int err;

  uv_ip4_addr("127.0.0.1", 0, &addr);
  err = uv_tcp_bind((uv_tcp_t*) server->handle, (const struct sockaddr*) &addr,
                    0);
  if (err == 0)
    err = uv_tcp_getsockname((uv_tcp_t*) server->handle,
                             (struct sockaddr*) &server_addr, &length);
  return err;
}

void server_listen(const struct step* step) {
  struct object* o = object_pick(KIND_SERVER, step->arg[0]);
  int is_tcp = o->number == 1;
  int err;

  if (o->life != GONE) {
    world_skip(step);
    return;
  }
  stream_make(o, is_tcp, 0);
  err = is_tcp ? bind_tcp(o) : bind_unix(o);
  if (err != 0)
    world_say(step, o, err, "bind %s", o->name);
  auto_accept[o->number] = step->arg[1] % 4 != 0;
  err = uv_listen(stream_of(o), BACKLOG, on_connection);
  world_say(step, o, err, "listen %s auto=%d", o->name, auto_accept[o->number]);
}

void server_accept(const struct step* step) {
  struct object* server = object_pick(KIND_SERVER, step->arg[0]);
  struct object* client = object_pick(KIND_STREAM, step->arg[1]);

  if (server->life != OPEN || client->life != GONE) {
    world_skip(step);
    return;
  }
  stream_say(step, client, accept_into(server, client), "accept");
}

/* --- clients ------------------------------------------------------------- */

static void on_connect(uv_connect_t* req, int status) {
  struct object* o = req->data;

  free(req);
  world_callback(o, "connect_cb %s", trace_code(status));
}

static int connect_unix(uv_connect_t* req, struct object* o, int nowhere) {
  const char* name =
      nowhere || server_name[0] == '\0' ? "nowhere" : server_name;

  uv_pipe_connect(req, (uv_pipe_t*) o->handle, name, on_connect);
  return 0;
}

static int connect_tcp(uv_connect_t* req, struct object* o, int nowhere) {
  struct sockaddr_in addr = server_addr;

  if (nowhere || server_addr.sin_port == 0)
    uv_ip4_addr("127.0.0.1", 1, &addr);
  return uv_tcp_connect(req, (uv_tcp_t*) o->handle,
                        (const struct sockaddr*) &addr, on_connect);
}

void stream_connect(const struct step* step) {
  struct object* o = object_pick(KIND_STREAM, step->arg[0]);
  int is_tcp = step->arg[1] % 2;
  int nowhere = step->arg[2] % 6 == 0;
  uv_connect_t* req;
  int err;

  if (o->life == CLOSING || (o->life == OPEN && step->arg[3] % 8 != 0)) {
    world_skip(step);
    return;
  }
  if (o->life == GONE)
    stream_make(o, is_tcp, 0);
  is_tcp = o->handle->type == UV_TCP;
  req = malloc(sizeof(*req));
  req->data = o;
  err = is_tcp ? connect_tcp(req, o, nowhere) : connect_unix(req, o, nowhere);
  if (err != 0)
    free(req);
  stream_say(step, o, err, is_tcp ? "connect tcp" : "connect unix");
}
