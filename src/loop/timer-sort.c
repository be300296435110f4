/* SPDX-License-Identifier: MIT */
/* Sorting the slots of timers that are due together: quicksort, in place,
 * because timers allocate nothing. Pivots are chosen at random, so that no
 * order of deadlines is slow. Slots are copied as a whole, because another
 * thread may still be reading their pointers (uv__timer_peek_due()).
 */
#include "loop/timer-sort.h"

/* Halvings of an array: there are fewer slots than 2^64. */
#define HALVINGS_MAX 64

/* Up to this, sorting by insertion is faster. */
#define RUN_MAX 12

static void sort_run(struct uv__timer_slot* slots, size_t count) {
  for (size_t i = 1; i < count; i++) {
    struct uv__timer_slot slot = slots[i];
    size_t k = i;
    for (; k > 0 && uv__timer_key_before(&slot, &slots[k - 1]); k--)
      slots[k] = slots[k - 1];
    slots[k] = slot;
  }
}

/* Puts slots that come before the first one's key before the others. Returns
 * where these begin: neither part is empty. */
static size_t part_slots(struct uv__timer_slot* slots, size_t count) {
  struct uv__timer_slot pivot = slots[0];
  size_t i = 0;
  size_t k = count - 1;

  for (;; i++, k--) {
    while (uv__timer_key_before(&slots[i], &pivot))
      i++;
    while (uv__timer_key_before(&pivot, &slots[k]))
      k--;
    if (i >= k)
      return k + 1;
    uv__timer_swap(&slots[i], &slots[k]);
  }
}

void uv__timer_sort(struct uv__timer_slot* slots, size_t count) {
  struct uv__timer_slot* todo[HALVINGS_MAX];
  size_t sizes[HALVINGS_MAX];
  size_t ntodo = 0;
  uint32_t random = 1;

  for (;;) {
    if (count <= RUN_MAX) {
      sort_run(slots, count);
      if (ntodo == 0)
        return;
      slots = todo[--ntodo];
      count = sizes[ntodo];
      continue;
    }
    random = random * 1664525u + 1013904223u;
    uv__timer_swap(&slots[0], &slots[(random >> 8) % count]);
    size_t cut = part_slots(slots, count);
    /* The smaller part first: there are never more than HALVINGS_MAX. */
    int is_left_smaller = cut < count - cut;
    todo[ntodo] = is_left_smaller ? slots + cut : slots;
    sizes[ntodo++] = is_left_smaller ? count - cut : cut;
    slots = is_left_smaller ? slots : slots + cut;
    count = is_left_smaller ? cut : count - cut;
  }
}
