/* SPDX-License-Identifier: MIT */
/* Threads write in blocks, so events of different threads are in no order; what
 * is remembered from event to event belongs to one loop, whose events are in
 * the order in which they ended.
 */
#include "analysis.h"
#include "base.h"

#include <stdlib.h>
#include <string.h>

const char* const phase_names[PHASE_MAX] = {
  [PHASE_TIMERS] = "timers", [PHASE_PENDING] = "pending",
  [PHASE_IDLE] = "idle",     [PHASE_PREPARE] = "prepare",
  [PHASE_POLL] = "poll",     [PHASE_EVENTS] = "events",
  [PHASE_CHECK] = "check",   [PHASE_CLOSING] = "closing",
};

void analysis_init(struct analysis* a) {
  memset(a, 0, sizeof(*a));
  a->program = base_copy("");
  a->library = base_copy("");
  a->begin_ns = UINT64_MAX;
  names_init(&a->names);
  stacks_init(&a->stacks);
}

static void works_close(struct work* works, size_t count) {
  for (size_t i = 0; i < count; i++) {
    histogram_close(&works[i].queued);
    histogram_close(&works[i].ran);
  }
  free(works);
}

void analysis_close(struct analysis* a) {
  for (size_t i = 0; i < a->nloops; i++) {
    histogram_close(&a->loops[i].lag);
    histogram_close(&a->loops[i].late);
  }
  for (size_t i = 0; i < a->ncallbacks; i++)
    histogram_close(&a->callbacks[i].time);
  works_close(a->classes, a->nclasses);
  works_close(a->works, a->nworks);
  histogram_close(&a->lengths);
  names_close(&a->names);
  stacks_close(&a->stacks);
  map_close(&a->loop_of);
  map_close(&a->named_of);
  map_close(&a->callback_of);
  map_close(&a->class_of);
  map_close(&a->work_of);
  map_close(&a->workers);
  free(a->loops);
  free(a->named);
  free(a->callbacks);
  free(a->program);
  free(a->library);
}

enum phase analysis_phase(const char* name) {
  int i = 0;

  while (i < PHASE_MAX && strcmp(phase_names[i], name) != 0)
    i++;
  return (enum phase) i;
}

uint32_t analysis_name(struct analysis* a, const char* name) {
  char text[SYMBOL_MAX];

  if (a->symbols != NULL && symbols_resolve(a->symbols, name, text) == 0)
    name = text;
  return names_add(&a->names, name);
}

/* An array of `*count` items of `size` bytes, at most `max`; the last is for
 * all that came too late. */
struct table {
  struct map* map; /* keys */
  void** items;
  size_t* count;
  size_t* room;
  size_t size;
  size_t max;
};

/* The index of a key's item, which is zero if it is new. */
static size_t table_place(const struct table* t, uint64_t key) {
  int is_new;
  uint32_t fresh = (uint32_t) (*t->count < t->max ? *t->count : t->max - 1);

  /* (The map need not grow with keys that share a place.) */
  if (t->map->count > 2 * t->max)
    return t->max - 1;
  uint32_t i = map_add(t->map, key, fresh, &is_new);
  if (is_new && *t->count < t->max) {
    *t->items = base_grow(*t->items, *t->count, t->room, t->size);
    memset((char*) *t->items + i * t->size, 0, t->size);
    ++*t->count;
  }
  return i;
}

/* The address of the loop that a thread is named after; 0 if it is not. */
static uint64_t* named_loop(struct analysis* a, uint64_t tid) {
  void* items = a->named;
  struct table table = { &a->named_of,      &items,
                         &a->nnamed,        &a->named_room,
                         sizeof(*a->named), ANALYSIS_LOOPS };
  size_t i = table_place(&table, tid);

  a->named = items;
  return &a->named[i];
}

static struct loop* loop_of(struct analysis* a, const struct event* event) {
  uint64_t address = event_address(event_text(event, "loop"));
  void* items = a->loops;
  struct table table = { &a->loop_of,       &items,
                         &a->nloops,        &a->loops_room,
                         sizeof(*a->loops), ANALYSIS_LOOPS };
  /* Slices need not name the loop that their thread is named after. */
  if (address == 0)
    address = *named_loop(a, event->tid);
  size_t i = table_place(&table, address);
  a->loops = items;
  struct loop* loop = &a->loops[i];

  if (loop->end_ns == 0) {
    loop->address = address;
    loop->begin_ns = event->ts_ns;
  }
  loop->tid = event->tid;
  if (event->ts_ns < loop->begin_ns)
    loop->begin_ns = event->ts_ns;
  if (event->ts_ns + event->dur_ns > loop->end_ns)
    loop->end_ns = event->ts_ns + event->dur_ns;
  return loop;
}

