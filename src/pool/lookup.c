/* SPDX-License-Identifier: MIT */
/* One call of the resolver, and the requests that wait for it.
 *
 * A lookup owns the query and the result; a worker never sees a request before
 * it delivers. So a request can be cancelled while the resolver is at work, and
 * a worker that is stuck there can be left behind when the process ends. The
 * table has all lookups until they are delivered. Its lock is one that a forked
 * child takes over; the child begins with an empty table.
 *
 * A request is a waiter while its item's `work` is is_waiting(), delivered
 * when that is NULL, and answered without a worker when it is is_answered().
 *
 * Context: any; lookup_run() is the worker.
 */
#include "pool/lookup.h"
#include "misuse.h"
#include "observe/hooks.h"
#include "os/addr.h"
#include "os/loop.h"
#include "pool/done.h"
#include "pool/lanes.h"
#include "pool/lookup-table.h"
#include "util/alloc.h"
#include "util/atomic.h"
#include "util/queue.h"

#include <string.h>

/* Atomic: 0 until known, 1: the library is never unloaded, 2: it may be. */
static int pinned;

static void is_waiting(struct uv__work* w) {
  (void) w;
}

static void is_answered(struct uv__work* w) {
  (void) w;
}

/* ---- the resolver, on a worker ---- */

static struct uv__lookup* lookup_of(struct uv__work* item) {
  return container_of(item, struct uv__lookup, item);
}

static void lookup_run(struct uv__work* item);

/* done() of both is never called: the loop sees the waiters. */
static const struct uv__work_kind addr_item_kind = {
  lookup_run,
  NULL,
  UV__WORK_GETADDRINFO,
  0,
};

static const struct uv__work_kind name_item_kind = {
  lookup_run,
  NULL,
  UV__WORK_GETNAMEINFO,
  0,
};

static void lookup_free(struct uv__lookup* lookup) {
  if (uv__lookup_is_addr(lookup))
    uv_freeaddrinfo(uv__addr_lookup_of(lookup)->list);
  uv__free(lookup);
}

UV__COLD static void observe_begin(const struct uv__queue* waiters,
                                   uint64_t now_ns) {
  for (const struct uv__queue* q = waiters->next; q != waiters; q = q->next)
    uv__observed_lookup_begin(container_of(q, struct uv__work, wq), now_ns);
}

/* The first waiter's is the call in the trace: there was only one. */
UV__COLD static void observe_end(const struct uv__queue* waiters,
                                 uint64_t begun_ns,
                                 const char* host) {
  for (const struct uv__queue* q = waiters->next; q != waiters; q = q->next)
    uv__observed_lookup_end(container_of(q, struct uv__work, wq), begun_ns,
                            q == waiters->next, host);
}

/* Returns 0 if nobody waits any more: then the lookup is gone, unless the
 * library has shut down. */
static int lookup_begin(struct uv__lookup* lookup) {
  uint64_t now_ns = uv_hrtime();
  struct uv__lookup* unwanted = NULL;

  uv__lookup_table_lock();
  int is_wanted = !uv__queue_empty(&lookup->waiters);
  if (is_wanted) {
    lookup->state = UV__LOOKUP_RUNNING;
    lookup->begun_ns = now_ns;
    if (uv__is_observed())
      observe_begin(&lookup->waiters, now_ns);
  } else if (!uv__lookups.is_over) {
    uv__lookup_table_remove(lookup);
    unwanted = lookup;
  }
  uv__lookup_table_unlock();
  if (unwanted != NULL)
    lookup_free(unwanted);
  return is_wanted;
}

static void lookup_resolve(struct uv__lookup* lookup) {
  if (uv__lookup_is_addr(lookup)) {
    struct uv__addr_lookup* addr = uv__addr_lookup_of(lookup);
    lookup->err = uv__addrinfo_os_resolve(&addr->query, &addr->list);
  } else {
    struct uv__name_lookup* name = uv__name_lookup_of(lookup);
    lookup->err =
        uv__nameinfo_os_resolve((const struct sockaddr*) &name->addr,
                                name->flags, name->host, name->service);
  }
}

/* Takes the lookup out of the table and its waiters, which can no longer be
 * cancelled. Returns 0 after the shutdown: nothing may be touched then. */
