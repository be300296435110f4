/* SPDX-License-Identifier: MIT */
/* Slices are written as soon as it is known which is inside which; tables that
 * they refer to by number come behind them.
 *
 * Of a long trace only the longest slices are drawn. The flame graph and the
 * curves are of all events.
 */
#include "timeline.h"
#include "base.h"
#include "flame.h"
#include "json.h"
#include "nest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TRACKS_MAX 1024
/* Slices of a thread that wait for the one around them. */
#define PENDING_MAX 4096
/* Points of the curves. */
#define BINS 800
/* Numbers of requests that JavaScript can hold. */
#define FLOW_MAX ((UINT64_C(1) << 53) - 1)

enum { IS_WORKER = 1, IS_LOOP = 2, IS_SENDER = 4 };

struct track {
  uint64_t tid;
  int kind;
  char* name;
  struct nest nest;
};

struct pool {
  uint64_t queued;
  uint64_t running;
};

struct bin {
  uint64_t lag_ns;     /* the largest that began or ended here */
  uint64_t busy_ns;    /* of all loops */
  struct pool max;     /* the largest numbers */
  struct pool last;    /* what the latest event said, at... */
  uint64_t last_ts_ns; /* ...this time; 0: there was none */
};

/* Where a request was submitted, or a handle sent to. */
struct submit {
  uint64_t id;
  uint64_t ts_ns;
  uint32_t track;
  int is_async;
};

struct timeline {
  FILE* out;
  struct analysis* a;
  uint64_t min_ns; /* slices shorter than this are not drawn... */
  uint64_t keep;   /* ...and of those in its bucket every keep-th */
  uint64_t equal;  /* of those, so far */
  uint64_t left;   /* slices that may still be drawn */
  uint64_t drawn;
  uint64_t bin_ns; /* a bin's width */
  struct bin bins[BINS];
  struct track tracks[TRACKS_MAX];
  size_t ntracks;
  struct map track_of; /* by thread */
  struct map lag_of;   /* place in lags, by loop */
  struct lag* lags;    /* ANALYSIS_LOOPS */
  struct submit* submits;
  size_t nsubmits;
  size_t submits_room;
  uint64_t submits_max;
  struct names details;
  struct flame flame;
  uint32_t loops_node; /* the two parts of the flame graph */
  uint32_t workers_node;
  uint32_t idle_name; /* "poll": waiting is not in the flame graph */
};

/* ---- the longest ---- */

struct limit {
  uint64_t rest;  /* shorter slices that must go */
  uint64_t min;   /* from here on all may stay... */
  uint64_t extra; /* ...but this many, of `count` in the first bucket */
  uint64_t count;
};

static void limit_pass(uint64_t low, uint64_t high, uint64_t count, void* arg) {
  struct limit* limit = arg;

  (void) high;
  if (limit->count != 0)
    return;
  limit->min = low;
  if (limit->rest < count) {
    limit->extra = limit->rest;
    limit->count = count;
  } else {
    limit->rest -= count;
  }
}

static void timeline_set_limit(struct timeline* t, uint64_t slices_max) {
  uint64_t all = t->a->lengths.count;
  struct limit limit = { all > slices_max ? all - slices_max : 0, 0, 0, 0 };

  histogram_each(&t->a->lengths, limit_pass, &limit);
  t->left = slices_max;
  t->submits_max = slices_max;
  t->min_ns = all > slices_max ? limit.min : 0;
  uint64_t stay = limit.count - limit.extra;
  t->keep = all <= slices_max || stay == 0 ? 1 : limit.count / stay + 1;
}

/* The histogram's bucket of the shortest that are drawn. */
static int is_boundary(const struct timeline* t, uint64_t ns) {
  return ns - t->min_ns <= t->min_ns >> (HISTOGRAM_BITS - 1);
}

