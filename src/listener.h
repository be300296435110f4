/* SPDX-License-Identifier: MIT */
/* Listeners of managed loops: what listener.c and listener-turns.c share, and
 * what the loops call.
 *
 *   listener -> a branch per loop -> its servers, the handles of the program's
 *   callback
 *
 * A branch and its servers are their loop's; before the loops run, the
 * program's.
 */
#ifndef UV_LISTENER_H_
#define UV_LISTENER_H_

#include "loops.h"
#include "util/queue.h"

enum uv__server_role {
  UV__SERVER_ACCEPTS,    /* for its own loop */
  UV__SERVER_HANDS_OVER, /* TURNS: on loop 0, to those that are fed */
  UV__SERVER_FED         /* TURNS: on each loop */
};

/* Carries a connection from loop 0 to another loop; returns empty. */
struct uv__parcel {
  uvx_post_t post;
  struct uv__queue link; /* in `free` of the listener or `waiting` */
  struct uv__server* target;
  uv_os_sock_t sock;
};

struct uv__server {
  uv_tcp_t tcp;
  struct uv__branch* branch;
  struct uv__server* next; /* of the same branch */
  enum uv__server_role role;
  uv_os_sock_t sock; /* UV__NO_SOCK once the handle has it */
  int is_open;       /* `tcp` is */
  int err;           /* why it could not be opened */
  /* HANDS_OVER: a connection waits until a fed server has room. */
  int is_stalled;
  /* FED: parcels that have arrived. If is_reported, the handle has the
   * connection of the first; the others have theirs in `sock`. */
  struct uv__queue waiting;
  int is_reported;
  int is_next_posted;
  uvx_post_t next_post;
  /* FED: parcels sent and not yet returned. Loop 0 alone uses it. */
  int out;
};

struct uv__branch {
  uvx_listener_t* listener;
  struct uv__managed* slot;
  struct uv__branch* next; /* of the same loop */
  struct uv__server* servers;
  unsigned pending; /* handles and posts to itself that must end before it */
  int is_closing;
  int is_detached;   /* uvx_listener_close() has come to this loop */
  uvx_post_t attach; /* then reports errors of opening */
  uvx_post_t detach; /* to the loop, then to loop 0 */
};

struct uvx_listener_s {
  struct uv__queue link; /* in `listeners`, guarded by the loops' mutex */
  uvx_loops_t* loops;
  uv_connection_cb cb;
  void* data;
  int backlog;
  int is_shared;  /* several loops accept from one socket */
  int is_closing; /* atomic: uvx_listener_close() was called */
  struct sockaddr_storage name;
  int name_len;
  uv_os_sock_t* socks; /* guarded by the mutex of the loops; UV__NO_SOCK: one
                          that its loop could not open */
  unsigned nsocks;
  struct uv__server* servers;
  unsigned nservers;
  /* Loop 0's. */
  struct uv__queue free; /* parcels */
  unsigned turn;         /* the next fed server */
  unsigned detached;     /* branches */
  /* The end of uvx_listener_close(). */
  uvx_post_t finish;
  uv_loop_t* closer;
  void (*closed)(void* arg);
  void* arg;
  struct uv__branch branches[];
};

/* ---- listener.c, for the loops ---- */

/* The loop begins to run: opens what was listened on before. */
void uv__listener_start(struct uv__managed* slot);

/* The loop has run its end functions. */
void uv__listener_end(struct uv__managed* slot);

/* Does a listener have a handle that is not closed? The loops do not run. */
int uv__listener_is_open(const uvx_loops_t* loops);

/* The loops are freed, and no handle is open, or all of it is in a forked
 * child, which keeps the sockets: frees the listeners that are left. */
void uv__listener_free_all(uvx_loops_t* loops, int is_forked);

/* ---- listener.c, for listener-turns.c ---- */

/* One of `pending` has ended. */
void uv__listener_settle(struct uv__branch* branch);

/* ---- listener-turns.c ---- */

/* A connection waits at a server that hands over: its connection callback. */
void uv__turns_on_connection(uv_stream_t* stream, int status);

/* Returns the parcels of a fed server whose handle is about to be closed. */
void uv__turns_close(struct uv__server* server);

/* Frees the parcels, all of which have been returned. */
void uv__turns_free(uvx_listener_t* listener);

#endif /* UV_LISTENER_H_ */