static int lookup_end(struct uv__lookup* lookup, struct uv__queue* waiters) {
  uv__lookup_table_lock();
  int is_wanted = !uv__lookups.is_over;
  if (is_wanted) {
    uv__lookup_table_remove(lookup);
    uv__queue_move(waiters, &lookup->waiters);
    for (struct uv__queue* q = waiters->next; q != waiters; q = q->next) {
      struct uv__work* w = container_of(q, struct uv__work, wq);
      /* The links no longer agree if the program submitted it twice. */
      if (w->work != is_waiting || q->next->prev != q)
        uv__misuse_end(UV__RULE_POOL_ONCE, w);
      w->work = NULL;
    }
  }
  uv__lookup_table_unlock();
  return is_wanted;
}

/* The last waiter gets the list itself, the others copies (R2). */
static void deliver_addr(struct uv__addr_lookup* addr,
                         struct uv__work* w,
                         int is_last) {
  uv_getaddrinfo_t* req = container_of(w, uv_getaddrinfo_t, work_req);

  req->retcode = addr->base.err;
  req->addrinfo = NULL;
  if (addr->base.err != 0 || addr->list == NULL)
    return;
  if (is_last) {
    req->addrinfo = addr->list;
    addr->list = NULL;
    return;
  }
  req->addrinfo = uv__addrinfo_os_copy(addr->list);
  if (req->addrinfo == NULL)
    req->retcode = UV_EAI_MEMORY;
}

static void deliver_name(const struct uv__name_lookup* name,
                         struct uv__work* w) {
  uv_getnameinfo_t* req = container_of(w, uv_getnameinfo_t, work_req);

  req->retcode = name->base.err;
  if (name->base.err != 0)
    return;
  memcpy(req->host, name->host, sizeof(req->host));
  memcpy(req->service, name->service, sizeof(req->service));
}

static void lookup_deliver(struct uv__lookup* lookup,
                           struct uv__queue* waiters) {
  while (!uv__queue_empty(waiters)) {
    struct uv__queue* q = uv__queue_shift(waiters);
    struct uv__work* w = container_of(q, struct uv__work, wq);
    if (uv__lookup_is_addr(lookup))
      deliver_addr(uv__addr_lookup_of(lookup), w, uv__queue_empty(waiters));
    else
      deliver_name(uv__name_lookup_of(lookup), w);
    (void) uv__work_push_done(w->loop, w); /* the request may be gone now */
  }
}

static void lookup_run(struct uv__work* item) {
  struct uv__lookup* lookup = lookup_of(item);
  struct uv__queue waiters;

  if (!lookup_begin(lookup))
    return;
  lookup_resolve(lookup);
  if (!lookup_end(lookup, &waiters))
    return; /* the table keeps it; see uv__lookup_shutdown() */
  if (uv__is_observed())
    observe_end(&waiters, lookup->begun_ns,
                uv__lookup_is_addr(lookup)
                    ? uv__addr_lookup_of(lookup)->query.host
                    : NULL);
  lookup_deliver(lookup, &waiters);
  lookup_free(lookup);
}

/* ---- submitting ---- */

/* Where a request finds its lookup, for uv_cancel(). */
static void** place_of(struct uv__work* w) {
  if (w->kind == &uv__addr_kind)
    return &container_of(w, uv_getaddrinfo_t, work_req)->reserved[0];
  return &container_of(w, uv_getnameinfo_t, work_req)->reserved[0];
}

static void lookup_join(struct uv__lookup* lookup, struct uv__work* w) {
  *place_of(w) = lookup;
  uv__queue_push_back(&lookup->waiters, &w->wq);
}

/* With the table locked: joins a lookup of the same query. Returns 0 if there
 * is none, or if results cannot be copied. */
static int join_same(struct uv__work* w,
                     const struct uv__addr_query* query,
                     unsigned hash) {
  uint64_t now_ns = uv_hrtime();
  struct uv__lookup* same = NULL;

  if (!uv__lookups.is_over && uv__addrinfo_os_can_copy())
    same = uv__lookup_table_find(query, hash, now_ns);
  if (same == NULL)
    return 0;
  lookup_join(same, w);
  uv__store_relaxed(&uv__lookups.joined, uv__lookups.joined + 1);
  if (same->state == UV__LOOKUP_RUNNING && uv__is_observed())
    uv__observed_lookup_begin(w, now_ns);
  return 1;
}

