/* SPDX-License-Identifier: MIT */
/* Red-black trees with the macro names of BSD's <sys/tree.h>. Installed because
 * libuv installs it; the library itself only needs RB_ENTRY.
 *
 *   struct node { int key; RB_ENTRY(node) entry; };
 *   RB_HEAD(tree, node);
 *   int compare(struct node* a, struct node* b);
 *   RB_GENERATE_STATIC(tree, node, entry, compare)
 *
 * Nodes are the caller's; nothing is allocated. All operations take O(log n).
 * Internally a side is a number, 0 for left and 1 for right, so that each case
 * is written once and not once per side.
 */
#ifndef UV_TREE_H_
#define UV_TREE_H_

#include <stddef.h>

#ifndef UV__UNUSED
# if defined(__GNUC__) || defined(__clang__)
#  define UV__UNUSED __attribute__((unused))
# else
#  define UV__UNUSED /* nothing */
# endif
#endif

#define RB_BLACK 0
#define RB_RED 1

#define RB_HEAD(name, type)                                                   \
struct name {                                                                 \
  struct type* rbh_root;                                                      \
}

#define RB_ENTRY(type)                                                        \
struct {                                                                      \
  struct type* rbe_left;                                                      \
  struct type* rbe_right;                                                     \
  struct type* rbe_parent;                                                    \
  int rbe_color;                                                              \
}

#define RB_INITIALIZER(root) { NULL }
#define RB_INIT(root) ((void) ((root)->rbh_root = NULL))

#define RB_ROOT(head) (head)->rbh_root
#define RB_EMPTY(head) (RB_ROOT(head) == NULL)
#define RB_LEFT(elm, field) (elm)->field.rbe_left
#define RB_RIGHT(elm, field) (elm)->field.rbe_right
#define RB_PARENT(elm, field) (elm)->field.rbe_parent
#define RB_COLOR(elm, field) (elm)->field.rbe_color

/* A program may define RB_AUGMENT(node) before including this, to keep data
 * about subtrees: it runs for every node below which something changed,
 * children before parents.
 */
#ifdef RB_AUGMENT
# define RB__AUGMENT_UP(elm, field)                                           \
  for (; (elm) != NULL; (elm) = RB_PARENT(elm, field))                        \
    RB_AUGMENT(elm)
#else
# define RB_AUGMENT(elm) ((void) 0)
# define RB__AUGMENT_UP(elm, field) ((void) 0)
#endif

#define RB__IS_RED(elm, field)                                                \
  ((elm) != NULL && RB_COLOR(elm, field) == RB_RED)

#define RB_PROTOTYPE(name, type, field, cmp)                                  \
  RB_PROTOTYPE_INTERNAL(name, type, field, cmp, extern)
#define RB_PROTOTYPE_STATIC(name, type, field, cmp)                           \
  RB_PROTOTYPE_INTERNAL(name, type, field, cmp, UV__UNUSED static)
#define RB_PROTOTYPE_INTERNAL(name, type, field, cmp, attr)                   \
attr struct type* name##_RB_INSERT(struct name*, struct type*);               \
attr struct type* name##_RB_REMOVE(struct name*, struct type*);               \
attr struct type* name##_RB_FIND(struct name*, struct type*);                 \
attr struct type* name##_RB_NFIND(struct name*, struct type*);                \
attr struct type* name##_RB_NEXT(struct type*);                               \
attr struct type* name##_RB_PREV(struct type*);                               \
attr struct type* name##_RB_MINMAX(struct name*, int);

#define RB_GENERATE(name, type, field, cmp)                                   \
  RB_GENERATE_INTERNAL(name, type, field, cmp, extern)
#define RB_GENERATE_STATIC(name, type, field, cmp)                            \
  RB_GENERATE_INTERNAL(name, type, field, cmp, UV__UNUSED static)
#define RB_GENERATE_INTERNAL(name, type, field, cmp, attr)                    \
  RB__GENERATE_LINKS(name, type, field)                                       \
  RB__GENERATE_BALANCE(name, type, field)                                     \
  RB__GENERATE_CHANGE(name, type, field, cmp, attr)                           \
  RB__GENERATE_LOOKUP(name, type, field, cmp, attr)                           \
  RB__GENERATE_WALK(name, type, field, attr)