static int is_drawn(struct timeline* t, uint64_t ns) {
  if (ns < t->min_ns || t->left == 0)
    return 0;
  if (t->keep > 1 && is_boundary(t, ns) && t->equal++ % t->keep != 0)
    return 0;
  t->left--;
  return 1;
}

/* ---- curves ---- */

static size_t bin_of(const struct timeline* t, uint64_t ns) {
  uint64_t at = ns < t->a->begin_ns ? 0 : ns - t->a->begin_ns;
  uint64_t i = at / t->bin_ns;

  return i < BINS ? (size_t) i : BINS - 1;
}

/* A loop was busy from one poll to the next. */
static void add_busy(struct timeline* t, uint64_t from, uint64_t to) {
  size_t last = bin_of(t, to);

  for (size_t i = bin_of(t, from); i <= last; i++) {
    uint64_t low = t->a->begin_ns + i * t->bin_ns;
    uint64_t high = low + t->bin_ns;
    low = from > low ? from : low;
    high = to < high ? to : high;
    t->bins[i].busy_ns += high > low ? high - low : 0;
    if (to - from > t->bins[i].lag_ns)
      t->bins[i].lag_ns = to - from;
  }
}

/* The loop that the event is of, or NULL if there are too many. */
static struct lag* lag_of(struct timeline* t, const struct event* event) {
  uint64_t address = event_address(event_text(event, "loop"));
  int is_new;

  if (t->lag_of.count == ANALYSIS_LOOPS)
    return NULL;
  if (address == 0)
    address = event->tid; /* a thread that is named after its loop */
  return &t->lags[map_add(&t->lag_of, address, (uint32_t) t->lag_of.count,
                          &is_new)];
}

static void add_poll(struct timeline* t, const struct event* event) {
  struct lag* lag = lag_of(t, event);
  struct gap gap;

  if (lag != NULL && lag_poll(lag, event->ts_ns, event->dur_ns, &gap))
    add_busy(t, gap.from_ns, gap.to_ns);
}

static void add_iteration(struct timeline* t, const struct event* event) {
  struct lag* lag = lag_of(t, event);
  struct gap gap;
  int64_t n = 0;

  (void) event_number(event, "n", 0, &n); /* 0 if it has none */
  if (lag != NULL && lag_iteration(lag, n, &gap))
    add_busy(t, gap.from_ns, gap.to_ns);
}

static uint64_t counter_of(const struct event* event, const char* key) {
  int64_t value = 0;

  return event_number(event, key, 0, &value) == 0 && value > 0
             ? (uint64_t) value
             : 0;
}

static void add_counter(struct timeline* t, const struct event* event) {
  struct bin* bin = &t->bins[bin_of(t, event->ts_ns)];

  if (strcmp(event->name, "pool") != 0)
    return;
  struct pool pool = { counter_of(event, "queued"),
                       counter_of(event, "running") };
  if (pool.queued > bin->max.queued)
    bin->max.queued = pool.queued;
  if (pool.running > bin->max.running)
    bin->max.running = pool.running;
  if (event->ts_ns >= bin->last_ts_ns) {
    bin->last_ts_ns = event->ts_ns;
    bin->last = pool;
  }
}

/* ---- tracks ---- */

static struct track* track_of(struct timeline* t, uint64_t tid) {
  int is_new = 0;

  if (t->ntracks == TRACKS_MAX)
    return NULL;
  uint32_t i = map_add(&t->track_of, tid, (uint32_t) t->ntracks, &is_new);
  if (is_new) {
    t->tracks[t->ntracks++].tid = tid;
    t->tracks[i].name = base_copy("");
  }
  return &t->tracks[i];
}

static void track_rename(struct timeline* t, const struct event* event) {
  struct track* track = track_of(t, event->tid);

  if (track == NULL || strcmp(event->name, "thread_name") != 0)
    return;
  free(track->name);
  track->name = base_copy(event_text(event, "name"));
}

/* ---- slices ---- */

