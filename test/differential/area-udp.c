/* SPDX-License-Identifier: MIT */
/* Area udp: datagrams between sockets on loopback. */
#include "moment.h"
#include "trace.h"
#include "udp-world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOCKETS 4
#define SENDS_MAX 60
#define PATIENCE_MS 1
#define BATCH_MAX 4

static const unsigned send_sizes[] = { 0,   1,    1,    2,     10,   100,
                                       500, 1400, 9000, 65507, 65508 };
static const unsigned recv_sizes[] = { 65536, 65536, 4 * 65536, 100, 10, 1, 0 };

struct send_req {
  uv_udp_send_t req;
  struct object* object;
  int number;
  char* data;
};

static unsigned recv_size[SOCKETS];
static int port_of[SOCKETS];
static int nsends;

uv_udp_t* udp_of(const struct object* object) {
  return (uv_udp_t*) object->handle;
}

void udp_say(const struct step* step,
             struct object* object,
             long result,
             const char* what) {
  if (object->handle == NULL)
    world_say(step, object, result, "%s %s", what, object->name);
  else
    world_say(step, object, result, "%s %s q=%zu/%zu", what, object->name,
              uv_udp_get_send_queue_size(udp_of(object)),
              uv_udp_get_send_queue_count(udp_of(object)));
}

static void loopback(struct sockaddr_in* addr, int port) {
  uv_ip4_addr("127.0.0.1", port, addr);
}

void udp_note_port(struct object* object) {
  struct sockaddr_in addr;
  int length = sizeof(addr);

  port_of[object->number] = 0;
  if (uv_udp_getsockname(udp_of(object), (struct sockaddr*) &addr, &length) ==
      0)
    port_of[object->number] = ntohs(addr.sin_port);
}

static const char* sender(const struct sockaddr* addr) {
  static char text[16];
  int port;

  if (addr == NULL)
    return "nobody";
  if (addr->sa_family != AF_INET)
    return "another family";
  port = ntohs(((const struct sockaddr_in*) addr)->sin_port);
  for (int i = 0; i < SOCKETS; i++)
    if (port_of[i] == port) {
      snprintf(text, sizeof(text), "u%d", i);
      return text;
    }
  return "unknown";
}

static struct object* udp_pick(unsigned arg) {
  struct object* o = object_pick(KIND_UDP, arg);
  return o->life == OPEN ? o : NULL;
}

/* --- making -------------------------------------------------------------- */

int udp_make(struct object* o, unsigned arg) {
  static const unsigned flags[] = { AF_UNSPEC, AF_UNSPEC, AF_INET,
                                    AF_INET | UV_UDP_RECVMMSG,
                                    UV_UDP_RECVMMSG };
  uv_udp_t* memory = object_memory(o, sizeof(*memory));
  unsigned flag = AT(flags, arg);

  port_of[o->number] = 0;
  if (flag == AF_UNSPEC)
    return object_made(o, uv_udp_init(world_loop(), memory));
  return object_made(o, uv_udp_init_ex(world_loop(), memory, flag));
}

static void udp_init(const struct step* step) {
  struct object* o = object_pick(KIND_UDP, step->arg[0]);

  if (o->life != GONE)
    world_skip(step);
  else
    udp_say(step, o, udp_make(o, step->arg[1]), "udp_init");
}

static void udp_bind(const struct step* step) {
  static const unsigned flags[] = { 0, 0, 0, UV_UDP_REUSEADDR };
  struct object* o = object_pick(KIND_UDP, step->arg[0]);
  struct sockaddr_in addr;

  if (o->life == CLOSING) {
    world_skip(step);
    return;
  }
  if (o->life == GONE && udp_make(o, step->arg[1]) != 0)
    return;
  loopback(&addr, 0);
  int err = uv_udp_bind(udp_of(o), (const struct sockaddr*) &addr,
                        AT(flags, step->arg[2]));
  udp_note_port(o);
  udp_say(step, o, err, "udp_bind");
}

