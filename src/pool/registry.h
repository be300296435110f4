/* SPDX-License-Identifier: MIT */
/* The pools that the program made, and one lock over the pools of the process:
 * for what concerns all of them, such as a pause of managed loops.
 *
 * The lock comes before that of a pool, and is held for rare things only; no
 * function of the program is called with it. */
#ifndef UV_POOL_REGISTRY_H_
#define UV_POOL_REGISTRY_H_

#include "pool/pool.h"
#include "uv/ext.h"

/* Guarded by the registry's lock, except what is marked otherwise. */
struct uvx_pool_s {
  struct uv__pool pool;
  uvx_pool_t* next;
  unsigned unreported;  /* atomic: items submitted and not reported yet */
  int is_ending;        /* uv_library_shutdown() waits for its threads */
  int has_ended;        /* and has done so */
  char thread_name[16]; /* fixed */
  /* For reports: no other pool has it; fixed. */
  char name[UV__POOL_NAME_SIZE];
};

/* Prepares the lock: 0, or an error of the system. The other functions may be
 * called once it returned 0. Context: any; so are all others here. */
int uv__registry_init(void);

void uv__registry_lock(void);
void uv__registry_unlock(void);
/* Wakes everybody in uv__registry_wait(). */
void uv__registry_broadcast(void);
/* Waits for a broadcast, with the lock. Returns 0 if the deadline has passed;
 * UINT64_MAX: never. */
int uv__registry_wait(uint64_t deadline_ns);

/* Grows with each fork, in the child: what was submitted before it is lost. */
unsigned uv__registry_generation(void);

/* Adds a pool, and names it in reports after its threads. 0, or UV_ECANCELED
 * after the shutdown. */
int uv__registry_add(uvx_pool_t* pool);
/* Removes a pool without unreported items: 0, UV_EBUSY. Waits for a shutdown
 * that is ending it. */
int uv__registry_remove(uvx_pool_t* pool);

/* Calls `each` for all pools, lanes included, with the registry's lock held by
 * the caller. */
void uv__registry_each(void (*each)(struct uv__pool* pool, void* arg),
                       void* arg);

/* uv__pool_flush() for the pools that the program made. */
void uv__registry_flush(void);

/* uv__pool_look() for pool `i`: the lanes, then those that the program made.
 * Returns 0 if there are not so many. */
int uv__registry_look(unsigned i,
                      struct uv__pool_view* view,
                      void (*look)(const struct uv__work* w, void* arg),
                      void* arg);

/* For uv_library_shutdown(), after the lanes': waits for the functions that
 * run, and leaves what is queued. */
void uv__registry_shutdown(void);

#endif /* UV_POOL_REGISTRY_H_ */