/* Decides once whether workers may be left in a lookup. */
static int is_pinned(void) {
  int known = uv__load_relaxed(&pinned);

  if (known == 0) {
    known = uv__library_os_pin() == 0 ? 1 : 2;
    uv__store_relaxed(&pinned, known);
  }
  return known == 1;
}

static void lookup_init(struct uv__lookup* lookup,
                        const struct uv__work_kind* kind,
                        unsigned hash) {
  lookup->item.kind = kind;
  lookup->item.work = NULL; /* uv__pool_queue() sets it */
  uv__queue_init(&lookup->waiters);
  lookup->state = UV__LOOKUP_QUEUED;
  lookup->hash = hash;
  lookup->begun_ns = uv_hrtime();
}

/* With the table locked: puts a new lookup with one waiter there, and into its
 * lane. An error leaves it the caller's. `called` is for uv__pool_wake() once
 * the table is unlocked: the worker wants that lock at once, and may preempt
 * this thread. */
static int lookup_submit(struct uv__lookup* lookup,
                         struct uv__work* w,
                         struct uv__worker** called) {
  uv__lookup_table_add(lookup);
  lookup_join(lookup, w);
  int err =
      uv__work_submit_own(w->loop, &lookup->item, lookup->item.kind, called);
  if (err != 0)
    uv__lookup_table_remove(lookup);
  return err;
}

/* Called before the request is a waiter. */
static void waiter_init(struct uv__work* w,
                        uv_loop_t* loop,
                        const struct uv__work_kind* kind) {
  w->loop = loop;
  w->kind = kind;
  w->work = is_waiting;
  if (uv__is_observed())
    uv__observed_submit(loop, w);
}

static char* append_text(char** at, const char* text) {
  char* to = *at;

  if (text == NULL)
    return NULL;
  size_t size = strlen(text) + 1;
  memcpy(to, text, size);
  *at += size;
  return to;
}

static struct uv__addr_lookup* addr_lookup_new(
    const struct uv__addr_query* query,
    unsigned hash) {
  size_t host_size = query->host == NULL ? 0 : strlen(query->host) + 1;
  size_t service_size = query->service == NULL ? 0 : strlen(query->service) + 1;
  struct uv__addr_lookup* addr =
      uv__malloc(sizeof(*addr) + host_size + service_size);

  if (addr == NULL)
    return NULL;
  lookup_init(&addr->base, &addr_item_kind, hash);
  char* at = addr->text;
  addr->query.host = append_text(&at, query->host);
  addr->query.service = append_text(&at, query->service);
  addr->query.hints = NULL;
  if (query->hints != NULL) {
    addr->hints = *query->hints;
    addr->query.hints = &addr->hints;
  }
  addr->list = NULL;
  return addr;
}

/* Joins a lookup of the same query, or begins one. */
static int addr_begin(struct uv__work* w, const struct uv__addr_query* query) {
  unsigned hash = uv__addr_query_hash(query);
  struct uv__addr_lookup* addr = addr_lookup_new(query, hash);
  struct uv__worker* called = NULL;

  if (addr == NULL)
    return UV_ENOMEM;
  uv__lookup_table_lock();
  int has_joined = join_same(w, query, hash);
  int err = has_joined ? 0 : lookup_submit(&addr->base, w, &called);
  uv__lookup_table_unlock();
  uv__pool_wake(called);
  if (has_joined || err != 0)
    uv__free(addr);
  return err;
}

/* The request was not taken: it is not under way. */
static void waiter_refuse(struct uv__work* w) {
  if (uv__is_observed())
    uv__observed_refused(w);
  w->kind = NULL;
}

int uv__lookup_addr(uv_getaddrinfo_t* req, const struct uv__addr_query* query) {
  struct uv__work* w = &req->work_req;

  (void) is_pinned(); /* before a worker can be stuck */
  waiter_init(w, req->loop, &uv__addr_kind);
  int err = addr_begin(w, query);
  if (err != 0)
    waiter_refuse(w);
  return err;
}

