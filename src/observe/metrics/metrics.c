/* SPDX-License-Identifier: MIT */
#include "observe/metrics/metrics.h"
#include "loop/state.h"
#include "observe/in-flight.h"
#include "util/alloc.h"
#include "util/fork-lock.h"
#include "util/queue.h"

#include <string.h>

/* Handles are counted by type no more often than this. */
#define COUNT_NS UINT64_C(1000000000)
/* Slots probed for a callback. */
#define PROBES_MAX 16
/* Attempts to read a poll that does not change. */
#define READS_MAX 8

struct uv__pool_metrics uv__pool_metrics;

static struct uv__fork_lock list_lock;
static struct uv__metrics* list;
static unsigned last_number; /* of a loop; the list's lock */
/* What loops had counted when they were closed, added up: counters of the
 * process never go back. The list's lock. */
static struct uv__metrics closed;

static void counter_add(uint64_t* number, uint64_t n) {
  uv__store_relaxed(number, uv__load_relaxed(number) + n);
}

UV__NOINLINE static struct uv__metrics* metrics_make(uv_loop_t* loop) {
  struct uv__metrics* metrics = uv__calloc(1, sizeof(*metrics));

  if (metrics == NULL)
    return NULL;
  metrics->loop = loop;
  (void) uv__fork_lock(&list_lock);
  metrics->number = ++last_number;
  metrics->next = list;
  list = metrics;
  uv__fork_unlock(&list_lock);
  /* Release: the structure. Pairs with uvx_metrics(). */
  uv__store_release(&uv__loop_state(loop)->metrics, metrics);
  return metrics;
}

/* NULL if there is no memory, or the loop is closed. */
static struct uv__metrics* metrics_of(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  if (state == NULL)
    return NULL;
  return state->metrics != NULL ? state->metrics : metrics_make(loop);
}

void uv__metrics_each(void (*each)(const struct uv__metrics* metrics,
                                   void* arg),
                      void* arg) {
  (void) uv__fork_lock(&list_lock);
  for (const struct uv__metrics* s = list; s != NULL; s = s->next)
    each(s, arg);
  if (closed.iterations != 0)
    each(&closed, arg);
  uv__fork_unlock(&list_lock);
}

void uv__metrics_phase_begin(uv_loop_t* loop,
                             enum uv__phase phase,
                             uint64_t now_ns) {
  struct uv__metrics* metrics = metrics_of(loop);

  if (phase != UV__PHASE_POLL || metrics == NULL)
    return;
  uint64_t sum_ns = uv__load_relaxed(&metrics->phases[phase].sum_ns);
  uv__store_relaxed(&metrics->poll_sum_ns, sum_ns);
  /* Release: the sum. Pairs with uv__metrics_phase_ns(). */
  uv__store_release(&metrics->poll_begin_ns, now_ns);
  /* Lag: time since the previous poll ended. */
  if (metrics->poll_end_ns != 0)
    uv__histogram_add(&metrics->lag, now_ns - metrics->poll_end_ns);
}

/* The loop goes on meanwhile: if another poll has begun, this looks again, a
 * few times. A reader that meets a new one each time misses less than what one
 * of them takes. */
static uint64_t read_poll_ns(const struct uv__metrics* metrics,
                             uint64_t since_ns) {
  const uint64_t* sum_at = &metrics->phases[UV__PHASE_POLL].sum_ns;
  uint64_t sum_ns = 0;

  for (int i = 0; i < READS_MAX; i++) {
    /* Acquire: the sum at its begin. Pairs with uv__metrics_phase_begin(). */
    uint64_t begin_ns = uv__load_acquire(&metrics->poll_begin_ns);
    uint64_t before_ns = uv__load_acquire(&metrics->poll_sum_ns);
    sum_ns = uv__load_acquire(sum_at);
    uint64_t now_ns = uv_hrtime();
    if (uv__load_relaxed(&metrics->poll_begin_ns) != begin_ns)
      continue;
    if (begin_ns <= since_ns || now_ns <= begin_ns || sum_ns != before_ns)
      return sum_ns;
    return sum_ns + (now_ns - begin_ns);
  }
  return sum_ns;
}

