/* SPDX-License-Identifier: MIT */
/* Sockets of area udp: what its files have in common. */
#ifndef DIFFERENTIAL_UDP_WORLD_H_
#define DIFFERENTIAL_UDP_WORLD_H_

#include "areas.h"

enum { KIND_UDP = KIND_AREA };

uv_udp_t* udp_of(const struct object* object);

/* Initialises the handle of an object that is gone; the argument selects how.
 */
int udp_make(struct object* object, unsigned arg);

/* Remembers the port, to recognise the sender of a datagram. */
void udp_note_port(struct object* object);

/* A line about a step on a socket, with its queue. */
void udp_say(const struct step* step,
             struct object* object,
             long result,
             const char* what);

#endif