/* A socket that no handle has made, bound or not. */
static void udp_open(const struct step* step) {
  struct object* o = object_pick(KIND_UDP, step->arg[0]);
  int is_bound = step->arg[2] % 2;
  uv_os_sock_t sock;

  if (o->life == CLOSING || (o->life == OPEN && step->arg[3] % 4 != 0)) {
    world_skip(step);
    return;
  }
  if (o->life == GONE && udp_make(o, 0) != 0)
    return;
  sock = socket_make(is_bound);
  int err = uv_udp_open(udp_of(o), sock);
  if (err != 0)
    socket_drop(sock);
  udp_note_port(o);
  udp_say(step, o, err, is_bound ? "udp_open bound" : "udp_open");
}

static void udp_connect(const struct step* step) {
  struct object* o = udp_pick(step->arg[0]);
  struct object* to = object_pick(KIND_UDP, step->arg[1]);
  struct sockaddr_in addr;
  char what[32];
  int err;

  if (o == NULL) {
    world_skip(step);
  } else if (step->arg[2] % 4 == 0) {
    udp_say(step, o, uv_udp_connect(udp_of(o), NULL), "disconnect");
  } else {
    int port = port_of[to->number];
    loopback(&addr, port != 0 ? port : 1);
    err = uv_udp_connect(udp_of(o), (const struct sockaddr*) &addr);
    udp_note_port(o);
    snprintf(what, sizeof(what), "connect to %s", port != 0 ? to->name : "1");
    udp_say(step, o, err, what);
  }
}

/* --- sending ------------------------------------------------------------- */

static void on_send(uv_udp_send_t* req, int status) {
  struct send_req* send = (struct send_req*) req;
  struct object* o = send->object;
  int number = send->number;

  free(send->data);
  free(send);
  if (o->handle != NULL && o->life != GONE)
    world_callback(o, "send_cb #%d %s q=%zu/%zu", number, trace_code(status),
                   uv_udp_get_send_queue_size(udp_of(o)),
                   uv_udp_get_send_queue_count(udp_of(o)));
  else
    world_callback(o, "send_cb #%d %s", number, trace_code(status));
}

/* The address an argument selects: a socket's, an unused one, or none. */
static const struct sockaddr* address(unsigned arg,
                                      struct sockaddr_in* addr,
                                      const char** name) {
  struct object* to = object_pick(KIND_UDP, arg);

  if (arg % 7 == 0) {
    *name = "none";
    return NULL;
  }
  loopback(addr, port_of[to->number] != 0 ? port_of[to->number] : 1);
  *name = port_of[to->number] != 0 ? to->name : "1";
  return (const struct sockaddr*) addr;
}

static void udp_send(const struct step* step) {
  struct object* o = udp_pick(step->arg[0]);
  unsigned size = AT(send_sizes, step->arg[1]);
  struct sockaddr_in addr;
  const char* name;
  char what[64];

  if (o == NULL || nsends == SENDS_MAX) {
    world_skip(step);
    return;
  }
  const struct sockaddr* to = address(step->arg[2], &addr, &name);
  struct send_req* send = calloc(1, sizeof(*send));
  send->object = o;
  send->number = nsends++;
  send->data = malloc(size + 1);
  memset(send->data, send->number, size + 1);
  uv_buf_t buf = uv_buf_init(send->data, size);
  snprintf(what, sizeof(what), "send #%d %u to %s", send->number, size, name);
  int err = uv_udp_send(&send->req, udp_of(o), &buf, 1, to, on_send);
  if (err != 0) {
    free(send->data);
    free(send);
  }
  if (port_of[o->number] == 0)
    udp_note_port(o);
  udp_say(step, o, err, what);
}