uint64_t uv__metrics_phase_ns(const struct uv__metrics* metrics,
                              enum uv__phase phase,
                              uint64_t since_ns) {
  assert(phase < UV__PHASE_MAX);
  if (phase == UV__PHASE_POLL)
    return read_poll_ns(metrics, since_ns);
  return uv__load_relaxed(&metrics->phases[phase].sum_ns);
}

void uv__metrics_phase_end(uv_loop_t* loop, const struct uv__record* record) {
  struct uv__metrics* metrics = metrics_of(loop);

  if (metrics == NULL)
    return;
  uv__histogram_add(&metrics->phases[record->call],
                    record->end_ns - record->begin_ns);
  if (record->call == UV__PHASE_POLL)
    metrics->poll_end_ns = record->end_ns;
}

static void count_handles(const uv_loop_t* loop, struct uv__metrics* metrics) {
  uint64_t counts[UV_HANDLE_TYPE_MAX];
  const struct uv__queue* head = &loop->handle_queue;

  memset(counts, 0, sizeof(counts));
  for (const struct uv__queue* q = head->next; q != head; q = q->next)
    counts[container_of(q, uv_handle_t, handle_queue)->type]++;
  for (size_t i = 0; i < UV_HANDLE_TYPE_MAX; i++)
    uv__store_relaxed(&metrics->handles_of[i], counts[i]);
}

void uv__metrics_iteration(uv_loop_t* loop, const struct uv__record* record) {
  struct uv__metrics* metrics = metrics_of(loop);

  if (metrics == NULL)
    return;
  counter_add(&metrics->iterations, 1);
  counter_add(&metrics->events, (uint64_t) record->detail);
  uv__store_relaxed(&metrics->handles, record->flow >> 32);
  uv__store_relaxed(&metrics->requests, (uint32_t) record->flow);
  uv__histogram_add(&metrics->iteration, record->end_ns - record->begin_ns);
  if (record->end_ns - metrics->counted_ns >= COUNT_NS) {
    metrics->counted_ns = record->end_ns;
    count_handles(loop, metrics);
  }
}

/* What the table tells callbacks apart by. */
struct key {
  const void* symbol;
  unsigned type;
  unsigned call;
};

static int is_callback_of(const struct uv__metrics_callback* c,
                          const struct key* key) {
  return c->symbol == key->symbol && c->type == key->type &&
         c->call == key->call;
}

/* Where the callback is, or belongs, from slot i on. */
UV__NOINLINE static struct uv__metrics_callback* callback_find(
    struct uv__metrics* metrics,
    size_t i,
    const struct key* key) {
  for (size_t n = 0; n < PROBES_MAX; n++, i++) {
    struct uv__metrics_callback* c = &metrics->table[i % UV__METRICS_CALLBACKS];
    if (is_callback_of(c, key))
      return c;
    if (c->symbol == NULL) {
      uv__store_relaxed(&c->type, key->type);
      uv__store_relaxed(&c->call, key->call);
      /* Release: a reader that sees it sees the rest. Pairs with
       * gather_callbacks() in text.c. */
      uv__store_release(&c->symbol, key->symbol);
      return c;
    }
  }
  return &metrics->others;
}

static struct uv__metrics_callback* callback_of(struct uv__metrics* metrics,
                                                struct key key) {
  uint64_t hash = (uintptr_t) key.symbol + key.call + key.type * 32u;
  size_t i = (size_t) (hash * UINT64_C(0x9e3779b97f4a7c15) >> 40);
  struct uv__metrics_callback* c = &metrics->table[i % UV__METRICS_CALLBACKS];

  return is_callback_of(c, &key) ? c : callback_find(metrics, i, &key);
}

