/* SPDX-License-Identifier: MIT */
/* Entries are in a table of chains, by the address of the object, and in the
 * list of their loop. */
#include "observe/debug/ledger.h"
#include "os/thread.h"
#include "util/alloc.h"
#include "util/fork-lock.h"

#define CHAINS 4096 /* a power of two */

static struct uv__fork_lock lock;
static struct uv__ledger_entry* chains[CHAINS]; /* the lock's */
static struct uv__ledger_loop* loops;           /* the lock's: newest first */
static int is_partial;                          /* the lock's */

void uv__ledger_lock(void) {
  (void) uv__fork_lock(&lock);
}

int uv__ledger_trylock(void) {
  return uv__fork_trylock(&lock);
}

void uv__ledger_unlock(void) {
  uv__fork_unlock(&lock);
}

int uv__ledger_is_complete(void) {
  return !is_partial;
}

static struct uv__ledger_entry** chain_of(const void* object) {
  uint64_t key = (uintptr_t) object;

  return &chains[key * UINT64_C(0x9e3779b97f4a7c15) >> 40 & (CHAINS - 1)];
}

struct uv__ledger_loop* uv__ledger_find_loop(const uv_loop_t* loop) {
  struct uv__ledger_loop* at = loops;

  while (at != NULL && at->loop != loop)
    at = at->next;
  return at;
}

struct uv__ledger_loop* uv__ledger_add_loop(const uv_loop_t* loop) {
  struct uv__ledger_loop* made = uv__calloc(1, sizeof(*made));

  if (made == NULL) {
    is_partial = 1;
    return NULL;
  }
  made->loop = loop;
  made->state = loop->internal_fields;
  made->pid = uv_os_getpid();
  uv__queue_init(&made->things);
  made->next = loops;
  loops = made;
  return made;
}

void uv__ledger_find_stack(struct uv__ledger_loop* loop) {
  uintptr_t self = uv__thread_os_self();

  if (loop->thread == self)
    return;
  loop->thread = self;
  uv__thread_os_stack(&loop->stack_low, &loop->stack_end);
}

void uv__ledger_remove_loop(struct uv__ledger_loop* loop) {
  struct uv__ledger_loop** at = &loops;

  while (!uv__queue_empty(&loop->things))
    uv__ledger_remove(container_of(uv__queue_first(&loop->things),
                                   struct uv__ledger_entry, in_loop));
  while (*at != loop)
    at = &(*at)->next;
  *at = loop->next;
  uv__free(loop);
}

struct uv__ledger_entry* uv__ledger_find(enum uv__entry_kind kind,
                                         const void* object) {
  struct uv__ledger_entry* at = *chain_of(object);

  while (at != NULL && (at->object != object || at->kind != kind))
    at = at->next;
  return at;
}

struct uv__ledger_entry* uv__ledger_add(struct uv__ledger_loop* owner,
                                        enum uv__entry_kind kind,
                                        const void* object,
                                        unsigned type) {
  struct uv__ledger_entry** chain = chain_of(object);
  struct uv__ledger_entry* made = uv__calloc(1, sizeof(*made));

  if (made == NULL) {
    is_partial = 1;
    return NULL;
  }
  made->object = object;
  made->kind = kind;
  made->type = type;
  made->owner = owner;
  made->next = *chain;
  *chain = made;
  uv__queue_push_back(&owner->things, &made->in_loop);
  return made;
}

void uv__ledger_remove(struct uv__ledger_entry* entry) {
  struct uv__ledger_entry** at = chain_of(entry->object);

  while (*at != entry)
    at = &(*at)->next;
  *at = entry->next;
  uv__queue_remove(&entry->in_loop);
  uv__free(entry);
}