/* What the event is about: a path, a host. */
static uint32_t about_of(struct analysis* a, const struct event* event) {
  static const char* const keys[] = { "path", "host", "peer", "command" };

  for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
    const char* text = event_text(event, keys[i]);
    if (*text != '\0')
      return names_add(&a->names, text);
  }
  return 0;
}

static void incidents_add(struct analysis* a,
                          struct incidents* list,
                          struct incident* new,
                          const struct event* event) {
  size_t i = list->count;

  list->total++;
  if (i == ANALYSIS_WORST && new->ns <= list->rows[i - 1].ns)
    return;
  new->about = about_of(a, event); /* only of those that are kept */
  if (i < ANALYSIS_WORST)
    list->count++;
  else
    i--;
  for (; i > 0 && list->rows[i - 1].ns < new->ns; i--)
    list->rows[i] = list->rows[i - 1];
  list->rows[i] = *new;
}

/* Before the first poll the loop was busy since its first slice. */
static void add_poll(struct loop* loop, const struct event* event) {
  struct gap gap;
  int64_t ready = 0;

  if (loop->polls == 0 && event->ts_ns > loop->begin_ns)
    histogram_add(&loop->lag, event->ts_ns - loop->begin_ns);
  if (lag_poll(&loop->gaps, event->ts_ns, event->dur_ns, &gap))
    histogram_add(&loop->lag, gap.to_ns - gap.from_ns);
  loop->polls++;
  if (event_number(event, "ready", 0, &ready) == 0 && ready == 0)
    loop->polls_empty++;
}

static void add_iteration(struct analysis* a, const struct event* event) {
  struct loop* loop = loop_of(a, event);
  struct gap gap;
  int64_t n = 0;

  loop->iterations++;
  (void) event_number(event, "n", 0, &n); /* 0 if it has none */
  if (lag_iteration(&loop->gaps, n, &gap))
    histogram_add(&loop->lag, gap.to_ns - gap.from_ns);
}

static void add_phase(struct analysis* a, const struct event* event) {
  struct loop* loop = loop_of(a, event);
  enum phase phase = analysis_phase(event->name);

  if (phase == PHASE_MAX)
    return;
  loop->phases[phase].count++;
  loop->phases[phase].ns = base_add(loop->phases[phase].ns, event->dur_ns);
  if (event->dur_ns > loop->phases[phase].max_ns)
    loop->phases[phase].max_ns = event->dur_ns;
  if (phase == PHASE_POLL)
    add_poll(loop, event);
}

static void add_values(struct loop* loop,
                       struct callback* callback,
                       const struct event* event) {
  int64_t value;

  if (event_number(event, "bytes", 0, &value) == 0 && value > 0)
    callback->bytes = base_add(callback->bytes, (uint64_t) value);
  if (event_number(event, "status", 0, &value) == 0 && value < 0)
    callback->errors++;
  if (event_number(event, "late_us", 3, &value) == 0 && value >= 0)
    histogram_add(&loop->late, (uint64_t) value);
}

static void add_unfinished(struct analysis* a,
                           const struct event* event,
                           uint32_t name) {
  int64_t value = 0;

  if (event_number(event, "unfinished", 0, &value) != 0 ||
      a->nunfinished == ARRAY_SIZE(a->unfinished))
    return;
  a->unfinished[a->nunfinished].tid = event->tid;
  a->unfinished[a->nunfinished++].name = name;
}

static void add_callback(struct analysis* a, const struct event* event) {
  struct loop* loop = loop_of(a, event);
  uint32_t name = analysis_name(a, event->name);
  uint32_t type = names_add(&a->names, event_text(event, "type"));
  uint32_t call = names_add(&a->names, event_text(event, "call"));
  /* (Numbers of names have 18 bits.) */
  uint64_t key = (uint64_t) name << 40 | (uint64_t) type << 20 | call;
  void* items = a->callbacks;
  struct table table = { &a->callback_of,       &items,
                         &a->ncallbacks,        &a->callbacks_room,
                         sizeof(*a->callbacks), ANALYSIS_CALLBACKS };
  size_t i = table_place(&table, key);
  a->callbacks = items;
  struct callback* callback = &a->callbacks[i];

  if (callback->time.count == 0) {
    callback->name = name;
    callback->type = type;
    callback->call = call;
  }
  if (i == ANALYSIS_CALLBACKS - 1)
    callback->name = callback->type = callback->call = NAMES_OTHER;
  if (callback->time.count == 0 || event->dur_ns > callback->time.max)
    callback->max_ts_ns = event->ts_ns;
  histogram_add(&callback->time, event->dur_ns);
  loop->callback_ns = base_add(loop->callback_ns, event->dur_ns);
  add_values(loop, callback, event);
  struct incident slow = { event->dur_ns, event->ts_ns, 0, name, call, 0 };
  incidents_add(a, &a->slowest, &slow, event);
  add_unfinished(a, event, name);
}

