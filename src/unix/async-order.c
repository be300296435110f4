/* SPDX-License-Identifier: MIT */
#include "unix/async-order.h"

/* Distance between neighbours' numbers, to leave room for insertions. */
#define GAP ((uintptr_t) 1 << (sizeof(uintptr_t) * 4))

static void set_number(struct uv__queue* at, uintptr_t number) {
  container_of(at, uv_async_t, queue)->u.reserved[3] = (void*) number;
}

/* Spreads all numbers evenly. */
static void renumber_list(struct uv__queue* list) {
  uintptr_t count = 1;
  for (struct uv__queue* q = list->next; q != list; q = q->next)
    count++;

  uintptr_t gap = UINTPTR_MAX / count < GAP ? UINTPTR_MAX / count : GAP;
  uintptr_t number = 0;
  for (struct uv__queue* q = list->next; q != list; q = q->next)
    set_number(q, number += gap);
}

/* Returns a number between those of `at` and its successor, or 0. */
static uintptr_t number_behind(const struct uv__queue* list,
                               const struct uv__queue* at) {
  uintptr_t before = uv__async_list_number(list, at);

  if (at->next == list)
    return before > UINTPTR_MAX - GAP ? 0 : before + GAP;
  uintptr_t room = uv__async_list_number(list, at->next) - before;
  return room < 2 ? 0 : before + room / 2;
}

/* Makes room behind `at`: spreads the numbers of the handles that follow, no
 * more of them than necessary. If `count` of them share more than count * count
 * numbers, an insertion costs O(log n) on average, wherever it is (Dietz and
 * Sleator, "Two algorithms for maintaining order in a list"). */
static void make_room(struct uv__queue* list, struct uv__queue* at) {
  uintptr_t before = uv__async_list_number(list, at);
  uintptr_t range = 0;
  uintptr_t count = 1;
  struct uv__queue* end = at->next;

  for (; end != list; end = end->next, count++) {
    range = uv__async_list_number(list, end) - before;
    if (range / count > count)
      break;
  }
  if (end == list) {
    renumber_list(list);
    return;
  }
  for (struct uv__queue* q = at->next; q != end; q = q->next)
    set_number(q, before += range / count);
}

void uv__async_list_insert(struct uv__queue* list,
                           struct uv__queue* at,
                           uv_async_t* handle) {
  uintptr_t number = number_behind(list, at);

  if (number == 0) {
    make_room(list, at);
    number = number_behind(list, at);
  }
  uv__queue_insert_after(at, &handle->queue);
  set_number(&handle->queue, number);
}

static uintptr_t number_at(struct uv__queue* node) {
  return uv__async_number(uv__async_at(node));
}

/* Merges two sorted lists into the first. */
static void merge_run(struct uv__queue* to, struct uv__queue* from) {
  struct uv__queue* at = to->next;

  while (at != to && !uv__queue_empty(from)) {
    if (number_at(at) < number_at(from->next))
      at = at->next;
    else
      uv__queue_insert_after(at->prev, uv__queue_pop_front(from));
  }
  uv__queue_splice(to, from);
}

/* Takes the longest sorted run off the front of a chain. */
static void cut_run(uv_async_t** chain, struct uv__queue* run) {
  uv_async_t* handle = *chain;
  uintptr_t last;

  uv__queue_init(run);
  do {
    last = uv__async_number(handle);
    uv__queue_push_back(run, uv__async_node(handle));
    handle = *uv__async_link(handle);
  } while (handle != NULL && last < uv__async_number(handle));
  *chain = handle;
}

/* Works like a binary counter: two runs of rank i make one of rank i + 1. */
static void add_run(struct uv__async_runs* runs, struct uv__queue* run) {
  unsigned i = 0;

  for (; i < UV__ASYNC_RUNS - 1 && (runs->mask & (1u << i)); i++) {
    merge_run(run, &runs->run[i]);
    runs->mask &= ~(1u << i);
  }
  if (runs->mask & (1u << i)) {
    merge_run(&runs->run[i], run);
  } else {
    uv__queue_move(&runs->run[i], run);
    runs->mask |= 1u << i;
  }
}

void uv__async_runs_add(struct uv__async_runs* runs, uv_async_t* chain) {
  while (chain != NULL) {
    struct uv__queue run;
    cut_run(&chain, &run);
    add_run(runs, &run);
  }
}

void uv__async_runs_join(struct uv__async_runs* runs) {
  struct uv__queue all;

  if ((runs->mask & (runs->mask - 1)) == 0)
    return; /* at most one run */
  uv__queue_init(&all);
  for (unsigned i = 0; i < UV__ASYNC_RUNS; i++)
    if (runs->mask & (1u << i))
      merge_run(&all, &runs->run[i]);
  uv__queue_move(&runs->run[0], &all);
  runs->mask = 1;
}

uv_async_t* uv__async_runs_take_any(struct uv__async_runs* runs) {
  struct uv__queue* first = NULL;

  for (uint32_t left = runs->mask, i = 0; left != 0; left >>= 1, i++) {
    struct uv__queue* run = &runs->run[i];
    if (!(left & 1))
      continue;
    if (uv__queue_empty(run))
      runs->mask &= ~(1u << i);
    else if (first == NULL || number_at(run->next) < number_at(first))
      first = run->next;
  }
  if (first == NULL)
    return NULL;
  uv__queue_remove(first);
  return uv__async_at(first);
}