/* Where pointers to nodes are stored, and turning a node towards a side: it
 * goes down there and its child from the other side takes its place.
 */
#define RB__GENERATE_LINKS(name, type, field)                                 \
UV__UNUSED static struct type** name##_RB_CHILD(struct type* elm, int side) { \
  return side ? &RB_RIGHT(elm, field) : &RB_LEFT(elm, field);                 \
}                                                                             \
                                                                              \
UV__UNUSED static struct type** name##_RB_SLOT(struct name* head,             \
                                               struct type* elm) {            \
  struct type* parent = RB_PARENT(elm, field);                                \
  if (parent == NULL)                                                         \
    return &RB_ROOT(head);                                                    \
  return name##_RB_CHILD(parent, elm == RB_RIGHT(parent, field));             \
}                                                                             \
                                                                              \
UV__UNUSED static void name##_RB_TURN(struct name* head,                      \
                                      struct type* elm,                       \
                                      int side) {                             \
  struct type* up = *name##_RB_CHILD(elm, !side);                             \
  struct type* inner = *name##_RB_CHILD(up, side);                            \
  *name##_RB_SLOT(head, elm) = up;                                            \
  RB_PARENT(up, field) = RB_PARENT(elm, field);                               \
  *name##_RB_CHILD(up, side) = elm;                                           \
  RB_PARENT(elm, field) = up;                                                 \
  *name##_RB_CHILD(elm, !side) = inner;                                       \
  if (inner != NULL)                                                          \
    RB_PARENT(inner, field) = elm;                                            \
  RB_AUGMENT(elm);                                                            \
  RB_AUGMENT(up);                                                             \
}

/* Repairs the colours: below GROWN there is a red node that may have a red
 * parent; at SHRUNK, a possibly absent child of parent, one black is missing.
 */
#define RB__GENERATE_BALANCE(name, type, field)                               \
UV__UNUSED static void name##_RB_GROWN(struct name* head, struct type* elm) { \
  struct type* parent = RB_PARENT(elm, field);                                \
  while (RB__IS_RED(parent, field)) {                                         \
    struct type* top = RB_PARENT(parent, field);                              \
    int side = parent == RB_RIGHT(top, field);                                \
    struct type* uncle = *name##_RB_CHILD(top, !side);                        \
    RB_COLOR(top, field) = RB_RED;                                            \
    if (RB__IS_RED(uncle, field)) {                                           \
      RB_COLOR(parent, field) = RB_BLACK;                                     \
      RB_COLOR(uncle, field) = RB_BLACK;                                      \
      elm = top;                                                              \
      parent = RB_PARENT(elm, field);                                         \
      continue;                                                               \
    }                                                                         \
    if (elm == *name##_RB_CHILD(parent, !side)) {                             \
      name##_RB_TURN(head, parent, side);                                     \
      parent = elm;                                                           \
    }                                                                         \
    RB_COLOR(parent, field) = RB_BLACK;                                       \
    name##_RB_TURN(head, top, !side);                                         \
    break;                                                                    \
  }                                                                           \
  RB_COLOR(RB_ROOT(head), field) = RB_BLACK;                                  \
}                                                                             \
                                                                              \
UV__UNUSED static void name##_RB_SHRUNK(struct name* head,                    \
                                        struct type* parent,                  \
                                        struct type* elm) {                   \
  while (parent != NULL && !RB__IS_RED(elm, field)) {                         \
    int side = elm == RB_RIGHT(parent, field);                                \
    struct type* other = *name##_RB_CHILD(parent, !side);                     \
    struct type* inner;                                                       \
    struct type* outer;                                                       \
    if (RB_COLOR(other, field) == RB_RED) {                                   \
      RB_COLOR(other, field) = RB_BLACK;                                      \
      RB_COLOR(parent, field) = RB_RED;                                       \
      name##_RB_TURN(head, parent, side);                                     \
      other = *name##_RB_CHILD(parent, !side);                                \
    }                                                                         \
    inner = *name##_RB_CHILD(other, side);                                    \
    outer = *name##_RB_CHILD(other, !side);                                   \
    if (!RB__IS_RED(inner, field) && !RB__IS_RED(outer, field)) {             \
      RB_COLOR(other, field) = RB_RED;                                        \
      elm = parent;                                                           \
      parent = RB_PARENT(elm, field);                                         \
      continue;                                                               \
    }                                                                         \
    if (!RB__IS_RED(outer, field)) {                                          \
      name##_RB_TURN(head, other, !side);                                     \
      outer = other;                                                          \
      other = inner;                                                          \
    }                                                                         \
    RB_COLOR(other, field) = RB_COLOR(parent, field);                         \
    RB_COLOR(parent, field) = RB_BLACK;                                       \
    RB_COLOR(outer, field) = RB_BLACK;                                        \
    name##_RB_TURN(head, parent, side);                                       \
    return;                                                                   \
  }                                                                           \
  if (elm != NULL)                                                            \
    RB_COLOR(elm, field) = RB_BLACK;                                          \
}

