/* SPDX-License-Identifier: MIT */
/* A trace that stays in memory, its last lines, until somebody wants the file:
 * the program, an operator's signal, the watchdog, a crash.
 *
 * The trace's thread writes the file. Where it does not respond to a crash, the
 * thread that crashes writes what there is. Context: the trace's thread, unless
 * it says something else.
 */
#ifndef UV_OBSERVE_TRACE_RECORDER_H_
#define UV_OBSERVE_TRACE_RECORDER_H_

#include "observe/symbols.h"
#include "observe/trace/format.h"
#include "os/private-file.h"

/* What is written at the end of a file takes no more than this. */
#define UV__TRACE_TAIL_MAX ((size_t) 64 << 10)

/* Keeps `size` bytes of text from now on; file and symbols are the caller's: 0
 * or UV_E*. Context: the session's lock, as the next two. */
int uv__trace_recorder_start(struct uv__private_file* file,
                             struct uv__symbols* symbols,
                             size_t size);
/* Forgets what is kept. Returns whether a file was ever written. */
int uv__trace_recorder_stop(void);
/* In a forked child. */
void uv__trace_recorder_fork(void);

int uv__trace_recorder_is_on(void);

/* Whole lines for the end of the record. */
void uv__trace_recorder_add(const char* lines, size_t length);

/* What each file begins with. Context: the session's lock. */
void uv__trace_recorder_set_head(const char* lines, size_t length);
/* A thread has got its name: each file begins with those of all threads, for
 * the lines that had them may be gone. */
void uv__trace_recorder_name_threads(int pid);

/* Does somebody want the file? Asked before the rings are read, so that what
 * happened before the wish is in it. */
int uv__trace_recorder_is_wanted(uint64_t now_ns);
/* Writes it. */
void uv__trace_recorder_serve(struct uv__trace_context* context,
                              uint64_t records,
                              uint64_t dropped);

/* The trace's thread has started. */
void uv__trace_recorder_begin(void);

/* Has the file written and waits for it: 0; UV_EINVAL: no record is kept;
 * UV_E*. Context: the session's lock. */
int uv__trace_recorder_write(void);
/* Has it written soon, at most once a second. Context: any, while it is on. */
void uv__trace_recorder_ask(void);

#endif /* UV_OBSERVE_TRACE_RECORDER_H_ */