static void udp_try_send(const struct step* step) {
  static char data[65536];
  struct object* o = udp_pick(step->arg[0]);
  unsigned size = AT(send_sizes, step->arg[1]);
  struct sockaddr_in addr;
  const char* name;
  char what[64];

  if (o == NULL) {
    world_skip(step);
    return;
  }
  const struct sockaddr* to = address(step->arg[2], &addr, &name);
  uv_buf_t buf = uv_buf_init(data, size);
  int result = uv_udp_try_send(udp_of(o), &buf, 1, to);
  if (port_of[o->number] == 0)
    udp_note_port(o);
  snprintf(what, sizeof(what), "try_send %u to %s", size, name);
  udp_say(step, o, result, what);
}

/* Datagrams of one size, or of several in turn. */
static void udp_try_send2(const struct step* step) {
  static char data[65536];
  struct object* o = udp_pick(step->arg[0]);
  unsigned count = 1 + step->arg[3] % BATCH_MAX;
  unsigned stride = step->arg[3] / BATCH_MAX % 4;
  struct sockaddr_in addr;
  uv_buf_t bufs[BATCH_MAX];
  uv_buf_t* each[BATCH_MAX];
  unsigned nbufs[BATCH_MAX];
  struct sockaddr* addrs[BATCH_MAX];
  const char* name;
  char what[64];

  if (o == NULL) {
    world_skip(step);
    return;
  }
  const struct sockaddr* to = address(step->arg[2], &addr, &name);
  for (unsigned i = 0; i < count; i++) {
    bufs[i] = uv_buf_init(data, AT(send_sizes, step->arg[1] + i * stride));
    each[i] = &bufs[i];
    nbufs[i] = 1;
    addrs[i] = (struct sockaddr*) to;
  }
  int result = uv_udp_try_send2(udp_of(o), count, each, nbufs, addrs, 0);
  if (port_of[o->number] == 0)
    udp_note_port(o);
  snprintf(what, sizeof(what), "try_send2 %u x %u%s to %s", count,
           (unsigned) bufs[0].len, stride == 0 ? "" : "...", name);
  udp_say(step, o, result, what);
}

/* --- receiving ----------------------------------------------------------- */

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  const struct object* o = handle->data;
  unsigned size = recv_size[o->number];

  trace_add("%s alloc %zu", o->name, suggested);
  trace_end();
  *buf = uv_buf_init(size == 0 ? NULL : malloc(size), size);
}

static void on_recv(uv_udp_t* handle,
                    ssize_t nread,
                    const uv_buf_t* buf,
                    const struct sockaddr* addr,
                    unsigned flags) {
  int first = nread > 0 ? buf->base[0] : -1;
  char from[16];

  snprintf(from, sizeof(from), "%s", sender(addr));
  if (!(flags & UV_UDP_MMSG_CHUNK))
    free(buf->base);
  world_callback(handle->data, "recv_cb %s first=%d from %s flags=%u",
                 trace_code(nread), first, from, flags);
}

static void recv_start(const struct step* step) {
  struct object* o = udp_pick(step->arg[0]);

  if (o == NULL) {
    world_skip(step);
    return;
  }
  if (!uv_is_active(o->handle))
    recv_size[o->number] = AT(recv_sizes, step->arg[1]);
  int err = uv_udp_recv_start(udp_of(o), on_alloc, on_recv);
  if (port_of[o->number] == 0)
    udp_note_port(o);
  udp_say(step, o, err, "recv_start");
}

static void recv_stop(const struct step* step) {
  struct object* o = udp_pick(step->arg[0]);

  if (o == NULL)
    world_skip(step);
  else
    udp_say(step, o, uv_udp_recv_stop(udp_of(o)), "recv_stop");
}

/* --- options ------------------------------------------------------------- */