/* INSERT returns NULL, or the equal node that is there already, unchanged.
 * REMOVE returns the node given, which must be in the tree.
 */
#define RB__GENERATE_CHANGE(name, type, field, cmp, attr)                     \
attr struct type* name##_RB_INSERT(struct name* head, struct type* elm) {     \
  struct type* parent = NULL;                                                 \
  struct type** slot = &RB_ROOT(head);                                        \
  while (*slot != NULL) {                                                     \
    int order = cmp(elm, *slot);                                              \
    if (order == 0)                                                           \
      return *slot;                                                           \
    parent = *slot;                                                           \
    slot = name##_RB_CHILD(parent, order > 0);                                \
  }                                                                           \
  *slot = elm;                                                                \
  RB_LEFT(elm, field) = NULL;                                                 \
  RB_RIGHT(elm, field) = NULL;                                                \
  RB_PARENT(elm, field) = parent;                                             \
  RB_COLOR(elm, field) = RB_RED;                                              \
  parent = elm;                                                               \
  RB__AUGMENT_UP(parent, field);                                              \
  (void) parent;                                                              \
  name##_RB_GROWN(head, elm);                                                 \
  return NULL;                                                                \
}                                                                             \
                                                                              \
attr struct type* name##_RB_REMOVE(struct name* head, struct type* elm) {     \
  struct type* out = elm; /* leaves its place; has at most one child */       \
  struct type* child;                                                         \
  struct type* parent;                                                        \
  struct type* changed;                                                       \
  int color;                                                                  \
  if (RB_LEFT(elm, field) != NULL && RB_RIGHT(elm, field) != NULL)            \
    for (out = RB_RIGHT(elm, field); RB_LEFT(out, field) != NULL;)            \
      out = RB_LEFT(out, field);                                              \
  child = RB_LEFT(out, field);                                                \
  if (child == NULL)                                                          \
    child = RB_RIGHT(out, field);                                             \
  parent = RB_PARENT(out, field);                                             \
  color = RB_COLOR(out, field);                                               \
  *name##_RB_SLOT(head, out) = child;                                         \
  if (child != NULL)                                                          \
    RB_PARENT(child, field) = parent;                                         \
  if (out != elm) {                                                           \
    *name##_RB_SLOT(head, elm) = out;                                         \
    out->field = elm->field;                                                  \
    RB_PARENT(RB_LEFT(out, field), field) = out;                              \
    if (RB_RIGHT(out, field) != NULL)                                         \
      RB_PARENT(RB_RIGHT(out, field), field) = out;                           \
    if (parent == elm)                                                        \
      parent = out;                                                           \
  }                                                                           \
  changed = parent;                                                           \
  RB__AUGMENT_UP(changed, field);                                             \
  (void) changed;                                                             \
  if (color == RB_BLACK)                                                      \
    name##_RB_SHRUNK(head, parent, child);                                    \
  return elm;                                                                 \
}

/* FIND: the equal node or NULL. NFIND: the first that is not less, or NULL. */
#define RB__GENERATE_LOOKUP(name, type, field, cmp, attr)                     \
attr struct type* name##_RB_FIND(struct name* head, struct type* elm) {       \
  struct type* it = RB_ROOT(head);                                            \
  while (it != NULL) {                                                        \
    int order = cmp(elm, it);                                                 \
    if (order == 0)                                                           \
      break;                                                                  \
    it = *name##_RB_CHILD(it, order > 0);                                     \
  }                                                                           \
  return it;                                                                  \
}                                                                             \
                                                                              \
