/* SPDX-License-Identifier: MIT */
/* Managed loops: what loops.c, loops-run.c, loops-pause.c and listener.c
 * share.
 *
 * Context: any, unless said otherwise; the mutex of the loops is the outermost
 * lock; the registry's (pool/registry.h) and a pool's come after it.
 */
#ifndef UV_LOOPS_H_
#define UV_LOOPS_H_

#include "loop/state.h"
#include "pool/gate.h"
#include "util/base.h"
#include "util/queue.h"
#include "uv/ext.h"

/* In this order; back to NEW if a thread could not be made. */
enum uv__loops_state {
  UV__LOOPS_NEW,
  UV__LOOPS_STARTING, /* threads are made */
  UV__LOOPS_RUNNING,  /* all threads are there */
  UV__LOOPS_ENDING,   /* the shutdown has begun */
  UV__LOOPS_DRAINED,  /* all loops may leave */
  UV__LOOPS_ENDED     /* all threads have been joined */
};

/* A start or end function, in the order of addition. */
struct uv__loops_hook {
  struct uv__loops_hook* next;
  uv_loop_t* loop; /* NULL: of all */
  uvx_loop_cb cb;
  void* arg;
};

/* What a loop does, as far as a pause is concerned (loops-pause.c). What always
 * holds:
 *   Z1  There is at most one pauser.
 *   Z2  During a pause loops cease to be RUNNING, and none becomes it.
 *   Z3  A pauser waits for RUNNING loops only, never for one that waits for its
 *       turn: pausers cannot deadlock.
 *   Z4  Those that one pause parked leave before the next begins: they finish
 *       an iteration between two pauses.
 */
enum uv__managed_state {
  UV__MANAGED_RUNNING, /* may run callbacks, now or soon */
  UV__MANAGED_PARKED,  /* stands still for another one's pause */
  UV__MANAGED_WAITING, /* stands still in uvx_loops_pause(), for its turn */
  UV__MANAGED_PAUSER
};

/* One of the loops. */
struct uv__managed {
  uvx_loops_t* loops;
  uv_loop_t* loop; /* `own`, or options.main */
  unsigned index;
  int has_ended; /* the loop's thread's: the end functions have run */
  int is_quiet;  /* guarded by the mutex */
  uvx_post_t end;
  /* loops-pause.c: guarded by the mutex. */
  enum uv__managed_state state; /* written by the slot's thread only */
  int is_park_queued;
  uvx_post_t park;
  struct uv__queue turn;       /* in `turns` while WAITING */
  struct uv__branch* branches; /* listener.c: the loop's parts of listeners */
  uv_thread_t thread;
  uv_loop_t own;
};

struct uvx_loops_s {
  uv_mutex_t mutex;
  uv_cond_t changed;          /* anything that the mutex guards */
  enum uv__loops_state state; /* guarded by the mutex; so are the next three */
  unsigned arrived;           /* threads that wait for the start */
  int is_refused;             /* one of them could not be made */
  int err;                    /* of uvx_loops_run() */
  int is_asked;               /* atomic: uvx_loops_shutdown() was called */
  uv_pid_t pid;               /* of the process that made them */
  unsigned flags;             /* the next four are options */
  unsigned count;
  size_t stack_size;
  char name[16];
  struct uv__queue listeners; /* listener.c: guarded by the mutex */
  /* loops-pin.c: the processors of the thread that calls uvx_loops_run(), as a
   * mask; NULL: not pinned. */
  char* processors;
  uv_work_t first_work;          /* likewise */
  struct uv__loops_hook* starts; /* fixed from the start on */
  struct uv__loops_hook* ends;
  uvx_post_t shutdown;
  uv_signal_t signals[2];
  unsigned signals_count; /* of `signals`, initialised */
  /* loops-pause.c: guarded by the mutex. */
  struct uv__managed* pauser; /* or NULL */
  unsigned depth;             /* its pauses */
  unsigned running;           /* loops that are RUNNING */
  unsigned leaving;           /* loops that a pause stopped and that have not
                               * noticed its end */
  struct uv__queue turns;     /* loops that wait to pause, in their order */
  struct uv__gate gate;       /* of their work functions: closed in a pause */
  struct uv__managed slots[];
};

/* The slot of the managed loop that this thread runs, or NULL. */
struct uv__managed* uv__loops_current(void);
/* Sets it, NULL: none. */
void uv__loops_set_current(struct uv__managed* slot);

/* Is `loop` one of them? */
int uv__loops_has(const uvx_loops_t* loops, const uv_loop_t* loop);

/* Is this a forked child of the process that made the loops? It has none of
 * their threads. */
int uv__loops_is_forked(const uvx_loops_t* loops);

/* Does this thread hold the pause? */
int uv__loops_is_pauser(uvx_loops_t* loops);
/* 0, or an error of the system. */
int uv__loops_pause_init(uvx_loops_t* loops);
/* The callback in which a loop waits while it is parked; the watchdog does not
 * report it. */
void uv__loops_park(uvx_post_t* post);

/* UVX_LOOPS_PIN: restricts each thread to one processor, the calling one as
 * that of loop 0. 0, UV_ENOTSUP, UV_ENOMEM, UV_E*: none is restricted. */
int uv__loops_pin(uvx_loops_t* loops);
/* Gives the calling thread its processors back. */
void uv__loops_unpin(uvx_loops_t* loops);

/* Calls posts that were queued after the loops had stopped running. */
void uv__loops_run_late_posts(uvx_loops_t* loops);

#endif /* UV_LOOPS_H_ */