static struct work* work_of(struct map* map,
                            struct work** works,
                            size_t* count,
                            size_t* room,
                            uint32_t name) {
  void* items = *works;
  struct table table = { map,  &items,          count,
                         room, sizeof(**works), ANALYSIS_WORKS };
  size_t i = table_place(&table, name);

  *works = items;
  struct work* work = *works + i;
  work->name = i == ANALYSIS_WORKS - 1 ? NAMES_OTHER : name;
  return work;
}

static void add_work(struct analysis* a, const struct event* event) {
  uint32_t name = analysis_name(a, event->name);
  uint32_t class_name = names_add(&a->names, event_text(event, "class"));
  struct work* both[] = {
    work_of(&a->class_of, &a->classes, &a->nclasses, &a->classes_room,
            class_name),
    work_of(&a->work_of, &a->works, &a->nworks, &a->works_room, name),
  };
  int64_t queued = -1;
  int is_new;
  int is_starved = 0;

  if (a->workers.count < ANALYSIS_CALLBACKS)
    map_add(&a->workers, event->tid, 0, &is_new);
  if (event_number(event, "queued_us", 3, &queued) == 0 && queued >= 0)
    is_starved = (uint64_t) queued > event->dur_ns &&
                 (uint64_t) queued >= a->starved_min_ns;
  for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
    histogram_add(&both[i]->ran, event->dur_ns);
    if (queued >= 0)
      histogram_add(&both[i]->queued, (uint64_t) queued);
    both[i]->starved += (uint64_t) is_starved;
  }
  if (is_starved) {
    struct incident incident = { (uint64_t) queued, event->ts_ns,
                                 event->dur_ns,     name,
                                 class_name,        0 };
    incident.ts_ns -=
        event->ts_ns < (uint64_t) queued ? event->ts_ns : (uint64_t) queued;
    incidents_add(a, &a->starved, &incident, event);
  }
}

/* Slices that are drawn. */
static void add_slice(struct analysis* a, const struct event* event) {
  a->slices++;
  if (strcmp(event->cat, "phase") == 0)
    add_phase(a, event);
  else if (strcmp(event->cat, "callback") == 0)
    add_callback(a, event);
  else if (strcmp(event->cat, "work") == 0)
    add_work(a, event);
  else
    return;
  histogram_add(&a->lengths, event->dur_ns);
}

static void set_text(char** to, const char* text) {
  free(*to);
  *to = base_copy(text);
}

static void add_thread_name(struct analysis* a, const struct event* event) {
  static const char loop[] = "loop ";
  const char* name = event_text(event, "name");

  if (strncmp(name, loop, strlen(loop)) == 0)
    *named_loop(a, event->tid) = event_address(name + strlen(loop));
}

static void add_metadata(struct analysis* a, const struct event* event) {
  if (strcmp(event->name, "process_name") == 0)
    set_text(&a->program, event_text(event, "name"));
  if (strcmp(event->name, "thread_name") == 0)
    add_thread_name(a, event);
  if (strcmp(event->name, "uv_trace") != 0)
    return;
  a->is_uv = 1;
  a->pid = event->pid;
  set_text(&a->library, event_text(event, "library"));
  if (a->symbols != NULL)
    symbols_set_program(a->symbols, event_text(event, "program"));
}

/* The callbacks that ran are in the file before it. */
static void add_crash(struct analysis* a, const struct event* event) {
  struct crash* crash = &a->crash;

  if (event_number(event, "signum", 0, &crash->signum) != 0)
    return;
  crash->tid = event->tid;
  crash->ts_ns = event->ts_ns;
  crash->name = 0;
  for (size_t i = 0; i < a->nunfinished; i++)
    if (a->unfinished[i].tid == event->tid)
      crash->name = a->unfinished[i].name;
}

/* The frames, the outermost first, as numbers of names; of a long stack the
 * inner ones. Returns how many. */
static size_t read_stack(struct analysis* a,
                         const char* stack,
                         uint32_t names[STACKS_FRAMES]) {
  char frame[SYMBOL_MAX];
  char name[SYMBOL_MAX];
  size_t count = 0;

  while (*stack != '\0') {
    size_t length = strcspn(stack, ";");
    snprintf(frame, sizeof(frame), "%.*s", (int) length, stack);
    stack += length + (stack[length] == ';');
    stacks_name(name, sizeof(name), frame);
    if (name[0] == '\0')
      continue;
    if (count == STACKS_FRAMES)
      memmove(names, names + 1, --count * sizeof(*names));
    names[count++] = analysis_name(a, name);
  }
  return count;
}

