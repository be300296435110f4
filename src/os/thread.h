/* SPDX-License-Identifier: MIT */
/* What threads have in common on every platform. Context: any. */
#ifndef UV_OS_THREAD_H_
#define UV_OS_THREAD_H_

#include "util/base.h"

/* The requested stack size, 0 for the platform's default. Reads only fields
 * that the flags announce: the caller may have been compiled with a shorter
 * structure. */
size_t uv__thread_stack_size(const uv_thread_options_t* options);

/* Implemented by the platform; named after the public functions. Arguments have
 * been checked: pointers are valid (old_mask may be NULL), a mask has room for
 * all CPUs, a name for one character, priorities are in range. 0 or UV_E*. */
int uv__thread_os_create(uv_thread_t* tid,
                         const uv_thread_options_t* options,
                         uv_thread_cb entry,
                         void* arg);
int uv__thread_os_detach(uv_thread_t* tid);
int uv__thread_os_join(uv_thread_t* tid);
/* Lets another thread run. */
void uv__thread_os_yield(void);
/* Sleeps for the shortest time in which the system lets threads of any priority
 * run, about 50 us where it can. Not a point of cancellation; keeps errno.
 * Context: any | signal. */
void uv__thread_os_doze(void);
int uv__thread_os_setname(const char* name);
int uv__thread_os_getname(uv_thread_t* tid, char* name, size_t size);
int uv__thread_os_getpriority(uv_thread_t tid, int* priority);
int uv__thread_os_setpriority(uv_thread_t tid, int priority);
int uv__thread_os_getaffinity(uv_thread_t tid, char* mask, size_t size);
int uv__thread_os_setaffinity(uv_thread_t tid,
                              const char* mask,
                              char* old_mask,
                              size_t size);

/* Registers `reset` to run in the child of every later fork; does nothing where
 * processes do not fork. 0 or UV_E*. */
int uv__thread_os_at_fork(void (*reset)(void));

/* Starts a thread of the library's own, which no signal is delivered to, so
 * that none of the program's handlers run there and a write beyond a limit
 * fails instead of ending the process. */
int uv__thread_os_start_own(uv_thread_t* thread, uv_thread_cb entry);

/* Lets other threads go first where processors are scarce, as far as the system
 * knows priorities of threads. Context: the thread. */
void uv__thread_os_lower_priority(void);

/* The kernel's number of the calling thread. Context: any | signal. */
uint64_t uv__thread_os_id(void);

/* A number of the calling thread that no other one has at the same time; takes
 * a few instructions. Context: any | signal. */
uintptr_t uv__thread_os_self(void);

/* Stores the ends of the calling thread's stack, which grows towards `low`; 0
 * and 0 where the system does not say. May open a file. */
void uv__thread_os_stack(uintptr_t* low, uintptr_t* end);

/* A slot of each thread for a pointer; `at_exit` is called with it when a
 * thread ends that has one. Read with uv_key_get(). 0 or UV_E*. */
int uv__thread_os_key_create(uv_key_t* key, void (*at_exit)(void* data));
int uv__thread_os_key_set(const uv_key_t* key, void* data);

#endif /* UV_OS_THREAD_H_ */
