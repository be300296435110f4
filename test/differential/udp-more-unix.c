/* SPDX-License-Identifier: MIT */
/* More of area udp, on Unix: what only newer libraries have. */
#include "udp-world.h"

#include <stdio.h>

static void open_ex(const struct step* step) {
  static const unsigned flags[] = { 0,
                                    0,
                                    UV_UDP_REUSEADDR,
                                    UV_UDP_REUSEPORT,
                                    UV_UDP_RECVMMSG,
                                    UV_UDP_IPV6ONLY,
                                    0x8000 };
  struct object* o = object_pick(KIND_UDP, step->arg[0]);
  unsigned flag = AT(flags, step->arg[1]);
  int is_bound = step->arg[2] % 2;
  char what[64];

  if (o->life == CLOSING || (o->life == OPEN && step->arg[3] % 4 != 0)) {
    world_skip(step);
    return;
  }
  if (o->life == GONE && udp_make(o, 0) != 0)
    return;
  uv_os_sock_t sock = socket_make(is_bound);
  int err = uv_udp_open_ex(udp_of(o), sock, flag);
  if (err != 0)
    socket_drop(sock);
  udp_note_port(o);
  snprintf(what, sizeof(what), "udp_open_ex %s flags=%#x",
           is_bound ? "bound" : "", flag);
  udp_say(step, o, err, what);
}

const struct op udp_more_ops[] = {
  { "udp_open_ex", 12, open_ex, SINCE_1_53 },
  { NULL, 0, NULL, 0 },
};
