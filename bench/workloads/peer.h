/* SPDX-License-Identifier: MIT */
/* The other side: a process on bare system calls; see peer.c. */
#ifndef BENCH_PEER_H_
#define BENCH_PEER_H_

#include "bench.h"

#include <sys/socket.h>
#include <sys/un.h>

/* Where the measured side listens: loopback, or a name in /tmp made from the
 * "port". */
struct place {
  int family; /* AF_INET, AF_UNIX */
  int port;
};

/* The program that the peer process is started from: argv[0]. */
extern const char* peer_program;

/* In a workload's kind, next to an address family. */
enum {
  FAMILY_MASK = 0xff,
  PEER_APART = 0x1000 /* on its own processor, although it takes turns */
};

/* Starts `uv-bench --peer TASK PLACE SIZE OPS` and pins each side to one
 * processor: the same one if they take turns. Unpinned, the kernel puts them on
 * one or two by chance, and a message takes 11 or 80 us. */
void peer_start(const char* task, const struct run* run, struct place place);
/* Waits for it to exit, which must be successful. */
void peer_wait(void);
/* What the peer process does. Does not return. */
void peer_main(int argc, char** argv);

/* Fills the socket address of a place. */
socklen_t place_address(struct place place, struct sockaddr_storage* address);

/* A bare listening or bound socket, for floors; sets the place. */
int place_listen(int family, int type, struct place* place);

/* The same with the library. `server` has the family's type and is not
 * initialised yet; close it with place_close(). */
union server {
  uv_handle_t handle;
  uv_stream_t stream;
  uv_tcp_t tcp;
  uv_pipe_t pipe;
};
void server_listen(uv_loop_t* loop,
                   union server* server,
                   int family,
                   struct place* place,
                   uv_connection_cb cb);

/* Initialises a stream of the family and accepts into it. */
void server_accept(uv_stream_t* server, union server* client, int family);

/* Removes the name of a unix place. */
void place_remove(struct place place);

#endif /* BENCH_PEER_H_ */
