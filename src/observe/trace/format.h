/* SPDX-License-Identifier: MIT */
/* Records as lines of the Trace Event format; pure. */
#ifndef UV_OBSERVE_TRACE_FORMAT_H_
#define UV_OBSERVE_TRACE_FORMAT_H_

#include "observe/names.h"
#include "observe/record.h"

/* No record takes more text than this, however long the symbol. */
#define UV__TRACE_TEXT_MAX 2048
/* Escaped symbols are cut off after this many bytes. */
#define UV__TRACE_SYMBOL_MAX 255

/* Room for the numbers of process and thread as text. */
#define UV__TRACE_CONTEXT_MAX 64
/* Room for seconds as text. */
#define UV__TRACE_SECOND_MAX 24
/* Where a record was made; uv__trace_context_set() fills it in. */
struct uv__trace_context {
  int pid;
  uint64_t tid;
  const void* loop;  /* which callbacks and phases need not name; or NULL */
  const char* about; /* more arguments of the next callback or work, as text
                      * that begins with a comma; or NULL */
  size_t length;     /* of `text`, which is part of each event */
  char text[UV__TRACE_CONTEXT_MAX];
  /* The second of the last time that was written, and its text. */
  uint64_t second;
  size_t second_length;
  char second_text[UV__TRACE_SECOND_MAX];
};

/* Room for what a record is about: each byte may be escaped. */
#define UV__TRACE_ABOUT_MAX 512

/* What an event is about, as the context has it: `out` has room for
 * UV__TRACE_ABOUT_MAX bytes. Of a peer the text is the address. */
void uv__trace_format_about(char* out,
                            enum uv__about_kind kind,
                            const char* text,
                            size_t length);

/* The thread is not named after a loop; the caller sets `loop` if it is. */
void uv__trace_context_set(struct uv__trace_context* context,
                           int pid,
                           uint64_t tid);

/* Writes the events of a record, each a line ending in ",\n", to `out`, which
 * has room for UV__TRACE_TEXT_MAX bytes. `symbol` is the name of the record's
 * symbol, escaped. Returns the length. */
size_t uv__trace_format(char* out,
                        const struct uv__record* record,
                        struct uv__trace_context* context,
                        const char* symbol);
/* The same of the counters at the end of an iteration, from its record:
 * handles, requests, events. */
size_t uv__trace_format_counts(char* out,
                               const struct uv__record* record,
                               struct uv__trace_context* context);

/* The inside of a JSON string: `out` has room for UV__TRACE_SYMBOL_MAX + 1
 * bytes. What is not printable ASCII, which symbols and names of programs
 * seldom have, becomes a question mark. */
void uv__trace_escape(char* out, const char* s);

/* What a file begins with: by this, one of an earlier trace is known. The last
 * string is open, as the numbers of process and thread are put behind it. */
#define UV__TRACE_FIRST "[\n" UV__TRACE_EVENT
#define UV__TRACE_EVENT "{\"name\":\"uv_trace\",\"ph\":\"M"

/* Metadata: the process and the version of the format, or a thread. `path`
 * is the program's, left out if it is too long to be of use. */
size_t uv__trace_format_begin(char* out,
                              struct uv__trace_context* context,
                              const char* program,
                              const char* path,
                              const char* library);
size_t uv__trace_format_thread(char* out,
                               struct uv__trace_context* context,
                               const char* name,
                               const void* loop,
                               unsigned number);

/* `count` events were lost before `ns`. */
size_t uv__trace_format_dropped(char* out,
                                struct uv__trace_context* context,
                                uint64_t ns,
                                uint64_t count);

/* The signal that ends the process, or a fault that its handler gets. */
size_t uv__trace_format_crash(char* out,
                              struct uv__trace_context* context,
                              uint64_t ns,
                              int signum);

/* The last lines of a trace that was ended properly: how much it holds and
 * lacks, and the end of the array. */
size_t uv__trace_format_end(char* out,
                            struct uv__trace_context* context,
                            uint64_t records,
                            uint64_t dropped);

#endif /* UV_OBSERVE_TRACE_FORMAT_H_ */
