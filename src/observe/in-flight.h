/* SPDX-License-Identifier: MIT */
/* Requests in the thread pool: when each was submitted and started, and the id
 * of the flow that connects its events in a trace.
 *
 * A request has no room for that, so there is a separate table, kept only while
 * loops are observed. One thread at a time writes an entry: the submitter, the
 * worker, then the loop's thread; others may read.
 */
#ifndef UV_OBSERVE_IN_FLIGHT_H_
#define UV_OBSERVE_IN_FLIGHT_H_

#include "observe/record.h"
#include "pool/kind.h"

struct uv__inflight {
  const void* work;   /* atomic: the struct uv__work; NULL: free */
  uint64_t id;        /* atomic: unique in this process */
  uint64_t submit_ns; /* atomic */
  uint64_t start_ns;  /* atomic: 0 until a worker has it */
  uint64_t end_ns;    /* atomic: 0 until the worker is done */
  const void* loop;   /* atomic */
  unsigned work_id;   /* atomic: enum uv__work_id */
};

/* How many wait and how many run, of those in the table. */
struct uv__inflight_count {
  int queued;
  int running;
};

/* Set-up: 0 or UV_ENOMEM. */
int uv__inflight_init(void);
/* Drops all entries: they are from an earlier session. */
void uv__inflight_clear(void);

/* Enters a request; NULL if there is no room. Context: the submitter. */
struct uv__inflight* uv__inflight_add(const void* work,
                                      const void* loop,
                                      enum uv__work_id work_id,
                                      uint64_t now_ns);
/* NULL if it is not in the table. Context: the thread that has the request. */
struct uv__inflight* uv__inflight_find(const void* work);
void uv__inflight_start(struct uv__inflight* entry, uint64_t now_ns);
/* Its work is done; it stays in the table until uv__inflight_remove(). */
void uv__inflight_done(struct uv__inflight* entry, uint64_t now_ns);
void uv__inflight_remove(struct uv__inflight* entry);

struct uv__inflight_count uv__inflight_count(void);

/* The number of slots, and one of them. Context: any. */
size_t uv__inflight_slots(void);
const struct uv__inflight* uv__inflight_at(size_t i);

#endif /* UV_OBSERVE_IN_FLIGHT_H_ */