static int name_begin(struct uv__work* w, const uv_getnameinfo_t* req) {
  struct uv__name_lookup* name = uv__malloc(sizeof(*name));
  struct uv__worker* called = NULL;

  if (name == NULL)
    return UV_ENOMEM;
  size_t size =
      uv__addr_os_len((const struct sockaddr*) (const void*) &req->storage);
  unsigned hash = uv__lookup_hash(0, &req->storage, size);
  lookup_init(&name->base, &name_item_kind, hash);
  name->addr = req->storage;
  name->flags = req->flags;
  uv__lookup_table_lock();
  int err = lookup_submit(&name->base, w, &called);
  uv__lookup_table_unlock();
  uv__pool_wake(called);
  if (err != 0)
    uv__free(name);
  return err;
}

int uv__lookup_name(uv_getnameinfo_t* req) {
  struct uv__work* w = &req->work_req;

  (void) is_pinned();
  waiter_init(w, req->loop, &uv__name_kind);
  int err = name_begin(w, req);
  if (err != 0)
    waiter_refuse(w);
  return err;
}

void uv__lookup_answered(uv_loop_t* loop,
                         struct uv__work* w,
                         const struct uv__work_kind* kind) {
  waiter_init(w, loop, kind);
  w->work = is_answered;
  (void) uv__work_push_done(loop, w);
}

/* ---- cancelling ---- */

/* Frees a lookup that nobody waits for any more if it does not run yet. */
static struct uv__lookup* take_unwanted(struct uv__lookup* lookup) {
  if (!uv__queue_empty(&lookup->waiters) ||
      uv__work_cancel(NULL, &lookup->item, lookup->item.kind) != 0)
    return NULL; /* or a worker has it */
  uv__lookup_table_remove(lookup);
  return lookup;
}

int uv__lookup_cancel(struct uv__work* w) {
  struct uv__lookup* unwanted = NULL;

  uv__lookup_table_lock();
  int is_waiter = w->work == is_waiting;
  int is_cancelled = w->work == uv__work_cancelled || w->work == is_answered;
  if (is_cancelled)
    w->work = uv__work_cancelled; /* it is on the loop's stack already */
  if (is_waiter) {
    struct uv__lookup* lookup = *place_of(w);
    w->work = uv__work_cancelled;
    /* A parent's threads are not here: nothing refers to the request. */
    if (lookup->generation == uv__lookups.generation) {
      uv__queue_remove(&w->wq);
      if (uv__is_observed())
        uv__observed_lookup_cancel(w);
      unwanted = take_unwanted(lookup);
    }
  }
  uv__lookup_table_unlock();

  if (unwanted != NULL)
    lookup_free(unwanted);
  if (is_waiter)
    (void) uv__work_push_done(w->loop, w);
  return is_waiter || is_cancelled ? 0 : UV_EBUSY;
}

/* ---- the shutdown ---- */

/* Moves all waiters of the lookup to `waiters`, cancelled. */
static void cancel_waiters(struct uv__lookup* lookup,
                           struct uv__queue* waiters) {
  for (struct uv__queue* q = lookup->waiters.next; q != &lookup->waiters;
       q = q->next)
    container_of(q, struct uv__work, wq)->work = uv__work_cancelled;
  uv__queue_splice(waiters, &lookup->waiters);
}

int uv__lookup_shutdown(void) {
  struct uv__queue waiters;

  uv__queue_init(&waiters);
  uv__lookup_table_lock();
  uv__lookups.is_over = 1;
  for (int i = 0; i < UV__LOOKUP_CHAINS; i++)
    for (struct uv__lookup* at = uv__lookups.chains[i]; at != NULL;
         at = at->next) {
      cancel_waiters(at, &waiters);
      /* It stays in the table, as those that run do. */
      (void) uv__work_cancel(NULL, &at->item, at->item.kind);
    }
  uv__lookup_table_unlock();

  while (!uv__queue_empty(&waiters)) {
    struct uv__queue* q = uv__queue_shift(&waiters);
    struct uv__work* w = container_of(q, struct uv__work, wq);
    (void) uv__work_push_done(w->loop, w);
  }
  return uv__load_relaxed(&pinned) == 1;
}