static void draw(struct timeline* t, const struct slice* slice) {
  uint32_t depth = slice->depth;

  /* The first row is for phases and work. */
  if (depth == 0 && slice->kind == SLICE_CALLBACK)
    depth = 1;
  fprintf(t->out,
          "%s%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32
          ",%d,%" PRIu32 ",%s%" PRIu64,
          t->drawn == 0 ? "" : ",\n", slice->track,
          slice->begin_ns - t->a->begin_ns, slice->end_ns - slice->begin_ns,
          slice->name, depth, (int) slice->kind, slice->detail,
          slice->is_async ? "-" : "", slice->flow);
  t->drawn++;
}

static void take_slice(struct slice* slice,
                       const struct slice* parent,
                       void* arg) {
  struct timeline* t = arg;
  uint64_t ns = slice->end_ns - slice->begin_ns;

  if (parent != NULL)
    slice->node = parent->node;
  else
    slice->node = slice->kind == SLICE_WORK ? t->workers_node : t->loops_node;
  if (slice->name != t->idle_name)
    slice->node = flame_add(&t->flame, slice->node, slice->name, ns);
  if (is_drawn(t, ns))
    draw(t, slice);
}

/* What a person wants to know of a slice, as text. */
static uint32_t detail_of(struct timeline* t, const struct event* event) {
  static const struct {
    const char* key;
    const char* before;
    const char* after;
    int is_time;
  } rows[] = {
    { "fd", "fd ", "", 0 },
    { "pid", "pid ", "", 0 },
    { "signum", "signal ", "", 0 },
    { "bytes", "", " bytes", 0 },
    { "status", "status ", "", 0 },
    { "ready", "", " ready", 0 },
    { "late_us", "", " late", 1 },
    { "queued_us", "waited ", "", 1 },
    { "timeout_ms", "timeout ", " ms", 0 },
  };
  static const char* const texts[] = { "path",   "host", "peer", "command",
                                       "type",   "call", "op",   "class",
                                       "handle", "req" };
  char text[512];
  size_t len = 0;

  text[0] = '\0';
  for (size_t i = 0; i < ARRAY_SIZE(texts) && len < sizeof(text); i++) {
    const char* value = event_text(event, texts[i]);
    if (*value != '\0')
      len += (size_t) snprintf(text + len, sizeof(text) - len, "%s%s",
                               len == 0 ? "" : ", ", value);
  }
  for (size_t i = 0; i < ARRAY_SIZE(rows) && len < sizeof(text); i++) {
    int64_t value;
    char number[BASE_TEXT];
    if (event_number(event, rows[i].key, rows[i].is_time ? 3 : 0, &value) != 0)
      continue;
    if (rows[i].is_time)
      base_duration(number, value < 0 ? 0 : (uint64_t) value);
    else
      snprintf(number, sizeof(number), "%" PRId64, value);
    len += (size_t) snprintf(text + len, sizeof(text) - len, "%s%s%s%s",
                             len == 0 ? "" : ", ", rows[i].before, number,
                             rows[i].after);
  }
  return names_add(&t->details, text);
}

static void add_slice(struct timeline* t, const struct event* event) {
  struct track* track = track_of(t, event->tid);
  struct slice slice = { 0 };

  if (track == NULL)
    return;
  if (strcmp(event->cat, "iteration") == 0) {
    add_iteration(t, event);
    if (track->nest.count >= PENDING_MAX / 2)
      nest_flush(&track->nest, take_slice, t);
    return;
  }
  if (strcmp(event->cat, "phase") == 0)
    slice.kind = SLICE_PHASE;
  else if (strcmp(event->cat, "callback") == 0)
    slice.kind = SLICE_CALLBACK;
  else if (strcmp(event->cat, "work") == 0)
    slice.kind = SLICE_WORK;
  else
    return;
  /* A process that still runs has added events since they were counted. */
  if (event->ts_ns < t->a->begin_ns ||
      event->ts_ns + event->dur_ns > t->a->end_ns)
    return;
  track->kind |= slice.kind == SLICE_WORK ? IS_WORKER : IS_LOOP;
  if (slice.kind == SLICE_PHASE && strcmp(event->name, "poll") == 0)
    add_poll(t, event);
  slice.begin_ns = event->ts_ns;
  slice.end_ns = event->ts_ns + event->dur_ns;
  slice.name = analysis_name(t->a, event->name);
  slice.detail = event->dur_ns >= t->min_ns ? detail_of(t, event) : NAMES_OTHER;
  slice.track = (uint32_t) (track - t->tracks);
  if (track->nest.count >= PENDING_MAX)
    nest_flush(&track->nest, take_slice, t);
  nest_add(&track->nest, &slice);
}

