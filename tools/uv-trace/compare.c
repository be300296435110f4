/* SPDX-License-Identifier: MIT */
/* Rows of the two traces are the same if they have the same name, type and call
 * (callbacks), or the same name (work on the pool). What one trace lacks has
 * zeros there. A row's difference is that of its total time.
 */
#include "compare.h"
#include "base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The same callback, or work, in both. */
struct pair {
  const char* name;
  const char* type; /* "" of work */
  const char* call;
  const struct histogram* time[2]; /* NULL: it does not occur */
};

struct pairs {
  struct pair* rows;
  size_t count;
  size_t room;
};

static uint64_t sum_of(const struct pair* pair, int side) {
  return pair->time[side] == NULL ? 0 : pair->time[side]->sum;
}

static uint64_t difference_of(const struct pair* pair) {
  uint64_t before = sum_of(pair, 0);
  uint64_t after = sum_of(pair, 1);

  return after > before ? after - before : before - after;
}

static int same_name(const void* a, const void* b) {
  const struct pair* x = a;
  const struct pair* y = b;
  int order = strcmp(x->name, y->name);

  if (order == 0)
    order = strcmp(x->type, y->type);
  return order != 0 ? order : strcmp(x->call, y->call);
}

static int by_difference(const void* a, const void* b) {
  uint64_t x = difference_of(a);
  uint64_t y = difference_of(b);

  if (x != y)
    return x < y ? 1 : -1;
  return same_name(a, b);
}

static void pairs_add(struct pairs* pairs,
                      int side,
                      const char* name,
                      const char* type,
                      const char* call,
                      const struct histogram* time) {
  struct pair pair = { name, type, call, { NULL, NULL } };

  pair.time[side] = time;
  pairs->rows =
      base_grow(pairs->rows, pairs->count, &pairs->room, sizeof(*pairs->rows));
  pairs->rows[pairs->count++] = pair;
}

static void pairs_add_callbacks(struct pairs* pairs,
                                int side,
                                const struct analysis* a) {
  for (size_t i = 0; i < a->ncallbacks; i++) {
    const struct callback* c = &a->callbacks[i];
    pairs_add(pairs, side, a->names.texts[c->name], a->names.texts[c->type],
              a->names.texts[c->call], &c->time);
  }
}

static void pairs_add_works(struct pairs* pairs,
                            int side,
                            const struct analysis* a) {
  for (size_t i = 0; i < a->nworks; i++)
    pairs_add(pairs, side, a->names.texts[a->works[i].name], "", "",
              &a->works[i].ran);
}

/* Neighbours in the order of names become one, then the largest come first. */
static void pairs_join(struct pairs* pairs) {
  size_t count = 0;

  if (pairs->count == 0)
    return;
  qsort(pairs->rows, pairs->count, sizeof(*pairs->rows), same_name);
  for (size_t i = 0; i < pairs->count; i++) {
    struct pair* row = &pairs->rows[i];
    struct pair* last = count == 0 ? NULL : &pairs->rows[count - 1];
    int side = row->time[0] == NULL;
    if (last == NULL || same_name(last, row) != 0 || last->time[side] != NULL)
      pairs->rows[count++] = *row;
    else
      last->time[side] = row->time[side];
  }
  pairs->count = count;
  qsort(pairs->rows, count, sizeof(*pairs->rows), by_difference);
}

static void print_side(FILE* out, const struct histogram* time) {
  char text[BASE_TEXT];

  if (time == NULL) {
    fprintf(out, " %9s %9s %9s", "-", "-", "-");
    return;
  }
  fprintf(out, " %9s", base_count(text, time->count));
  fprintf(out, " %9s", base_duration(text, time->sum));
  fprintf(out, " %9s", base_duration(text, histogram_percentile(time, 0.99)));
}

static void print_pair(FILE* out, const struct pair* pair) {
  int is_less = sum_of(pair, 1) < sum_of(pair, 0);
  char text[BASE_TEXT];
  char signed_text[BASE_TEXT + 1];

  base_duration(text, difference_of(pair));
  snprintf(signed_text, sizeof(signed_text), "%c%s", is_less ? '-' : '+', text);
  fprintf(out, " %11s", signed_text);
  print_side(out, pair->time[0]);
  fprintf(out, "  |");
  print_side(out, pair->time[1]);
  fprintf(out, "  %s", pair->name);
  if (pair->type[0] != '\0' && strcmp(pair->type, pair->call) == 0)
    fprintf(out, " (%s)", pair->type);
  else if (pair->type[0] != '\0')
    fprintf(out, " (%s %s)", pair->type, pair->call);
  fputc('\n', out);
}

static void print_pairs(FILE* out,
                        const char* title,
                        struct pairs* pairs,
                        size_t top) {
  char text[BASE_TEXT];

  pairs_join(pairs);
  if (pairs->count == 0)
    return;
  fprintf(out,
          "\n%s\n"
          "  difference     count     total       p99  |     count     total"
          "       p99  name\n",
          title);
  for (size_t i = 0; i < pairs->count && i < top; i++)
    print_pair(out, &pairs->rows[i]);
  if (pairs->count > top)
    fprintf(out, "  and %s more (--top N)\n",
            base_count(text, pairs->count - top));
  free(pairs->rows);
}

static void print_head(FILE* out,
                       const char* label,
                       const struct trace* trace) {
  const struct analysis* a = &trace->analysis;
  char text[BASE_TEXT];

  fprintf(out, "%s %s: %s, process %" PRId64 ", ", label, trace->path,
          a->program, a->pid);
  fprintf(out, "%s", base_duration(text, a->end_ns - a->begin_ns));
  fprintf(out, ", %s events", base_count(text, trace->reader.nevents));
  if (a->dropped != 0)
    fprintf(out, ", %s dropped", base_count(text, a->dropped));
  fputc('\n', out);
}

static void print_lag(FILE* out, const char* label, const struct analysis* a) {
  static const double shares[] = { 0.5, 0.9, 0.99, 0.999 };
  char text[BASE_TEXT];

  for (size_t i = 0; i < a->nloops; i++) {
    const struct histogram* lag = &a->loops[i].lag;
    fprintf(out, "  %-8s %#-16" PRIx64, label, a->loops[i].address);
    for (size_t k = 0; k < ARRAY_SIZE(shares); k++)
      fprintf(out, " %9s",
              base_duration(text, histogram_percentile(lag, shares[k])));
    fprintf(out, " %9s\n", base_duration(text, lag->max));
  }
}

void compare_print(FILE* out,
                   const struct trace* before,
                   const struct trace* after,
                   size_t top) {
  const struct trace* const traces[] = { before, after };
  struct pairs callbacks = { NULL, 0, 0 };
  struct pairs works = { NULL, 0, 0 };

  print_head(out, "before:", before);
  print_head(out, "after: ", after);
  fprintf(out, "\nLoop lag: busy time from one poll to the next\n"
               "           loop                    p50       p90       p99"
               "     p99.9       max\n");
  print_lag(out, "before", &before->analysis);
  print_lag(out, "after", &after->analysis);
  for (int side = 0; side < 2; side++) {
    pairs_add_callbacks(&callbacks, side, &traces[side]->analysis);
    pairs_add_works(&works, side, &traces[side]->analysis);
  }
  print_pairs(out, "Callbacks, before | after, by the difference of their time",
              &callbacks, top);
  print_pairs(out,
              "Thread pool, before | after, by the difference of their time",
              &works, top);
}
