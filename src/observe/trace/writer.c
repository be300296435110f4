/* SPDX-License-Identifier: MIT */
/* Every PERIOD_MS, or when a ring is a quarter full, formats all rings into a
 * buffer, oldest record first. That goes into the file when it is full or
 * PERIOD_MS old. A viewer sorts by time, so the threads need no common order.
 *
 * What was written stays readable whatever becomes of the process: one event is
 * one line, and only whole ones are written. When the file cannot be written to
 * any more, tracing stops and says so, once.
 *
 * Context: the session's thread.
 */
#include "observe/trace/writer.h"
#include "observe/background.h"
#include "observe/hooks.h"
#include "observe/symbols.h"
#include "observe/thread.h"
#include "observe/trace/format.h"
#include "observe/trace/notes.h"
#include "observe/trace/recorder.h"
#include "observe/trace/sends.h"
#include "os/private-file.h"
#include "os/system.h"
#include "os/thread.h"
#include "util/alloc.h"

#include <stdio.h>
#include <string.h>

#define PERIOD_MS 20
#define PERIOD_NS (UINT64_C(1000000) * PERIOD_MS)
/* How much text is written at once. */
#define BLOCK ((size_t) 256 << 10)
/* Records read before their slots are given back. */
#define BATCH 256

/* What the next record of a thread is about. */
struct text_of {
  const void* object;
  unsigned kind; /* enum uv__about_kind */
  size_t used;   /* 0: there is none */
  char bytes[UV__ABOUT_PIECES * UV__TEXT_BYTES];
  char formatted[UV__TRACE_ABOUT_MAX];
};

struct writer {
  struct uv__private_file file;
  int error;         /* why the file is not written to any more, or 0 */
  uint64_t since_ns; /* what began before is from another session */
  uint64_t flush_ns; /* when the buffer was written last */
  struct uv__trace_context context;
  struct text_of text; /* for the next record */
  struct uv__symbols symbols;
  uint64_t records;       /* in the file */
  uint64_t dropped;       /* not in the file */
  uint64_t sends_dropped; /* of those: calls of uv_async_send() */
  size_t used;            /* of `buffer` */
  char* buffer;           /* BLOCK, and room for one more record or note */
};

static struct writer writer;
static struct uv__background background;

static void flush_buffer(struct writer* w) {
  if (uv__trace_recorder_is_on()) {
    uv__trace_recorder_add(w->buffer, w->used);
  } else if (w->used != 0 && w->error == 0) {
    w->error = uv__private_file_os_write(&w->file, w->buffer, w->used);
    if (w->error != 0) {
      char line[128];
      uv__observe_stop(UV__OBSERVE_TRACE);
      snprintf(line, sizeof(line), "trace ended, cannot write: %s",
               uv_strerror(w->error));
      uv__os_print_line(line);
    }
  }
  w->used = 0;
}

/* Room for a record's text, of which take_text() is told the length. */
static char* buffer_room(struct writer* w) {
  return w->buffer + w->used;
}

static void take_text(struct writer* w, size_t length) {
  w->used += length;
  if (w->used >= BLOCK)
    flush_buffer(w);
}

static void take_piece(struct text_of* text, const struct uv__record* record) {
  struct uv__text_record piece;

  memcpy(&piece, record, UV__TEXT_ROOM);
  if (text->object != piece.object || text->kind != record->type)
    text->used = 0; /* its record was dropped */
  text->object = piece.object;
  text->kind = record->type;
  if (text->used + UV__TEXT_BYTES > sizeof(text->bytes))
    return;
  memcpy(text->bytes + text->used, piece.bytes, UV__TEXT_BYTES);
  text->used += UV__TEXT_BYTES;
}

/* The record may be another one, if that with the text was dropped. */
static const char* text_for(struct text_of* text,
                            const struct uv__record* record) {
  size_t used = text->used;

  text->used = 0;
  if (used == 0 || text->object != record->object)
    return NULL;
  uv__trace_format_about(text->formatted, (enum uv__about_kind) text->kind,
                         text->bytes, used);
  return text->formatted;
}