/* A request's way: submitted (s), on a worker (t), to its callback (f); or a
 * handle's from uv_async_send() (s) to its callback (f), over and over. The
 * latter two follow the slice that they belong to. */
static void add_flow(struct timeline* t, const struct event* event) {
  struct track* track = track_of(t, event->tid);
  struct slice* last = track == NULL ? NULL : nest_last(&track->nest);
  uint64_t id = event_address(event->id);
  int is_async = strcmp(event->cat, "async") == 0;

  if (track == NULL || id == 0 || id > FLOW_MAX ||
      (!is_async && strcmp(event->cat, "work") != 0))
    return;
  if (event->ph != 's') {
    if (last != NULL && last->begin_ns == event->ts_ns) {
      last->flow = id;
      last->is_async = is_async;
    }
  } else if (t->nsubmits < t->submits_max && event->ts_ns >= t->a->begin_ns) {
    t->submits = base_grow(t->submits, t->nsubmits, &t->submits_room,
                           sizeof(*t->submits));
    struct submit submit = { id, event->ts_ns, (uint32_t) (track - t->tracks),
                             is_async };
    t->submits[t->nsubmits++] = submit;
    if (is_async)
      track->kind |= IS_SENDER;
  }
}

static void add_event(struct timeline* t, const struct event* event) {
  switch (event->ph) {
  case 'M':
    track_rename(t, event);
    break;
  case 'X':
    add_slice(t, event);
    break;
  case 'C':
    add_counter(t, event);
    break;
  case 's':
  case 't':
  case 'f':
    add_flow(t, event);
    break;
  }
}

/* Where the callback has most of its time; the loops if it has none. */
static uint32_t place_of(const struct timeline* t, uint32_t callback) {
  uint32_t best = t->loops_node;
  uint64_t ns = 0;

  for (size_t i = 1; i < t->flame.count; i++) {
    const struct flame_node* node = &t->flame.nodes[i];
    if (node->name == callback && node->ns > ns) {
      best = (uint32_t) i;
      ns = node->ns;
    }
  }
  return best;
}

/* Samples below the callback that they are of. They are scaled down if they
 * stand for more time than it took, as a sample stands for a whole period. */
static void add_stacks(struct timeline* t) {
  const struct flame* from = &t->a->stacks.tree;
  uint32_t* nodes = base_alloc(from->count, sizeof(*nodes));
  double* scales = base_alloc(from->count, sizeof(*scales));

  for (size_t i = 1; i < from->count; i++) {
    const struct flame_node* node = &from->nodes[i];
    if (node->parent == FLAME_ROOT) {
      nodes[i] = place_of(t, node->name);
      uint64_t ns = t->flame.nodes[nodes[i]].ns;
      scales[i] =
          ns != 0 && node->ns > ns ? (double) ns / (double) node->ns : 1;
      continue;
    }
    scales[i] = scales[node->parent];
    nodes[i] = flame_add(&t->flame, nodes[node->parent], node->name,
                         (uint64_t) ((double) node->ns * scales[i]));
    t->flame.nodes[nodes[i]].count += node->count - 1;
  }
  free(nodes);
  free(scales);
}