static void closed_add_callback(const struct uv__metrics_callback* from) {
  struct key key = { from->symbol, from->type, from->call };

  if (from->symbol == NULL)
    return;
  struct uv__metrics_callback* to = callback_of(&closed, key);
  counter_add(&to->count, from->count);
  counter_add(&to->ns, from->ns);
}

/* What a loop has now, handles and requests, is not added. With the lock. */
static void closed_add(const struct uv__metrics* metrics) {
  counter_add(&closed.iterations, metrics->iterations);
  counter_add(&closed.events, metrics->events);
  counter_add(&closed.callbacks, metrics->callbacks);
  for (size_t i = 0; i < UV__IO_MAX; i++) {
    counter_add(&closed.calls[i], metrics->calls[i]);
    counter_add(&closed.bytes[i], metrics->bytes[i]);
  }
  uv__histogram_merge(&closed.lag, &metrics->lag);
  uv__histogram_merge(&closed.iteration, &metrics->iteration);
  uv__histogram_merge(&closed.lateness, &metrics->lateness);
  for (size_t i = 0; i < UV__PHASE_MAX; i++)
    uv__histogram_merge(&closed.phases[i], &metrics->phases[i]);
  for (size_t i = 0; i < UV__METRICS_CALLBACKS; i++)
    closed_add_callback(&metrics->table[i]);
}

void uv__metrics_close_loop(uv_loop_t* loop) {
  struct uv__metrics* metrics = uv__loop_state(loop)->metrics;

  if (metrics == NULL)
    return;
  (void) uv__fork_lock(&list_lock);
  for (struct uv__metrics** p = &list; *p != NULL; p = &(*p)->next) {
    if (*p == metrics) {
      *p = metrics->next;
      break;
    }
  }
  closed_add(metrics);
  uv__fork_unlock(&list_lock);
  uv__free(metrics);
  uv__loop_state(loop)->metrics = NULL;
}

static void metrics_add_io(struct uv__metrics* metrics,
                           enum uv__io io,
                           int64_t result) {
  counter_add(&metrics->calls[io], 1);
  if (result > 0)
    counter_add(&metrics->bytes[io], (uint64_t) result);
}

void uv__metrics_io(uv_loop_t* loop, enum uv__io io, ssize_t result) {
  assert(io < UV__IO_MAX);
  struct uv__metrics* metrics = metrics_of(loop);

  if (metrics != NULL)
    metrics_add_io(metrics, io, result);
}

/* What a callback reports the result of; UV__IO_MAX: something else. */
static enum uv__io io_of(unsigned call) {
  if (call == UV__CALL_READ)
    return UV__IO_READ;
  if (call == UV__CALL_WRITE)
    return UV__IO_WRITE;
  return call == UV__CALL_RECV ? UV__IO_RECV : UV__IO_MAX;
}

void uv__metrics_callback(uv_loop_t* loop, const struct uv__record* record) {
  struct uv__metrics* metrics = metrics_of(loop);

  if (metrics == NULL)
    return;
  struct key key = { record->symbol, record->type, record->call };
  struct uv__metrics_callback* callback = callback_of(metrics, key);
  enum uv__io io = io_of(record->call);
  counter_add(&metrics->callbacks, 1);
  counter_add(&callback->count, 1);
  counter_add(&callback->ns, record->end_ns - record->begin_ns);
  if (io != UV__IO_MAX)
    metrics_add_io(metrics, io, record->value);
  else if (record->call == UV__CALL_TIMER && record->value >= 0)
    uv__histogram_add(&metrics->lateness, (uint64_t) record->value);
}

