/* SPDX-License-Identifier: MIT */
/* A scenario uses a part of the interface on `sc.loop` as a program would, and
 * gives up at the first error: sc_fail() records it and closes what is open. It
 * must end whatever is refused: with success, or with a reported error. A run
 * that just stops is ended by the guard and counts as a failure.
 *
 * Outstanding callbacks are counted: sc_expect() for each accepted request,
 * sc_arrived() in its callback. */
#ifndef SCENARIO_H_
#define SCENARIO_H_

#include "fault.h"
#include "uv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scenario {
  const char* name;
  void (*run)(void);
  /* Each fault in a new process, because it initialises something once. */
  int fresh;
  enum {
    RING_NONE,
    RING_AT_ONCE, /* files through io_uring: what the kernel completes at once
                   */
    RING_ALL,     /* everything it supports */
    RING_POLLED,  /* the same, with the kernel's polling thread */
  } ring;
};

struct scenario_state {
  uv_loop_t loop;
  int err;     /* the first */
  int pending; /* callbacks */
  int goal;    /* the scenario has seen what it expects */
};

extern struct scenario_state sc;
extern int sc_step; /* in a scenario with steps: the one that failed */
extern const struct scenario scenarios[]; /* ends with a NULL name */

/* Records the error and closes all handles. Returns err. */
int sc_fail(int err);
/* As sc_fail() if err is not 0. */
int sc_try(int err);
/* For a request: its callback is outstanding if it was accepted. */
int sc_expect(int err);
void sc_arrived(void);
/* Something is wrong that no refusal explains: ends the process. */
void sc_bug(const char* what);
#define SC_CHECK(cond) ((cond) ? (void) 0 : sc_bug(#cond))
/* Closes whatever is open. */
void sc_close_all(void);
/* Runs the loop until nothing is left, or for one event. */
void sc_run(void);
void sc_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf);
struct sockaddr_in sc_loopback(int port);

#endif /* SCENARIO_H_ */
