/* SPDX-License-Identifier: MIT */
/* The thread pool as lines: its threads, the lookups in flight, the queued
 * requests and, while loops are observed, the running ones. The age of a
 * request is known only then as well: a request has no room for the time
 * (in-flight.h). A lookup has. */
#include "observe/dump/dump.h"
#include "observe/hooks.h"
#include "observe/in-flight.h"
#include "observe/trace/format.h"
#include "pool/lanes.h"
#include "pool/lookup.h"
#include "pool/registry.h"
#include "util/atomic.h"

#include <stdio.h>
#include <string.h>

/* Requests that are shown one by one. */
#define SHOWN_MAX 64
/* Bytes of a host's name that are shown. */
#define HOST_SHOWN 128

/* What waits, copied while the pool was locked. */
struct waiting {
  unsigned count; /* without lookups */
  unsigned count_of[UV__WORK_MAX];
  struct uv__record shown[SHOWN_MAX]; /* see uv__work_describe() */
  const struct uv__work* works[SHOWN_MAX];
};

static void copy(const struct uv__work* w, void* arg) {
  struct waiting* waiting = arg;

  waiting->count_of[w->kind->id]++;
  if (w->loop == NULL)
    return; /* see add_lookups() */
  if (waiting->count < SHOWN_MAX) {
    struct uv__record* record = &waiting->shown[waiting->count];
    memset(record, 0, sizeof(*record));
    record->loop = w->loop;
    uv__work_describe(record, w);
    waiting->works[waiting->count] = w;
  }
  waiting->count++;
}

static const char* name_of(struct uv__dump* dump,
                           const struct uv__record* record) {
  switch ((enum uv__work_id) record->type) {
  case UV__WORK_USER:
    return uv__symbol_name(&dump->symbols, record->symbol);
  case UV__WORK_FS:
    return uv__fs_type_name(record->op);
  case UV__WORK_SCAN:
    return "scan";
  case UV__WORK_RANDOM:
    return "random";
  case UV__WORK_GETADDRINFO:
    return "getaddrinfo";
  case UV__WORK_GETNAMEINFO:
    return "getnameinfo";
  case UV__WORK_MAX:
    break;
  }
  return "unknown";
}

static double ms_since(const struct uv__dump* dump, uint64_t ns) {
  return ns < dump->now_ns ? (double) (dump->now_ns - ns) / 1e6 : 0;
}

static void add_waiting(struct uv__dump* dump, const struct waiting* waiting) {
  for (unsigned i = 0; i < waiting->count && i < SHOWN_MAX; i++) {
    const struct uv__record* record = &waiting->shown[i];
    const struct uv__inflight* entry = NULL;

    if (uv__inflight_slots() != 0 && uv__is_observed())
      entry = uv__inflight_find(waiting->works[i]);
    uv__strbuf_add(&dump->text, "  waiting  %-4s %p %s, loop %p",
                   uv__work_name((enum uv__work_id) record->type),
                   record->object, name_of(dump, record), record->loop);
    if (entry != NULL)
      uv__strbuf_add(&dump->text, ", for %.3f ms",
                     ms_since(dump, uv__load_relaxed(&entry->submit_ns)));
    uv__strbuf_add(&dump->text, "\n");
  }
  if (waiting->count > SHOWN_MAX)
    uv__strbuf_add(&dump->text, "  and %u more\n", waiting->count - SHOWN_MAX);
}

/* A request that a worker has had; it may go on meanwhile, so nothing but the
 * table is read. */
static void add_started(struct uv__dump* dump,
                        const struct uv__inflight* entry) {
  uint64_t start_ns = uv__load_relaxed(&entry->start_ns);
  uint64_t end_ns = uv__load_relaxed(&entry->end_ns);
  unsigned work_id = uv__load_relaxed(&entry->work_id);

  if (start_ns == 0 ||
      (end_ns == 0 && uv__work_is_slow((enum uv__work_id) work_id)))
    return; /* see add_lookups() */
  uv__strbuf_add(
      &dump->text, "  %s %-4s of loop %p, for %.3f ms, age %.3f ms\n",
      end_ns == 0 ? "running " : "finished",
      uv__work_name((enum uv__work_id) work_id), uv__load_relaxed(&entry->loop),
      ms_since(dump, end_ns == 0 ? start_ns : end_ns),
      ms_since(dump, uv__load_relaxed(&entry->submit_ns)));
}

