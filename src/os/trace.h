/* SPDX-License-Identifier: MIT */
/* What tracing needs from the platform; src/<platform>/trace.c. */
#ifndef UV_OS_TRACE_H_
#define UV_OS_TRACE_H_

#include "util/base.h"
#include "util/string-builder.h"

/* Opens a file for writing, for its owner alone, and locks it against others
 * who would trace into it. `is_new`: fails with UV_EEXIST if it exists; else a
 * regular file of the user's own is overwritten, anything else is refused. The
 * fd, which a child does not inherit, or UV_E*. */
int uv__trace_os_open(const char* path, int is_new);

/* Writes all of it: 0 or UV_E*, also where a limit of the process ends it.
 * Context: any. */
int uv__trace_os_write(uv_file fd, const char* data, size_t size);
void uv__trace_os_close(uv_file fd);

/* Starts a thread of the library's own, which no signal is delivered to, so
 * that none of the program's handlers run there and a write beyond a limit
 * fails instead of ending the process. */
int uv__trace_os_start_thread(uv_thread_t* thread, uv_thread_cb entry);

/* Does the process have other threads? 1 where the system does not say.
 * Context: any. */
int uv__trace_os_has_threads(void);

/* Lets other threads go first where processors are scarce, as far as the system
 * knows priorities of threads. Context: the thread. */
void uv__trace_os_lower_priority(void);

/* Is the clock source of this name (clock.h) what the kernel's clock counts?
 * Then it has a constant rate and all processors agree on it. */
int uv__trace_os_clock_is(const char* source);

/* The kernel's number of the calling thread. Context: any | signal. */
uint64_t uv__trace_os_thread_id(void);

/* A slot of each thread for a pointer; `at_exit` is called with it when a
 * thread ends that has one. Read with uv_key_get(). 0 or UV_E*. */
int uv__trace_os_key_create(uv_key_t* key, void (*at_exit)(void* data));
int uv__trace_os_key_set(const uv_key_t* key, void* data);

/* Names the function at `address`, or the module and the offset there: as a
 * string of at most `size` bytes with its NUL. Context: any. */
void uv__trace_os_symbol(const void* address, char* name, size_t size);

/* What another thread does in the kernel, in words; "" if the system does not
 * provide it. Context: any. */
void uv__trace_os_thread_state(uint64_t tid, char* text, size_t size);

/* A line per thread of the process: number, name, what it does in the kernel;
 * nothing where the system does not provide it. Context: any. */
void uv__trace_os_add_threads(struct uv__strbuf* text);

/* The number of a signal, with or without "SIG" before its name. UV_EINVAL: no
 * such signal, or none for this; UV_ENOSYS: the system has none. */
int uv__trace_os_signal(const char* name);

/* Has the semaphore posted when the process gets the signal, beside handles
 * that wait for it: 0; UV_EBUSY if the program has changed its action; UV_E*.
 * One signal at a time. */
int uv__trace_os_signal_start(int signum, uv_sem_t* sem);
void uv__trace_os_signal_stop(int signum);

/* Frames of a backtrace, and how many of them are those of the handler. */
#define UV__BACKTRACE_MAX 64
#define UV__BACKTRACE_OWN 2

/* Prepares threads of the process to report their stack when they get the
 * signal: 0; UV_EBUSY if the program has changed its action; UV_ENOSYS; UV_E*.
 */
int uv__trace_os_backtrace_start(int signum);
void uv__trace_os_backtrace_stop(int signum);

/* Stores where a thread is, innermost frame first; returns how many, 0 if it
 * does not respond within a short time. Context: one thread at a time. */
size_t uv__trace_os_backtrace(uint64_t tid,
                              int signum,
                              const void** frames,
                              size_t max);

/* Names a place in the code: module, offset there, and the symbol before it if
 * there is one. Context: any. */
void uv__trace_os_place(const void* address, char* name, size_t size);

/* Writes all of it to standard error, as far as that takes it. */
void uv__trace_os_print(const char* text, size_t size);

/* Prints a line for the operator on standard error. */
void uv__trace_os_print_line(const char* line);

#endif /* UV_OS_TRACE_H_ */
