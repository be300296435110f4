/* SPDX-License-Identifier: MIT */
/* Hunts lost wake-ups, hangs and races in the thread pool, the async handles
 * and the signals, by many threads that do random things, and changes of a tree
 * that a watch misses.
 *
 *   uv-stress [--ms N] [--seed N] [--sizes N,N] [NAME...]
 *
 * Each scenario runs for N milliseconds with each size of the pool, in a
 * process of its own with a watchdog: if no request finishes for a while, the
 * process ends. Everything that is submitted must be
 * answered once, and its answer must agree with what happened.
 *
 * It uses uv.h alone, so that it can be linked to libuv, too, to compare how
 * many requests finish.
 */
#ifndef STRESS_H_
#define STRESS_H_

#include "uv.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
# define SANITIZED 1
#else
# define SANITIZED 0
#endif

/* Ends the process with a message. */
#define CHECK(condition)                                                       \
 ((condition) ? (void) 0 : stress_fail(__FILE__, __LINE__, #condition))
_Noreturn void stress_fail(const char* file, int line, const char* text);

enum {
  FORKS = 1, /* forks with threads: not with a sanitizer */
  ALONE = 2, /* once, with the default size */
};

struct scenario {
  const char* name;
  void (*run)(void);
  int flags;
};

/* Each file's, ended by one without a name. */
extern const struct scenario client_scenarios[];
extern const struct scenario place_scenarios[];
extern const struct scenario life_scenarios[];
extern const struct scenario tree_scenarios[];

/* The run: until when, from which seed. */
int stress_goes_on(void);
unsigned stress_seed(void);
unsigned stress_size(void); /* of the pool */

/* A request has finished. Context: any. */
void stress_progress(void);
uint64_t stress_count(void);

/* A number below `below`. */
unsigned stress_random(unsigned* state, unsigned below);

/* Keeps a processor busy. */
void stress_spin(unsigned us);

/* Makes this thread run on this processor only; 0 if that is refused. */
int stress_pin(unsigned cpu);

/* A thread with a loop that submits, cancels, runs and closes at random. */
struct client {
  uv_thread_t thread;
  unsigned seed;
  unsigned burst_max; /* the most requests of a burst */
  int is_pinned;      /* to the first processor */
  int is_realtime;    /* SCHED_FIFO, where permitted */
};

/* Runs so many clients until the time is up; 0: in this thread. */
void stress_clients(struct client* clients, unsigned count);
void stress_client(struct client* client);

#endif /* STRESS_H_ */