attr struct type* name##_RB_NFIND(struct name* head, struct type* elm) {      \
  struct type* it = RB_ROOT(head);                                            \
  struct type* best = NULL;                                                   \
  while (it != NULL) {                                                        \
    int order = cmp(elm, it);                                                 \
    if (order <= 0)                                                           \
      best = it;                                                              \
    if (order == 0)                                                           \
      break;                                                                  \
    it = *name##_RB_CHILD(it, order > 0);                                     \
  }                                                                           \
  return best;                                                                \
}

#define RB__GENERATE_WALK(name, type, field, attr)                            \
UV__UNUSED static struct type* name##_RB_LAST(struct type* elm, int side) {   \
  while (elm != NULL && *name##_RB_CHILD(elm, side) != NULL)                  \
    elm = *name##_RB_CHILD(elm, side);                                        \
  return elm;                                                                 \
}                                                                             \
                                                                              \
UV__UNUSED static struct type* name##_RB_STEP(struct type* elm, int side) {   \
  struct type* parent = RB_PARENT(elm, field);                                \
  if (*name##_RB_CHILD(elm, side) != NULL)                                    \
    return name##_RB_LAST(*name##_RB_CHILD(elm, side), !side);                \
  while (parent != NULL && elm == *name##_RB_CHILD(parent, side)) {           \
    elm = parent;                                                             \
    parent = RB_PARENT(elm, field);                                           \
  }                                                                           \
  return parent;                                                              \
}                                                                             \
                                                                              \
attr struct type* name##_RB_NEXT(struct type* elm) {                          \
  return name##_RB_STEP(elm, 1);                                              \
}                                                                             \
                                                                              \
attr struct type* name##_RB_PREV(struct type* elm) {                          \
  return name##_RB_STEP(elm, 0);                                              \
}                                                                             \
                                                                              \
attr struct type* name##_RB_MINMAX(struct name* head, int val) {              \
  return name##_RB_LAST(RB_ROOT(head), val > 0);                              \
}

#define RB_NEGINF -1
#define RB_INF 1

#define RB_INSERT(name, x, y) name##_RB_INSERT(x, y)
#define RB_REMOVE(name, x, y) name##_RB_REMOVE(x, y)
#define RB_FIND(name, x, y) name##_RB_FIND(x, y)
#define RB_NFIND(name, x, y) name##_RB_NFIND(x, y)
#define RB_NEXT(name, x) name##_RB_NEXT(x)
#define RB_PREV(name, x) name##_RB_PREV(x)
#define RB_MIN(name, x) name##_RB_MINMAX(x, RB_NEGINF)
#define RB_MAX(name, x) name##_RB_MINMAX(x, RB_INF)

/* The SAFE forms allow removing x; y is a second variable. FROM starts at y. */
#define RB_FOREACH(x, name, head)                                             \
  for ((x) = RB_MIN(name, head); (x) != NULL; (x) = RB_NEXT(name, x))
#define RB_FOREACH_FROM(x, name, y)                                           \
  for ((x) = (y); (x) != NULL && ((y) = RB_NEXT(name, x), 1); (x) = (y))
#define RB_FOREACH_SAFE(x, name, head, y)                                     \
  for ((x) = RB_MIN(name, head);                                              \
       (x) != NULL && ((y) = RB_NEXT(name, x), 1);                            \
       (x) = (y))
#define RB_FOREACH_REVERSE(x, name, head)                                     \
  for ((x) = RB_MAX(name, head); (x) != NULL; (x) = RB_PREV(name, x))
#define RB_FOREACH_REVERSE_FROM(x, name, y)                                   \
  for ((x) = (y); (x) != NULL && ((y) = RB_PREV(name, x), 1); (x) = (y))
#define RB_FOREACH_REVERSE_SAFE(x, name, head, y)                             \
  for ((x) = RB_MAX(name, head);                                              \
       (x) != NULL && ((y) = RB_PREV(name, x), 1);                            \
       (x) = (y))

#endif /* UV_TREE_H_ */
