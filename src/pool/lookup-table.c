/* SPDX-License-Identifier: MIT */
#include "pool/lookup-table.h"
#include "util/atomic.h"

#include <string.h>

struct uv__lookup_table uv__lookups;

void uv__lookup_table_lock(void) {
  struct uv__lookup_table* table = &uv__lookups;

  if (!uv__fork_lock(&table->lock))
    return;
  /* A new process: its lookups are of threads of the parent. */
  memcpy(table->inherited, table->chains, sizeof(table->chains));
  memset(table->chains, 0, sizeof(table->chains));
  table->generation++;
}

void uv__lookup_table_unlock(void) {
  uv__fork_unlock(&uv__lookups.lock);
}

static struct uv__lookup** chain_of(unsigned hash) {
  return &uv__lookups.chains[hash % UV__LOOKUP_CHAINS];
}

void uv__lookup_table_add(struct uv__lookup* lookup) {
  struct uv__lookup** chain = chain_of(lookup->hash);

  lookup->generation = uv__lookups.generation;
  lookup->next = *chain;
  *chain = lookup;
}

void uv__lookup_table_remove(struct uv__lookup* lookup) {
  struct uv__lookup** at = chain_of(lookup->hash);

  while (*at != lookup)
    at = &(*at)->next;
  *at = lookup->next;
}

/* FNV-1a. */
unsigned uv__lookup_hash(unsigned hash, const void* data, size_t size) {
  const unsigned char* bytes = data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

static unsigned hash_text(unsigned hash, const char* text) {
  return text == NULL ? hash : uv__lookup_hash(hash, text, strlen(text));
}

unsigned uv__addr_query_hash(const struct uv__addr_query* query) {
  return hash_text(hash_text(2166136261u, query->host), query->service);
}

static int is_same_text(const char* a, const char* b) {
  if (a == NULL || b == NULL)
    return a == b;
  return strcmp(a, b) == 0;
}

static int is_same_query(const struct uv__addr_query* a,
                         const struct uv__addr_query* b) {
  if (!is_same_text(a->host, b->host) || !is_same_text(a->service, b->service))
    return 0;
  if (a->hints == NULL || b->hints == NULL)
    return a->hints == b->hints;
  return a->hints->ai_flags == b->hints->ai_flags &&
         a->hints->ai_family == b->hints->ai_family &&
         a->hints->ai_socktype == b->hints->ai_socktype &&
         a->hints->ai_protocol == b->hints->ai_protocol;
}

/* May another request join it? (R5) */
static int is_fresh(const struct uv__lookup* lookup, uint64_t now_ns) {
  return lookup->state == UV__LOOKUP_QUEUED || now_ns < lookup->begun_ns ||
         now_ns - lookup->begun_ns < UV__LOOKUP_SHARED_NS;
}

struct uv__lookup* uv__lookup_table_find(const struct uv__addr_query* query,
                                         unsigned hash,
                                         uint64_t now_ns) {
  struct uv__lookup* at = *chain_of(hash);

  while (at != NULL &&
         !(uv__lookup_is_addr(at) && at->hash == hash && is_fresh(at, now_ns) &&
           is_same_query(&uv__addr_lookup_of(at)->query, query)))
    at = at->next;
  return at;
}

static unsigned count_waiters(const struct uv__lookup* lookup) {
  unsigned count = 0;
  const struct uv__queue* q;

  for (q = lookup->waiters.next; q != &lookup->waiters; q = q->next)
    count++;
  return count;
}

static void lookup_describe(struct uv__lookup* lookup,
                            struct uv__lookup_view* view) {
  const struct uv__addr_query* query = NULL;

  if (uv__lookup_is_addr(lookup))
    query = &uv__addr_lookup_of(lookup)->query;
  view->id = lookup->item.kind->id;
  view->lookup = lookup;
  view->host = query == NULL || query->host == NULL ? "" : query->host;
  view->service = query == NULL || query->service == NULL ? "" : query->service;
  view->is_running = lookup->state == UV__LOOKUP_RUNNING;
  view->waiters = count_waiters(lookup);
  view->begun_ns = lookup->begun_ns;
}

uint64_t uv__lookup_joined(void) {
  return uv__load_relaxed(&uv__lookups.joined);
}

void uv__lookup_look(void (*each)(const struct uv__lookup_view* view,
                                  void* arg),
                     void* arg) {
  uv__lookup_table_lock();
  for (int i = 0; i < UV__LOOKUP_CHAINS; i++)
    for (struct uv__lookup* at = uv__lookups.chains[i]; at != NULL;
         at = at->next) {
      struct uv__lookup_view view;
      lookup_describe(at, &view);
      each(&view, arg);
    }
  uv__lookup_table_unlock();
}