static void print_tracks(const struct timeline* t) {
  fprintf(t->out, "\"tracks\":[");
  for (size_t i = 0; i < t->ntracks; i++) {
    fprintf(t->out, "%s{\"tid\":\"%" PRIu64 "\",\"kind\":%d,\"name\":",
            i == 0 ? "" : ",", t->tracks[i].tid, t->tracks[i].kind);
    json_string(t->out, t->tracks[i].name);
    fputc('}', t->out);
  }
  fprintf(t->out, "],\n");
}

/* The pool stays as an event left it until the next one. */
static void print_bins(const struct timeline* t) {
  struct pool pool = { 0, 0 };

  fprintf(t->out, "\"bin_ns\":%" PRIu64 ",\"bins\":[", t->bin_ns);
  for (size_t i = 0; i < BINS; i++) {
    const struct bin* bin = &t->bins[i];
    struct pool max = bin->max;
    if (pool.queued > max.queued)
      max.queued = pool.queued;
    if (pool.running > max.running)
      max.running = pool.running;
    if (bin->last_ts_ns != 0)
      pool = bin->last;
    fprintf(t->out, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
            i == 0 ? "" : ",", bin->lag_ns, bin->busy_ns, max.queued,
            max.running);
  }
  fprintf(t->out, "],\n");
}

static void print_submits(const struct timeline* t) {
  fprintf(t->out, "\"submits\":[");
  for (size_t i = 0; i < t->nsubmits; i++)
    fprintf(t->out, "%s%s%" PRIu64 ",%" PRIu64 ",%" PRIu32, i == 0 ? "" : ",\n",
            t->submits[i].is_async ? "-" : "", t->submits[i].id,
            t->submits[i].ts_ns - t->a->begin_ns, t->submits[i].track);
  fprintf(t->out, "],\n");
}

static void timeline_close(struct timeline* t) {
  for (size_t i = 0; i < t->ntracks; i++) {
    free(t->tracks[i].name);
    nest_close(&t->tracks[i].nest);
  }
  map_close(&t->track_of);
  map_close(&t->lag_of);
  names_close(&t->details);
  flame_close(&t->flame);
  free(t->lags);
  free(t->submits);
  free(t);
}

int timeline_print(FILE* out, struct trace* trace, uint64_t slices_max) {
  struct timeline* t = base_alloc(1, sizeof(*t));
  struct event event;
  int result = reader_rewind(&trace->reader);

  t->out = out;
  t->a = &trace->analysis;
  t->bin_ns = (t->a->end_ns - t->a->begin_ns) / BINS + 1;
  t->lags = base_alloc(ANALYSIS_LOOPS, sizeof(*t->lags));
  names_init(&t->details);
  flame_init(&t->flame);
  struct names* names = &t->a->names;
  t->loops_node =
      flame_add(&t->flame, FLAME_ROOT, names_add(names, "loops"), 0);
  t->workers_node =
      flame_add(&t->flame, FLAME_ROOT, names_add(names, "workers"), 0);
  t->idle_name = names_add(&t->a->names, "poll");
  timeline_set_limit(t, slices_max);
  fprintf(out, "\"slices\":[");
  while (result >= 0 && (result = reader_next(&trace->reader, &event)) > 0)
    add_event(t, &event);
  for (size_t i = 0; i < t->ntracks; i++)
    nest_flush(&t->tracks[i].nest, take_slice, t);
  add_stacks(t);
  fprintf(out, "],\n\"not_drawn\":%" PRIu64 ",\"min_ns\":%" PRIu64 ",\n",
          t->a->lengths.count -
              (t->drawn < t->a->lengths.count ? t->drawn : t->a->lengths.count),
          t->min_ns);
  print_tracks(t);
  print_bins(t);
  print_submits(t);
  fprintf(out, "\"flame\":");
  flame_print(out, &t->flame);
  fprintf(out, ",\n\"details\":");
  json_names(out, &t->details);
  timeline_close(t);
  return result < 0 ? -1 : 0;
}
