/* SPDX-License-Identifier: MIT */
/* Requests on their way through the thread pool: since when they wait, since
 * when they run, and the number of the arrow that follows them in a trace.
 *
 * A request has no room for that, so there is a table beside it. It is kept
 * only while somebody observes. One thread at a time has to do with a request:
 * who submits it, its worker, its loop's thread; others may read.
 */
#ifndef UV_TRACE_FLIGHT_H_
#define UV_TRACE_FLIGHT_H_

#include "trace-record.h"

struct uv__flight {
  const void* work;    /* atomic: the struct uv__work; NULL: free */
  uint64_t id;         /* atomic: unique in this process */
  uint64_t submit_ns;  /* atomic */
  uint64_t start_ns;   /* atomic: 0 until a worker has it */
  uint64_t end_ns;     /* atomic: 0 until the worker is done */
  const void* loop;    /* atomic */
  unsigned work_class; /* atomic: enum uv__work_class */
};

/* How many wait and how many run, of those in the table. */
struct uv__flight_count {
  int queued;
  int running;
};

/* Set-up: 0 or UV_ENOMEM. */
int uv__flight_init(void);
/* Forgets all of them: nobody observed for a while. */
void uv__flight_clear(void);

/* Enters a request; NULL if there is no room. Context: who submits. */
struct uv__flight* uv__flight_add(const void* work,
                                  const void* loop,
                                  enum uv__work_class work_class,
                                  uint64_t now_ns);
/* NULL if it is not there. Context: whose turn it is. */
struct uv__flight* uv__flight_find(const void* work);
void uv__flight_start(struct uv__flight* flight, uint64_t now_ns);
/* Its work is done; it stays in the table until uv__flight_remove(). */
void uv__flight_done(struct uv__flight* flight, uint64_t now_ns);
void uv__flight_remove(struct uv__flight* flight);

struct uv__flight_count uv__flight_count(void);

/* The number of places, and one of them. Context: any. */
size_t uv__flight_places(void);
const struct uv__flight* uv__flight_at(size_t i);

#endif /* UV_TRACE_FLIGHT_H_ */
