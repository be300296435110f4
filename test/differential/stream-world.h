/* SPDX-License-Identifier: MIT */
/* Streams of area stream: how they are made, and what they have in common. */
#ifndef DIFFERENTIAL_STREAM_WORLD_H_
#define DIFFERENTIAL_STREAM_WORLD_H_

#include "areas.h"

enum {
  KIND_STREAM = KIND_AREA, /* ends of connections: s0 with s1, and so on */
  KIND_SERVER              /* listening */
};

#define STREAMS 8
#define SERVERS 2          /* l0: unix, l1: tcp */

uv_stream_t* stream_of(const struct object* object);

/* The open stream an argument means, or NULL. */
struct object* stream_pick(unsigned arg);

/* A line about a step on a stream, with its queue and directions. */
void stream_say(const struct step* step,
                struct object* object,
                long result,
                const char* what);

/* Operations that make streams; ended by a NULL name. */
void stream_pair(const struct step* step);
void stream_init(const struct step* step);
void stream_open_again(const struct step* step);
void server_listen(const struct step* step);
void server_accept(const struct step* step);
void stream_connect(const struct step* step);

#endif
