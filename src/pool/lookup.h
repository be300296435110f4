/* SPDX-License-Identifier: MIT */
/* Lookups: calls of the resolver on behalf of requests.
 *
 *   request -> a waiter of a lookup, new or shared -> a worker asks the
 *   resolver -> each waiter gets its own result, on its loop's stack -> done()
 */
#ifndef UV_POOL_LOOKUP_H_
#define UV_POOL_LOOKUP_H_

#include "os/resolver.h"
#include "pool/kind.h"

/* What always holds (R1 to R6 are cited in the code):
 *   R1  A request is a waiter of at most one lookup, or was delivered.
 *   R2  Each waiter gets a list of its own, and frees it.
 *   R3  After a cancel returned 0, only the request's loop touches the request,
 *       to report it.
 *   R4  A request gets exactly one callback, never inside the call.
 *   R5  A result is not older than the request by more than
 *       UV__LOOKUP_SHARED_NS and the time that the resolver takes.
 *   R6  No thread calls the resolver while it holds the table of lookups, nor
 *       allocates memory, but for the pool's threads. A pool's lock may be
 *       taken while it does.
 */

/* A lookup that runs for longer is not joined: its answer would be too old. */
#define UV__LOOKUP_SHARED_NS 1000000000u

/* How uv_cancel() and done() know the requests; resolver.c. */
extern const struct uv__work_kind uv__addr_kind;
extern const struct uv__work_kind uv__name_kind;

/* Looks `query` up, which is copied: on a worker, together with requests for
 * the same that are in flight. req->loop is set. done() of uv__addr_kind runs
 * later on the loop's thread, with the result in the request, or with
 * UV_ECANCELED. UV_ENOMEM, or the error of uv__work_submit(). */
int uv__lookup_addr(uv_getaddrinfo_t* req, const struct uv__addr_query* query);

/* The same for the names of the address in the request; nothing is shared. */
int uv__lookup_name(uv_getnameinfo_t* req);

/* The result is in the request already. done() runs later, with UV_ECANCELED if
 * the request is cancelled meanwhile. */
void uv__lookup_answered(uv_loop_t* loop,
                         struct uv__work* w,
                         const struct uv__work_kind* kind);

/* uv_cancel() of a request by its item. 0: done() will get UV_ECANCELED, even
 * if the resolver is at work. UV_EBUSY: the result is on its way. */
int uv__lookup_cancel(struct uv__work* w);

/* The shutdown: cancels all waiters, so that no worker touches a request any
 * more. The pools take no items already. Returns 1 if workers may be left in
 * their lookups, because the code stays mapped. */
int uv__lookup_shutdown(void);

/* A lookup at one moment, for reports. */
struct uv__lookup_view {
  enum uv__work_id id;
  const void* lookup;
  const char* host;    /* "" for a name lookup */
  const char* service; /* or "" */
  int is_running;
  unsigned waiters;
  uint64_t begun_ns; /* submitted, or running since */
};

/* Calls `each` for all lookups in flight, with the table locked: no function of
 * lookups or pools. Context: any. */
void uv__lookup_look(void (*each)(const struct uv__lookup_view* view,
                                  void* arg),
                     void* arg);

/* How many requests have joined another's lookup so far. Context: any. */
uint64_t uv__lookup_joined(void);

#endif /* UV_POOL_LOOKUP_H_ */