static void write_record(struct writer* w, const struct uv__record* record) {
  const char* symbol = "";

  if (record->kind == UV__RECORD_TEXT) {
    take_piece(&w->text, record);
    return;
  }
  w->context.about = text_for(&w->text, record);
  if (record->begin_ns < w->since_ns)
    return;
  w->records++;
  if (record->symbol != NULL)
    symbol = uv__symbol_name(&w->symbols, record->symbol);
  take_text(w, uv__trace_format(buffer_room(w), record, &w->context, symbol));
}

static void name_thread(struct writer* w, struct uv__observe_thread* thread) {
  const void* loop = uv__load_relaxed(&thread->loop);
  unsigned number = uv__load_relaxed(&thread->number);

  if (thread->named_tid == w->context.tid || (loop == NULL && number == 0))
    return;
  thread->named_tid = w->context.tid;
  thread->named_loop = loop;
  take_text(w, uv__trace_format_thread(buffer_room(w), &w->context,
                                       loop != NULL ? "loop" : "worker", loop,
                                       number));
  if (uv__trace_recorder_is_on())
    uv__trace_recorder_name_threads(w->context.pid);
}

/* Only when one of them changes, which most iterations do not. */
static void write_counts(struct writer* w,
                         struct uv__observe_thread* thread,
                         const struct uv__record* record) {
  if (record->begin_ns < w->since_ns ||
      (thread->counts.loop == record->loop &&
       thread->counts.flow == record->flow &&
       thread->counts.detail == record->detail))
    return;
  thread->counts.loop = record->loop;
  thread->counts.flow = record->flow;
  thread->counts.detail = record->detail;
  take_text(w, uv__trace_format_counts(buffer_room(w), record, &w->context));
}

static void write_thread(struct writer* w, struct uv__observe_thread* thread) {
  size_t left = uv__observe_thread_ready(thread);

  uv__trace_context_set(&w->context, w->context.pid,
                        uv__load_relaxed(&thread->tid));
  /* A text whose record is being added waits for it. */
  while (left != 0 &&
         uv__observe_thread_at(thread, left - 1)->kind == UV__RECORD_TEXT)
    left--;
  if (left != 0)
    name_thread(w, thread);
  if (thread->named_tid == w->context.tid)
    w->context.loop = thread->named_loop;
  /* What is recorded meanwhile is read in the next round. */
  while (left != 0) {
    size_t count = uv__min_size(left, BATCH);
    for (size_t i = 0; i < count; i++) {
      const struct uv__record* record = uv__observe_thread_at(thread, i);
      write_record(w, record);
      if (record->kind == UV__RECORD_ITERATION)
        write_counts(w, thread, record);
    }
    uv__observe_thread_consume(thread, count);
    left -= count;
  }

  uint64_t dropped = uv__load_relaxed(&thread->dropped);
  w->dropped += dropped - thread->reported_dropped;
  thread->reported_dropped = dropped;
}

static void write_sends(struct writer* w) {
  struct uv__record record;
  uint64_t tid;

  while (uv__trace_send_take(&record, &tid)) {
    uv__trace_context_set(&w->context, w->context.pid, tid);
    write_record(w, &record);
  }
  uint64_t dropped = uv__trace_sends_dropped();
  w->dropped += dropped - w->sends_dropped;
  w->sends_dropped = dropped;
}

static void write_notes(struct writer* w) {
  struct uv__trace_note* note = uv__trace_notes_take();

  while (note != NULL) {
    struct uv__trace_note* next = note->next;
    memcpy(buffer_room(w), note->line, note->length);
    take_text(w, note->length);
    uv__free(note);
    note = next;
  }
}

static void write_all(struct writer* w) {
  uint64_t dropped = w->dropped;

  for (struct uv__observe_thread* t = uv__observe_threads(); t; t = t->next)
    write_thread(w, t);
  write_sends(w);
  write_notes(w);
  if (w->dropped != dropped)
    take_text(w, uv__trace_format_dropped(buffer_room(w), &w->context,
                                          uv_hrtime(), w->dropped - dropped));
}

