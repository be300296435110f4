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
#define SERVERS 2 /* l0: unix, l1: tcp */

enum pair_kind {
  PAIR_UNIX,   /* a connection that pipes take */
  PAIR_TCP,    /* one that TCP handles take */
  PAIR_PIPE,   /* one way: the first reads, the second writes */
  PAIR_IPC,    /* a connection, as pipes that carry handles */
  PAIR_PACKET, /* keeps messages apart */
  PAIR_KINDS
};

/* One end of a connection that no handle has. */
struct pair_end {
  uv_file file;      /* for uv_pipe_open() */
  uv_os_sock_t sock; /* for uv_tcp_open() */
};

/* Makes a connection: 0, or not if this system has no such thing
 * (sockets-unix.c, sockets-win.c). */
int pair_make(enum pair_kind kind, struct pair_end ends[2]);
/* Closes an end that no handle has. */
void pair_drop(enum pair_kind kind, const struct pair_end* end);

/* The name of a pipe without a server yet, and the part of a name that is the
 * same in every run. */
void pipe_name_make(char* name, size_t size, int serial);
const char* pipe_name_tail(const char* name);

uv_stream_t* stream_of(const struct object* object);

/* The open stream that an argument selects, or NULL. */
struct object* stream_pick(unsigned arg);

/* A line about a step on a stream, with its queue and directions. */
void stream_say(const struct step* step,
                struct object* object,
                long result,
                const char* what);

/* Initialises a TCP or pipe handle for an object that is gone. */
int stream_make(struct object* object, int is_tcp, int ipc);

/* What area ipc has in common with area stream. */
void stream_setup(void);
void stream_begin(void);
extern const struct op stream_ops[];

/* Starts reading; the argument selects the size of buffers. */
int stream_read(struct object* object, unsigned arg);

/* Operations that make streams; ended by a NULL name. */
void stream_pair(const struct step* step);
void stream_init(const struct step* step);
void stream_open_again(const struct step* step);
void server_listen(const struct step* step);
void server_accept(const struct step* step);
void stream_connect(const struct step* step);

#endif