/* What is below the callback's own frame, if that is known. */
static void add_sample(struct analysis* a, const struct event* event) {
  uint32_t names[STACKS_FRAMES];
  uint32_t callback = analysis_name(a, event_text(event, "symbol"));
  size_t count = read_stack(a, event_text(event, "stack"), names);
  size_t first = count;
  int64_t ns = 0;

  if (event_number(event, "ns", 0, &ns) != 0 || ns <= 0 || count == 0)
    return;
  while (first > 0 && names[first - 1] != callback)
    first--;
  stacks_add(&a->stacks, callback, names + first, count - first, (uint64_t) ns);
}

static void add_instant(struct analysis* a, const struct event* event) {
  int64_t value = 0;

  if (strcmp(event->cat, "trace") == 0 && strcmp(event->name, "dropped") == 0) {
    if (event_number(event, "count", 0, &value) == 0 && value > 0)
      a->dropped = base_add(a->dropped, (uint64_t) value);
  } else if (strcmp(event->cat, "sample") == 0) {
    add_sample(a, event);
  } else if (strcmp(event->cat, "trace") == 0 &&
             strcmp(event->name, "crash") == 0) {
    add_crash(a, event);
  } else if (strcmp(event->cat, "watchdog") == 0 &&
             event_number(event, "ms", 6, &value) == 0 && value > 0) {
    struct incident incident = { (uint64_t) value,
                                 event->ts_ns,
                                 0,
                                 analysis_name(a, event_text(event, "symbol")),
                                 names_add(&a->names,
                                           event_text(event, "phase")),
                                 0 };
    incidents_add(a, &a->blocked, &incident, event);
  }
}

void analysis_add(struct analysis* a, const struct event* event) {
  if (event->ph == 'M') {
    add_metadata(a, event);
    return;
  }
  if (event->ts_ns < a->begin_ns)
    a->begin_ns = event->ts_ns;
  if (event->ts_ns + event->dur_ns > a->end_ns)
    a->end_ns = event->ts_ns + event->dur_ns;
  if (event->ph == 'X' && strcmp(event->cat, "iteration") == 0)
    add_iteration(a, event);
  else if (event->ph == 'X')
    add_slice(a, event);
  else if (event->ph == 'i')
    add_instant(a, event);
}

static int by_lag(const void* a, const void* b) {
  const struct loop* x = a;
  const struct loop* y = b;

  if (x->lag.sum != y->lag.sum)
    return x->lag.sum > y->lag.sum ? -1 : 1;
  return x->address < y->address ? -1 : x->address > y->address;
}

void analysis_end(struct analysis* a) {
  if (a->begin_ns > a->end_ns)
    a->begin_ns = a->end_ns = 0;
  /* After its last poll a loop was busy until its last slice ended. */
  for (size_t i = 0; i < a->nloops; i++) {
    struct loop* loop = &a->loops[i];
    const struct gap* gap = &loop->gaps.gap;
    if (gap->to_ns != 0)
      histogram_add(&loop->lag, gap->to_ns - gap->from_ns);
    if (loop->polls != 0 && loop->end_ns > loop->gaps.poll_end_ns)
      histogram_add(&loop->lag, loop->end_ns - loop->gaps.poll_end_ns);
  }
  if (a->nloops != 0)
    qsort(a->loops, a->nloops, sizeof(*a->loops), by_lag);
  stacks_sort(&a->stacks);
}

double analysis_seconds(const struct analysis* a) {
  return (double) (a->end_ns - a->begin_ns) / 1e9;
}

/* What analysis_order() sorts: qsort() has no argument to pass. */
struct rank {
  uint64_t ns;
  uint32_t i;
};

static int by_time(const void* a, const void* b) {
  const struct rank* x = a;
  const struct rank* y = b;

  if (x->ns != y->ns)
    return x->ns > y->ns ? -1 : 1;
  return x->i < y->i ? -1 : x->i > y->i;
}

uint32_t* analysis_order(const struct analysis* a) {
  struct rank* ranks = base_alloc(a->ncallbacks, sizeof(*ranks));
  uint32_t* order = base_alloc(a->ncallbacks, sizeof(*order));

  for (size_t i = 0; i < a->ncallbacks; i++) {
    ranks[i].ns = a->callbacks[i].time.sum;
    ranks[i].i = (uint32_t) i;
  }
  if (a->ncallbacks != 0)
    qsort(ranks, a->ncallbacks, sizeof(*ranks), by_time);
  for (size_t i = 0; i < a->ncallbacks; i++)
    order[i] = ranks[i].i;
  free(ranks);
  return order;
}
