/* SPDX-License-Identifier: MIT */
/* Delivery lists, and a search tree of each.
 *
 * Signal handlers follow the links from handle to handle. A change of the list
 * is one store, so a handler sees the list before it or after it. The tree
 * finds the handle in front of a new or leaving one in O(log n); no signal
 * handler looks at it.
 *
 * The tree is a treap: ordered like the list from left to right, and by a hash
 * of the address from the root down, which balances it whatever the order of
 * insertions. It needs no field beside the two children. A child of a fork,
 * which may find it half changed, builds it again from the links.
 */
#include "unix/signal-list.h"
#include "unix/signal.h"
#include "util/atomic.h"

/* Traits of a handle, in tree_entry.rbe_color. */
enum {
  ONE_SHOT = 1, /* wants one delivery only */
  LAST = 2      /* is or was one-shot: delivered last */
};

struct list_index {
  uv_signal_t* root;
  size_t npersistent; /* handles without ONE_SHOT */
};

static struct list_index list_indexes[UV__SIGNUM_MAX + 1];

static uv_signal_t** left_of(uv_signal_t* handle) {
  return &handle->tree_entry.rbe_left;
}

static uv_signal_t** right_of(uv_signal_t* handle) {
  return &handle->tree_entry.rbe_right;
}

/* Neighbours in memory get unrelated priorities; two handles never get the same
 * one, because every step can be reversed. */
static uint64_t priority_of(const uv_signal_t* handle) {
  uint64_t x = (uintptr_t) handle;

  for (int i = 0; i < 2; i++) {
    x *= UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 32;
  }
  return x;
}

/* Order of delivery, as in libuv: persistent handles before one-shot ones, each
 * kind by address. */
static int comes_before(const uv_signal_t* a, const uv_signal_t* b) {
  int a_is_last = a->tree_entry.rbe_color & LAST;
  int b_is_last = b->tree_entry.rbe_color & LAST;

  if (a_is_last != b_is_last)
    return b_is_last;
  return (uintptr_t) a < (uintptr_t) b;
}

/* Returns the handle in front of it, or NULL. */
static uv_signal_t* tree_insert(uv_signal_t** place, uv_signal_t* handle) {
  uint64_t priority = priority_of(handle);
  uv_signal_t* previous = NULL;

  while (*place != NULL && priority_of(*place) > priority) {
    if (comes_before(*place, handle)) {
      previous = *place;
      place = right_of(*place);
    } else {
      place = left_of(*place);
    }
  }

  /* Splits the tree that was there into what comes before and after. */
  uv_signal_t* rest = *place;
  uv_signal_t** before = left_of(handle);
  uv_signal_t** after = right_of(handle);
  *place = handle;
  while (rest != NULL) {
    if (comes_before(rest, handle)) {
      previous = rest;
      *before = rest;
      before = right_of(rest);
      rest = *before;
    } else {
      *after = rest;
      after = left_of(rest);
      rest = *after;
    }
  }
  *before = NULL;
  *after = NULL;
  return previous;
}

/* Merges the children of a handle in its place. */
static void tree_merge(uv_signal_t** place,
                       uv_signal_t* before,
                       uv_signal_t* after) {
  while (before != NULL && after != NULL) {
    if (priority_of(before) > priority_of(after)) {
      *place = before;
      place = right_of(before);
      before = *place;
    } else {
      *place = after;
      place = left_of(after);
      after = *place;
    }
  }
  *place = before != NULL ? before : after;
}

/* Returns 0 if the handle is not in the tree, otherwise 1 and the handle in
 * front of it, or NULL. */
static int tree_remove(uv_signal_t** place,
                       uv_signal_t* handle,
                       uv_signal_t** previous) {
  uv_signal_t* last_before = NULL;

  while (*place != NULL && *place != handle) {
    if (comes_before(*place, handle)) {
      last_before = *place;
      place = right_of(*place);
    } else {
      place = left_of(*place);
    }
  }
  if (*place == NULL)
    return 0;

  /* Those below it are closer. */
  for (uv_signal_t* closer = *left_of(handle); closer != NULL;
       closer = *right_of(closer))
    last_before = closer;
  *previous = last_before;
  tree_merge(place, *left_of(handle), *right_of(handle));
  return 1;
}

/* The link that follows a handle, or the first one. */
static uv_signal_t** link_after(int signum, uv_signal_t* previous) {
  return previous == NULL ? &uv__signal_slots[signum].first
                          : uv__signal_next(previous);
}

/* Returns the handle in front of it, or NULL. */
static uv_signal_t* index_add(int signum, uv_signal_t* handle) {
  struct list_index* index = &list_indexes[signum];

  index->npersistent += !(handle->tree_entry.rbe_color & ONE_SHOT);
  return tree_insert(&index->root, handle);
}

static void index_clear(int signum) {
  list_indexes[signum].root = NULL;
  list_indexes[signum].npersistent = 0;
}

enum uv__signal_listeners uv__signal_list_kind(int signum) {
  assert(signum > 0);
  assert(signum <= UV__SIGNUM_MAX);
  const struct list_index* index = &list_indexes[signum];

  if (index->npersistent != 0)
    return UV__LISTENERS_PERSISTENT;
  return index->root != NULL ? UV__LISTENERS_ONE_SHOT : UV__LISTENERS_NONE;
}

void uv__signal_list_add(uv_signal_t* handle,
                         int signum,
                         int one_shot,
                         int is_last) {
  assert(signum > 0);
  assert(signum <= UV__SIGNUM_MAX);
  handle->tree_entry.rbe_color =
      (one_shot ? ONE_SHOT : 0) | (is_last ? LAST : 0);
  uv_signal_t** link = link_after(signum, index_add(signum, handle));
  uv__store_relaxed(uv__signal_next(handle), uv__load_relaxed(link));
  /* Release: the handle. Pairs with uv__signal_handler(). */
  uv__store_release(link, handle);
}

int uv__signal_list_remove(uv_signal_t* handle, int signum) {
  assert(signum > 0);
  assert(signum <= UV__SIGNUM_MAX);
  struct list_index* index = &list_indexes[signum];
  uv_signal_t* previous = NULL;

  if (!tree_remove(&index->root, handle, &previous))
    return 0;
  index->npersistent -= !(handle->tree_entry.rbe_color & ONE_SHOT);
  uv__store_relaxed(link_after(signum, previous),
                    uv__load_relaxed(uv__signal_next(handle)));
  return 1;
}

void uv__signal_list_clear(int signum) {
  uv__store_relaxed(&uv__signal_slots[signum].first, NULL);
  index_clear(signum);
}

void uv__signal_list_repair(int signum) {
  uv_signal_t* handle = uv__load_relaxed(&uv__signal_slots[signum].first);

  index_clear(signum);
  for (; handle != NULL; handle = uv__load_relaxed(uv__signal_next(handle)))
    (void) index_add(signum, handle); /* it is linked already */
}