static void run_round(void) {
  struct writer* w = &writer;
  uint64_t now_ns = uv_hrtime();
  int is_wanted = uv__trace_recorder_is_wanted(now_ns);

  write_all(w);
  if (is_wanted || now_ns - w->flush_ns >= PERIOD_NS / 2) {
    w->flush_ns = now_ns;
    flush_buffer(w);
  }
  if (is_wanted)
    uv__trace_recorder_serve(&w->context, w->records, w->dropped);
}

static void write_begin(struct writer* w) {
  char path[1024] = "";
  size_t size = sizeof(path);
  const char* name = path;
  char library[64];

  if (uv_exepath(path, &size) != 0)
    path[0] = '\0';
  for (const char* p = path; *p != '\0'; p++)
    if (*p == '/' || *p == '\\')
      name = p + 1;
  snprintf(library, sizeof(library), "blacklight %s", uv_version_string());
  memcpy(w->buffer, "[\n", 2);
  w->used = 2;
  take_text(w, uv__trace_format_begin(buffer_room(w), &w->context, name, path,
                                      library));
}

static void run_thread(void* arg) {
  (void) arg;
  (void) uv_thread_setname("libuv-trace");
  uv__thread_os_lower_priority();
  if (uv__trace_recorder_is_on())
    uv__trace_recorder_begin();
  int is_last;
  do {
    is_last = uv__background_sleep(&background, PERIOD_MS);
    run_round();
  } while (!is_last);
}

/* Ignores records dropped before this session. */
static void begin_count(struct writer* w) {
  for (struct uv__observe_thread* t = uv__observe_threads(); t; t = t->next) {
    t->reported_dropped = uv__load_relaxed(&t->dropped);
    t->named_tid = 0;
    t->counts.loop = NULL;
  }
  w->sends_dropped = uv__trace_sends_dropped();
  uv__trace_notes_clear();
  w->since_ns = uv_hrtime();
}

static void free_memory(struct writer* w) {
  uv__symbols_close(&w->symbols);
  uv__free(w->buffer);
  w->buffer = NULL;
}

/* With the beginning of the file in the buffer. */
static int start_recorder(struct writer* w, size_t memory) {
  int err = uv__trace_recorder_start(&w->file, &w->symbols, memory);

  if (err == 0) {
    uv__trace_recorder_set_head(w->buffer, w->used);
    w->used = 0;
  }
  return err;
}

int uv__trace_writer_start(const struct uv__private_file* file, size_t memory) {
  struct writer* w = &writer;

  memset(w, 0, sizeof(*w));
  w->file = *file;
  w->buffer = uv__malloc(BLOCK + UV__TRACE_NOTE_MAX);
  uv__symbols_init(&w->symbols);
  w->symbols.is_escaped = 1;
  begin_count(w);
  int err = UV_ENOMEM;
  if (w->buffer != NULL) {
    uv__trace_context_set(&w->context, (int) uv_os_getpid(),
                          uv__thread_os_id());
    write_begin(w);
    err = memory != 0 ? start_recorder(w, memory) : 0;
    if (err == 0)
      err = uv__background_start(&background, run_thread);
    if (err != 0 && uv__trace_recorder_is_on())
      (void) uv__trace_recorder_stop(); /* nothing was written */
  }
  if (err != 0)
    free_memory(w);
  return err;
}

static void free_all(struct writer* w) {
  uv__private_file_os_close(&w->file);
  free_memory(w);
}

static void stop_recorder(struct writer* w, const char* path) {
  if (!uv__trace_recorder_stop() && w->file.is_new)
    uv__private_file_os_remove(&w->file, path);
}

void uv__trace_writer_stop(const char* path) {
  struct writer* w = &writer;

  uv__background_stop(&background);
  if (uv__trace_recorder_is_on()) {
    stop_recorder(w, path);
    free_all(w);
    return;
  }
  take_text(w, uv__trace_format_end(buffer_room(w), &w->context, w->records,
                                    w->dropped));
  flush_buffer(w);
  free_all(w);
}

void uv__trace_writer_wake(void) {
  uv__background_wake(&background);
}

void uv__trace_writer_fork(void) {
  if (uv__trace_recorder_is_on())
    uv__trace_recorder_fork();
  free_all(&writer);
}