/* The public class of a class of work. */
static enum uvx_class class_of(enum uv__work_id work_id) {
  assert(work_id < UV__WORK_MAX);
  static const enum uvx_class of[] = {
    [UV__WORK_USER] = UVX_CLASS_WORK,
    [UV__WORK_RANDOM] = UVX_CLASS_WORK,
    [UV__WORK_FS] = UVX_CLASS_FS,
    [UV__WORK_SCAN] = UVX_CLASS_FS,
    [UV__WORK_GETADDRINFO] = UVX_CLASS_DNS,
    [UV__WORK_GETNAMEINFO] = UVX_CLASS_DNS,
  };
  static_assert(ARRAY_SIZE(of) == UV__WORK_MAX, "one per class");

  return of[work_id];
}

void uv__metrics_work(const struct uv__record* record) {
  enum uvx_class kind = class_of((enum uv__work_id) record->type);

  if (record->value >= 0)
    uv__histogram_add_shared(&uv__pool_metrics.queue[kind],
                             (uint64_t) record->value);
  uv__histogram_add_shared(&uv__pool_metrics.service[kind],
                           record->end_ns - record->begin_ns);
}

static void read_loop_metrics(uvx_metrics_t* m,
                              const struct uv__metrics* metrics) {
  m->iterations = uv__load_relaxed(&metrics->iterations);
  m->events = uv__load_relaxed(&metrics->events);
  m->callbacks = uv__load_relaxed(&metrics->callbacks);
  m->handles = uv__load_relaxed(&metrics->handles);
  m->requests = uv__load_relaxed(&metrics->requests);
  m->stream_reads = uv__load_relaxed(&metrics->calls[UV__IO_READ]);
  m->stream_writes = uv__load_relaxed(&metrics->calls[UV__IO_WRITE]);
  m->udp_recvs = uv__load_relaxed(&metrics->calls[UV__IO_RECV]);
  m->udp_sends = uv__load_relaxed(&metrics->calls[UV__IO_SEND]);
  m->stream_read_bytes = uv__load_relaxed(&metrics->bytes[UV__IO_READ]);
  m->stream_written_bytes = uv__load_relaxed(&metrics->bytes[UV__IO_WRITE]);
  m->udp_recv_bytes = uv__load_relaxed(&metrics->bytes[UV__IO_RECV]);
  m->udp_sent_bytes = uv__load_relaxed(&metrics->bytes[UV__IO_SEND]);
  uv__histogram_read(&m->lag, &metrics->lag);
  uv__histogram_read(&m->iteration, &metrics->iteration);
  uv__histogram_read(&m->timer_lateness, &metrics->lateness);
  for (size_t i = 0; i < UV__PHASE_MAX; i++)
    uv__histogram_read(&m->phases[i], &metrics->phases[i]);
}

static_assert(UVX_PHASES == (int) UV__PHASE_MAX, "one per phase");

int uvx_metrics(const uv_loop_t* loop, uvx_metrics_t* metrics, size_t size) {
  uvx_metrics_t m;

  if (loop == NULL || metrics == NULL || size < sizeof(m.version) ||
      uv__loop_state(loop) == NULL)
    return UV_EINVAL;
  /* Acquire: pairs with metrics_make(). */
  const struct uv__metrics* own =
      uv__load_acquire(&uv__loop_state(loop)->metrics);
  if (own == NULL)
    return UV_ENODATA;

  memset(&m, 0, sizeof(m));
  m.version = UVX_METRICS_VERSION;
  read_loop_metrics(&m, own);
  struct uv__inflight_count pool = uv__inflight_count();
  m.pool_queued = (uint64_t) pool.queued;
  m.pool_running = (uint64_t) pool.running;
  for (size_t i = 0; i < UVX_CLASSES; i++) {
    uv__histogram_read(&m.pool_queue[i], &uv__pool_metrics.queue[i]);
    uv__histogram_read(&m.pool_service[i], &uv__pool_metrics.service[i]);
  }
  memcpy(metrics, &m, uv__min_size(size, sizeof(m)));
  return 0;
}
