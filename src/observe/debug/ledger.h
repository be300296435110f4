/* SPDX-License-Identifier: MIT */
/* What is open while UV_DEBUG is on: loops, their handles, and their requests
 * in the pool. It is kept apart from the program's memory, which is compared
 * with it (walk.c) and never trusted.
 *
 * One lock guards everything here; a forked child takes it from a thread that
 * does not exist there. Context: any, with the lock held.
 */
#ifndef UV_OBSERVE_DEBUG_LEDGER_H_
#define UV_OBSERVE_DEBUG_LEDGER_H_

#include "util/base.h"
#include "util/queue.h"

enum uv__entry_kind { UV__ENTRY_HANDLE, UV__ENTRY_REQUEST };

struct uv__ledger_loop {
  const uv_loop_t* loop;
  const void* state;       /* its internal_fields */
  uv_pid_t pid;            /* of the process that made or forked it */
  int is_reported;         /* once is enough */
  int is_lost;             /* what is open is no longer known */
  struct uv__queue things; /* the entries of its handles and requests */
  uintptr_t thread;        /* that ran it last, and the ends of its stack; 0 */
  uintptr_t stack_low;
  uintptr_t stack_end;
  struct uv__ledger_loop* next;
};

struct uv__ledger_entry {
  const void* object;  /* the handle, or the struct uv__work of a request */
  const void* request; /* that one, or NULL */
  enum uv__entry_kind kind;
  unsigned type;   /* uv_handle_type, or enum uv__work_id */
  int is_closing;  /* uv_close() was called */
  int is_reported; /* once is enough */
  struct uv__ledger_loop* owner;
  struct uv__queue in_loop; /* in owner->things */
  struct uv__ledger_entry* next;
};

void uv__ledger_lock(void);
/* 0 if a thread of this process has it. Context: any | signal. */
int uv__ledger_trylock(void);
void uv__ledger_unlock(void);

/* Has everything been entered? 0 once memory ran out: then what is not here may
 * be open nevertheless. */
int uv__ledger_is_complete(void);

/* NULL if it is not open. */
struct uv__ledger_loop* uv__ledger_find_loop(const uv_loop_t* loop);
/* NULL without memory. */
struct uv__ledger_loop* uv__ledger_add_loop(const uv_loop_t* loop);
/* Fills in `thread` and the fields after it, unless they are the caller's. */
void uv__ledger_find_stack(struct uv__ledger_loop* loop);
/* Also its entries. */
void uv__ledger_remove_loop(struct uv__ledger_loop* loop);

struct uv__ledger_entry* uv__ledger_find(enum uv__entry_kind kind,
                                         const void* object);
/* The object is in no entry. NULL without memory. */
struct uv__ledger_entry* uv__ledger_add(struct uv__ledger_loop* owner,
                                        enum uv__entry_kind kind,
                                        const void* object,
                                        unsigned type);
void uv__ledger_remove(struct uv__ledger_entry* entry);

#endif /* UV_OBSERVE_DEBUG_LEDGER_H_ */