static int set_ttl(uv_udp_t* udp, unsigned value) {
  return uv_udp_set_ttl(udp, (int) (value % 300) - 10);
}
static int set_multicast_ttl(uv_udp_t* udp, unsigned value) {
  return uv_udp_set_multicast_ttl(udp, (int) (value % 300) - 10);
}
static int set_broadcast(uv_udp_t* udp, unsigned value) {
  return uv_udp_set_broadcast(udp, (int) (value % 2));
}
static int set_multicast_loop(uv_udp_t* udp, unsigned value) {
  return uv_udp_set_multicast_loop(udp, (int) (value % 2));
}
static int set_interface(uv_udp_t* udp, unsigned value) {
  static const char* const names[] = { NULL, "127.0.0.1", "nonsense", "::1" };
  return uv_udp_set_multicast_interface(udp, AT(names, value));
}
static int membership(uv_udp_t* udp, unsigned value) {
  static const char* const names[] = { "239.255.0.1", "127.0.0.1", "x" };
  return uv_udp_set_membership(udp, AT(names, value >> 1), "127.0.0.1",
                               value % 2 ? UV_JOIN_GROUP : UV_LEAVE_GROUP);
}

static int source_membership(uv_udp_t* udp, unsigned value) {
  static const char* const names[] = { "232.0.0.1", "127.0.0.1", "ff3e::1" };
  static const char* const sources[] = { "127.0.0.1", "::1", "x" };
  return uv_udp_set_source_membership(
      udp, AT(names, value >> 1), "127.0.0.1", AT(sources, value >> 3),
      value % 2 ? UV_JOIN_GROUP : UV_LEAVE_GROUP);
}
static int using_recvmmsg(uv_udp_t* udp, unsigned value) {
  (void) value;
  return uv_udp_using_recvmmsg(udp);
}

static const struct option {
  const char* name;
  int (*set)(uv_udp_t* udp, unsigned value);
} options[] = {
  { "set_ttl", set_ttl },
  { "set_multicast_ttl", set_multicast_ttl },
  { "set_broadcast", set_broadcast },
  { "set_multicast_loop", set_multicast_loop },
  { "set_multicast_interface", set_interface },
  { "membership", membership },
  { "source_membership", source_membership },
  { "using_recvmmsg", using_recvmmsg },
};

static void udp_option(const struct step* step) {
  struct object* o = udp_pick(step->arg[0]);
  const struct option* option = &AT(options, step->arg[1]);

  if (o == NULL)
    world_skip(step);
  else
    udp_say(step, o, option->set(udp_of(o), step->arg[2]), option->name);
}

static void udp_names(const struct step* step) {
  struct object* o = udp_pick(step->arg[0]);
  struct sockaddr_storage addr;
  int length = (int) (step->arg[2] % (sizeof(addr) + 1));
  int peer = step->arg[1] % 2;
  int err;

  if (o == NULL) {
    world_skip(step);
    return;
  }
  err = peer ? uv_udp_getpeername(udp_of(o), (struct sockaddr*) &addr, &length)
             : uv_udp_getsockname(udp_of(o), (struct sockaddr*) &addr, &length);
  world_say(step, o, err, "name %s peer=%d length=%d", o->name, peer, length);
}

/* ------------------------------------------------------------------------- */

static void setup(void) {
  loop_setup();
  world_add(KIND_UDP, "u", SOCKETS);
}

static void begin(void) {
  moment_patience(PATIENCE_MS);
}

static const struct op ops[] = {
  { "udp_init", 10, udp_init, 0 },
  { "udp_bind", 60, udp_bind, 0 },
  { "udp_open", 12, udp_open, 0 },
  { "udp_connect", 25, udp_connect, 0 },
  { "udp_send", 100, udp_send, 0 },
  { "udp_try_send", 40, udp_try_send, 0 },
  { "udp_try_send2", 20, udp_try_send2, SINCE_1_50 },
  { "recv_start", 70, recv_start, 0 },
  { "recv_stop", 20, recv_stop, 0 },
  { "udp_option", 15, udp_option, 0 },
  { "udp_names", 10, udp_names, 0 },
  { NULL, 0, NULL, 0 },
};

const struct area area_udp = {
  .name = "udp",
  .ops = ops,
  .common = loop_few_ops,
  .more = udp_more_ops,
  .setup = setup,
  .begin = begin,
};
