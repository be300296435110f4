/* SPDX-License-Identifier: MIT */
/* The lookups in flight, by what they ask: a hash table with chains. For
 * lookup.c; others see pool/lookup.h. Nothing here allocates. */
#ifndef UV_POOL_LOOKUP_TABLE_H_
#define UV_POOL_LOOKUP_TABLE_H_

#include "pool/lookup.h"
#include "util/fork-lock.h"

#define UV__LOOKUP_CHAINS 256

enum uv__lookup_state { UV__LOOKUP_QUEUED, UV__LOOKUP_RUNNING };

/* Guarded by the table's lock, except the query and the result, which are the
 * worker's while the resolver is at work. */
struct uv__lookup {
  struct uv__work item;     /* what the pool sees; its loop is NULL */
  struct uv__lookup* next;  /* in its chain */
  struct uv__queue waiters; /* their work_req.wq, in the order they joined */
  enum uv__lookup_state state;
  unsigned hash;
  unsigned generation; /* of the table */
  uint64_t begun_ns;   /* submitted; running since */
  int err;             /* what the resolver returned */
};

struct uv__addr_lookup {
  struct uv__lookup base;
  struct uv__addr_query query; /* its strings are in `text` */
  struct addrinfo hints;
  struct addrinfo* list;
  char text[1];
};

struct uv__name_lookup {
  struct uv__lookup base;
  struct sockaddr_storage addr;
  int flags;
  char host[NI_MAXHOST];
  char service[NI_MAXSERV];
};

/* Guarded by its lock, which a forked child takes over. */
struct uv__lookup_table {
  struct uv__fork_lock lock;
  struct uv__lookup* chains[UV__LOOKUP_CHAINS];
  struct uv__lookup*
      inherited[UV__LOOKUP_CHAINS]; /* the parent's: not leaked */
  unsigned generation;              /* a lookup of another one is of a parent */
  int is_over;     /* no more lookups; those that run deliver nothing */
  uint64_t joined; /* atomic: requests that joined another's lookup */
};

UV__HIDDEN extern struct uv__lookup_table uv__lookups;

/* In a forked child, the first call empties the table. */
void uv__lookup_table_lock(void);
void uv__lookup_table_unlock(void);

/* All of these with the table locked. Its hash is set. */
void uv__lookup_table_add(struct uv__lookup* lookup);
void uv__lookup_table_remove(struct uv__lookup* lookup);
/* Returns one of the same query that may be joined (R5), or NULL. */
struct uv__lookup* uv__lookup_table_find(const struct uv__addr_query* query,
                                         unsigned hash,
                                         uint64_t now_ns);

unsigned uv__addr_query_hash(const struct uv__addr_query* query);
/* Adds `size` bytes to a hash that begins with 0. */
unsigned uv__lookup_hash(unsigned hash, const void* data, size_t size);

static inline int uv__lookup_is_addr(const struct uv__lookup* lookup) {
  return lookup->item.kind->id == UV__WORK_GETADDRINFO;
}

static inline struct uv__addr_lookup* uv__addr_lookup_of(
    struct uv__lookup* lookup) {
  return container_of(lookup, struct uv__addr_lookup, base);
}

static inline struct uv__name_lookup* uv__name_lookup_of(
    struct uv__lookup* lookup) {
  return container_of(lookup, struct uv__name_lookup, base);
}

#endif /* UV_POOL_LOOKUP_TABLE_H_ */
