/* SPDX-License-Identifier: MIT */
/* The numbers of a whole trace, gathered event by event. Memory depends on how
 * many loops, callbacks and threads there are, not on the length of the trace.
 */
#ifndef UV_TRACE_ANALYSIS_H_
#define UV_TRACE_ANALYSIS_H_

#include "event.h"
#include "histogram.h"
#include "lag.h"
#include "names.h"
#include "stacks.h"
#include "symbols.h"

/* More than these of a kind are counted together, as the last one. */
#define ANALYSIS_LOOPS 256
#define ANALYSIS_CALLBACKS 4096
#define ANALYSIS_WORKS 1024
/* How many of the worst are kept. */
#define ANALYSIS_WORST 20

enum phase {
  PHASE_TIMERS,
  PHASE_PENDING,
  PHASE_IDLE,
  PHASE_PREPARE,
  PHASE_POLL,
  PHASE_EVENTS,
  PHASE_CHECK,
  PHASE_CLOSING,
  PHASE_MAX
};

extern const char* const phase_names[PHASE_MAX];

struct phase_time {
  uint64_t count;
  uint64_t ns;
  uint64_t max_ns;
};

struct loop {
  uint64_t address;
  uint64_t tid;
  uint64_t begin_ns; /* of its first slice */
  uint64_t end_ns;   /* of its last one */
  uint64_t iterations;
  uint64_t polls;
  uint64_t polls_empty; /* that returned no event */
  struct lag gaps;
  struct histogram lag;  /* from one poll to the next */
  struct histogram late; /* timers: from due to called */
  struct phase_time phases[PHASE_MAX];
  uint64_t callback_ns; /* in callbacks, those inside others twice */
};

struct callback {
  uint32_t name; /* of analysis.names, like type and call */
  uint32_t type;
  uint32_t call;
  struct histogram time;
  uint64_t max_ts_ns; /* when the longest one began */
  uint64_t bytes;
  uint64_t errors; /* calls with a negative status */
};

/* Requests of the thread pool: one class, or one kind of work. */
struct work {
  uint32_t name;
  struct histogram queued; /* only of those that say how long */
  struct histogram ran;
  uint64_t starved;
};

/* A request that waited, or a callback that the watchdog saw. */
struct incident {
  uint64_t ns;      /* how bad: sorts them */
  uint64_t ts_ns;   /* when it began */
  uint64_t more_ns; /* a request: how long it ran */
  uint32_t name;
  uint32_t where; /* class of a request, phase of a callback */
  uint32_t about; /* its path, host, peer or command; 0: nothing is known */
};

struct incidents {
  struct incident rows[ANALYSIS_WORST]; /* the worst first */
  size_t count;
  uint64_t total; /* also those not kept */
};

/* A callback that had not ended when the file was written. */
struct unfinished {
  uint64_t tid;
  uint32_t name;
};

/* The end of the process, or a fault that it may have survived. */
struct crash {
  int64_t signum; /* 0: none */
  uint64_t tid;
  uint64_t ts_ns;
  uint32_t name; /* of the callback that ran on the thread; 0: none */
};

struct analysis {
  uint64_t starved_min_ns; /* set before the first event */
  struct symbols* symbols; /* or NULL; not owned */

  char* program; /* "" until the trace says it */
  char* library;
  int64_t pid;
  uint64_t begin_ns; /* of the earliest event */
  uint64_t end_ns;
  uint64_t slices;
  struct histogram lengths; /* of phases, callbacks and work */
  uint64_t dropped;
  int is_uv; /* has the library's header */

  struct names names;
  struct loop* loops;
  size_t nloops;
  size_t loops_room;
  struct map loop_of; /* by address */
  uint64_t* named;    /* addresses of loops that threads are named after */
  size_t nnamed;
  size_t named_room;
  struct map named_of; /* by thread */
  struct callback* callbacks;
  size_t ncallbacks;
  size_t callbacks_room;
  struct map callback_of; /* by name, type and call */
  struct work* classes;
  size_t nclasses;
  size_t classes_room;
  struct map class_of; /* by name */
  struct work* works;
  size_t nworks;
  size_t works_room;
  struct map work_of;
  struct map workers; /* by thread */
  struct incidents starved;
  struct incidents blocked;
  struct incidents slowest; /* single callbacks */
  struct unfinished unfinished[ANALYSIS_WORST];
  size_t nunfinished;
  struct crash crash;
  struct stacks stacks; /* of callbacks that blocked */
};

void analysis_init(struct analysis* a);
void analysis_close(struct analysis* a);

void analysis_add(struct analysis* a, const struct event* event);

/* After the last event: sorts the loops by busy time. */
void analysis_end(struct analysis* a);

/* The number of a callback's or work's name, symbols resolved. */
uint32_t analysis_name(struct analysis* a, const char* name);

/* PHASE_MAX if it is none. */
enum phase analysis_phase(const char* name);

/* Seconds from the first to the last event. */
double analysis_seconds(const struct analysis* a);

/* The callbacks in the order of total time; ncallbacks numbers, to be freed. */
uint32_t* analysis_order(const struct analysis* a);

#endif /* UV_TRACE_ANALYSIS_H_ */