static void add_all_started(struct uv__dump* dump) {
  size_t slots = uv__is_observed() ? uv__inflight_slots() : 0;

  for (size_t i = 0; i < slots; i++) {
    const struct uv__inflight* entry = uv__inflight_at(i);
    if (uv__load_acquire(&entry->work) != NULL)
      add_started(dump, entry);
  }
}

/* The lookups, copied while the table was locked. */
struct in_flight {
  unsigned count;
  struct uv__lookup_view shown[SHOWN_MAX];
  char hosts[SHOWN_MAX][HOST_SHOWN]; /* with the service */
};

static void copy_lookup(const struct uv__lookup_view* view, void* arg) {
  struct in_flight* all = arg;
  unsigned i = all->count++;

  if (i >= SHOWN_MAX)
    return;
  all->shown[i] = *view;
  snprintf(all->hosts[i], HOST_SHOWN, "%s%s%s", view->host,
           view->service[0] == '\0' ? "" : ":", view->service);
}

static void add_lookups(struct uv__dump* dump) {
  struct in_flight all;

  all.count = 0;
  uv__lookup_look(copy_lookup, &all);
  uint64_t joined = uv__lookup_joined();
  if (all.count == 0 && joined == 0)
    return;
  uv__strbuf_add(
      &dump->text,
      "lookups: %u in flight, %llu requests so far shared another's\n",
      all.count, (unsigned long long) joined);
  for (unsigned i = 0; i < all.count && i < SHOWN_MAX; i++) {
    const struct uv__lookup_view* view = &all.shown[i];
    uv__strbuf_add(
        &dump->text, "  %s  dns  %p %s %s, for %.3f ms, %u requests\n",
        view->is_running ? "running" : "waiting", view->lookup,
        view->id == UV__WORK_GETADDRINFO ? "getaddrinfo" : "getnameinfo",
        all.hosts[i], ms_since(dump, view->begun_ns), view->waiters);
  }
  if (all.count > SHOWN_MAX)
    uv__strbuf_add(&dump->text, "  and %u more\n", all.count - SHOWN_MAX);
}

/* The name only if there are several. */
static void add_threads(struct uv__dump* dump,
                        const struct uv__pool_view* pool) {
  int is_only = strcmp(pool->name, UV__LANE_NAME_ALL) == 0;

  uv__strbuf_add(&dump->text, "pool%s%s: %u of %u threads, %u running",
                 is_only ? "" : " ", is_only ? "" : pool->name, pool->threads,
                 pool->size, pool->running);
  if (is_only)
    uv__strbuf_add(&dump->text, " (%u of at most %u name look-ups)",
                   pool->slow_running, pool->slow_max);
  if (pool->grown != 0)
    uv__strbuf_add(&dump->text, ", %u started because all were stuck",
                   pool->grown);
  if (pool->refused != 0)
    uv__strbuf_add(&dump->text, ", %u refused by the system", pool->refused);
}

/* Adds one pool; returns 0 if there is none with this number. */
static int add_pool(struct uv__dump* dump, unsigned i) {
  struct waiting waiting;
  struct uv__pool_view pool;

  waiting.count = 0;
  memset(waiting.count_of, 0, sizeof(waiting.count_of));
  if (!uv__registry_look(i, &pool, copy, &waiting))
    return 0;
  unsigned lookups = waiting.count_of[UV__WORK_GETADDRINFO] +
                     waiting.count_of[UV__WORK_GETNAMEINFO];
  add_threads(dump, &pool);
  uv__strbuf_add(
      &dump->text, ", %u requests waiting (fs %u, dns %u, work %u)\n",
      waiting.count + lookups,
      waiting.count_of[UV__WORK_FS] + waiting.count_of[UV__WORK_SCAN], lookups,
      waiting.count_of[UV__WORK_USER] + waiting.count_of[UV__WORK_RANDOM]);
  if (i == 0)
    add_all_started(dump);
  add_waiting(dump, &waiting);
  return 1;
}

void uv__dump_pool(struct uv__dump* dump) {
  unsigned i = 0;

  while (add_pool(dump, i))
    i++;
  if (i == 0)
    uv__strbuf_add(&dump->text, "pool: not started\n");
  add_lookups(dump);
}
