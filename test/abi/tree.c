/* SPDX-License-Identifier: MIT */
/* Goal: uv/tree.h keeps a tree that is sorted, balanced by the red-black
 * rules and complete, through any order of insertions and removals.
 * Method: pseudo-random changes, mirrored in an array of flags; the whole tree
 * is compared with it after each. Compiled as C89 and C++ too.
 */
#include <stdio.h>
#include <stdlib.h>

#define RB_AUGMENT(elm) augment(elm)

#include "uv/tree.h"

#define CHECK(cond)                                                            \
 do {                                                                          \
  if (!(cond)) {                                                               \
   fprintf(stderr, "tree.c:%d: %s\n", __LINE__, #cond);                        \
   exit(1);                                                                    \
  }                                                                            \
 } while (0)

enum { NODES = 200, CHANGES = 20000, HEIGHT_MAX = 16 };

struct node {
  int key;
  int count; /* nodes in this subtree, kept by augment() */
  RB_ENTRY(node) entry;
};

RB_HEAD(tree, node);

static int compare(const struct node* a, const struct node* b) {
  return (a->key > b->key) - (a->key < b->key);
}

static int subtree_count(const struct node* n) {
  return n == NULL ? 0 : n->count;
}

static void augment(struct node* n) {
  n->count =
      1 + subtree_count(RB_LEFT(n, entry)) + subtree_count(RB_RIGHT(n, entry));
}

RB_PROTOTYPE_STATIC(tree, node, entry, compare)
RB_GENERATE_STATIC(tree, node, entry, compare)

static struct node nodes[NODES];
static char present[NODES];
static struct tree tree = RB_INITIALIZER(&tree);

/* Black nodes from n up to the root; checks colours and links on the way. */
static int black_height(struct node* n) {
  int blacks = 0;
  int height = 0;
  for (; n != NULL; n = RB_PARENT(n, entry)) {
    struct node* parent = RB_PARENT(n, entry);
    CHECK(++height <= HEIGHT_MAX);
    if (parent == NULL)
      CHECK(n == RB_ROOT(&tree));
    else
      CHECK(n == RB_LEFT(parent, entry) || n == RB_RIGHT(parent, entry));
    if (RB_COLOR(n, entry) == RB_BLACK)
      blacks++;
    else
      CHECK(parent != NULL && RB_COLOR(parent, entry) == RB_BLACK);
  }
  return blacks;
}

static void check_balance(void) {
  struct node* n;
  int expected = -1;
  RB_FOREACH(n, tree, &tree) {
    if (RB_LEFT(n, entry) == NULL || RB_RIGHT(n, entry) == NULL) {
      int blacks = black_height(n);
      CHECK(expected == -1 || blacks == expected);
      expected = blacks;
    }
    CHECK(n->count == 1 + subtree_count(RB_LEFT(n, entry)) +
                          subtree_count(RB_RIGHT(n, entry)));
  }
}

static void check_content(void) {
  struct node* n = RB_MIN(tree, &tree);
  struct node* r = RB_MAX(tree, &tree);
  int i;
  for (i = 0; i < NODES; i++) {
    if (present[i]) {
      CHECK(n == &nodes[i]);
      n = RB_NEXT(tree, n);
    }
    if (present[NODES - 1 - i]) {
      CHECK(r == &nodes[NODES - 1 - i]);
      r = RB_PREV(tree, r);
    }
  }
  CHECK(n == NULL);
  CHECK(r == NULL);
}

static void check_lookup(int key) {
  struct node probe;
  int next = key;
  probe.key = key;
  CHECK(RB_FIND(tree, &tree, &probe) == (present[key] ? &nodes[key] : NULL));
  while (next < NODES && !present[next])
    next++;
  CHECK(RB_NFIND(tree, &tree, &probe) == (next < NODES ? &nodes[next] : NULL));
}

static void change(int key) {
  struct node twin;
  if (present[key]) {
    twin.key = key;
    CHECK(RB_INSERT(tree, &tree, &twin) == &nodes[key]);
    CHECK(RB_REMOVE(tree, &tree, &nodes[key]) == &nodes[key]);
  } else {
    CHECK(RB_INSERT(tree, &tree, &nodes[key]) == NULL);
  }
  present[key] = !present[key];
}

static void check_safe_walks(void) {
  struct node* n;
  struct node* next;
  int left = 0;
  RB_FOREACH_SAFE(n, tree, &tree, next) {
    if (n->key % 2 == 0)
      change(n->key);
    else
      left++;
  }
  check_content();
  RB_FOREACH_REVERSE(n, tree, &tree)
  left--;
  CHECK(left == 0);
  RB_FOREACH_REVERSE_SAFE(n, tree, &tree, next)
  change(n->key);
  CHECK(RB_EMPTY(&tree));
}

int main(void) {
  unsigned long seed = 1;
  int i;
  for (i = 0; i < NODES; i++)
    nodes[i].key = i;
  CHECK(RB_EMPTY(&tree));
  CHECK(RB_MIN(tree, &tree) == NULL);
  for (i = 0; i < CHANGES; i++) {
    seed = (seed * 1103515245ul + 12345ul) & 0x7ffffffful;
    change((int) (seed >> 8) % NODES);
    check_content();
    check_balance();
    check_lookup((int) (seed >> 4) % NODES);
  }
  check_safe_walks();
  for (i = 0; i < NODES; i++) /* ascending: the worst case without balance */
    change(i);
  check_balance();
  check_safe_walks();
  return 0;
}
