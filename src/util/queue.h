/* SPDX-License-Identifier: MIT */
/* Intrusive circular doubly linked list. The head is a node of its own; an
 * unlinked node points at itself, so that removing it twice is harmless.
 * No function allocates or fails. Walk a list that callbacks may change by
 * moving it to a local head and taking nodes off the front.
 */
#ifndef UV_UTIL_QUEUE_H_
#define UV_UTIL_QUEUE_H_

#include "util/base.h"

/* The structure of type `type` whose member `field` is the node `q`. */
#define uv__queue_entry(q, type, field)                                        \
 ((type*) ((char*) (q) -offsetof(type, field)))

static inline void uv__queue_init(struct uv__queue* q) {
  q->next = q;
  q->prev = q;
}

static inline int uv__queue_empty(const struct uv__queue* q) {
  return q->next == q;
}

static inline struct uv__queue* uv__queue_first(const struct uv__queue* q) {
  return q->next;
}

static inline struct uv__queue* uv__queue_next(const struct uv__queue* q) {
  return q->next;
}

/* Between two neighbours, so that nothing is read that is known: what was just
 * written to memory is slow to read back. */
static inline void uv__queue_link(struct uv__queue* before,
                                  struct uv__queue* node,
                                  struct uv__queue* after) {
  node->next = after;
  node->prev = before;
  after->prev = node;
  before->next = node;
}

static inline void uv__queue_insert_after(struct uv__queue* at,
                                          struct uv__queue* node) {
  uv__queue_link(at, node, at->next);
}

static inline void uv__queue_push_front(struct uv__queue* head,
                                        struct uv__queue* node) {
  uv__queue_link(head, node, head->next);
}

static inline void uv__queue_push_back(struct uv__queue* head,
                                       struct uv__queue* node) {
  uv__queue_link(head->prev, node, head);
}

/* Unlinks `node`; it is then a valid empty queue. */
static inline void uv__queue_remove(struct uv__queue* node) {
  struct uv__queue* before = node->prev;
  struct uv__queue* after = node->next;
  before->next = after;
  after->prev = before;
  uv__queue_init(node);
}

/* The same for a node that is not used as a queue until it is pushed again: it
 * is left as it was. */
static inline void uv__queue_unlink(struct uv__queue* node) {
  struct uv__queue* before = node->prev;
  struct uv__queue* after = node->next;
  before->next = after;
  after->prev = before;
}

/* Takes the first node off a list that is not empty. */
static inline struct uv__queue* uv__queue_pop_front(struct uv__queue* head) {
  struct uv__queue* node = head->next;
  assert(node != head);
  uv__queue_remove(node);
  return node;
}

/* The same; leaves the node as it was, like uv__queue_unlink(). */
static inline struct uv__queue* uv__queue_shift(struct uv__queue* head) {
  struct uv__queue* node = head->next;
  assert(node != head);
  head->next = node->next;
  node->next->prev = head;
  return node;
}

/* Moves the nodes of `from` up to and including `last` to the end of `to`. */
static inline void uv__queue_splice_until(struct uv__queue* to,
                                          struct uv__queue* from,
                                          struct uv__queue* last) {
  assert(last != from);
  struct uv__queue* first = from->next;
  from->next = last->next;
  last->next->prev = from;
  first->prev = to->prev;
  to->prev->next = first;
  last->next = to;
  to->prev = last;
}

/* Appends all of `from` to `to` and leaves `from` empty. */
static inline void uv__queue_splice(struct uv__queue* to,
                                    struct uv__queue* from) {
  if (uv__queue_empty(from))
    return;
  from->next->prev = to->prev;
  to->prev->next = from->next;
  from->prev->next = to;
  to->prev = from->prev;
  uv__queue_init(from);
}

/* Moves all of `from` to the uninitialised head `to`. */
static inline void uv__queue_move(struct uv__queue* to,
                                  struct uv__queue* from) {
  uv__queue_init(to);
  uv__queue_splice(to, from);
}

/* Reverses a chain of elements that are linked by the pointer at offset `link`,
 * NULL at its end: a stack becomes a list, oldest first. */
static inline void* uv__chain_reverse(void* newest, size_t link) {
  void* oldest = NULL;

  while (newest != NULL) {
    void** at = (void**) (void*) ((char*) newest + link);
    void* next = *at;
    *at = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

#endif /* UV_UTIL_QUEUE_H_ */
