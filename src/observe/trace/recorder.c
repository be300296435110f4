/* SPDX-License-Identifier: MIT */
/* `stage` says who writes the file. Without a crash it is the trace's thread:
 * NOBODY -> WRITING -> NOBODY.
 *
 * At a crash the handler sets ASKED and waits. The trace's thread, which looks
 * every 20 ms, reads the rings a last time and writes the file: ASKED ->
 * WRITING -> NOBODY. If it does not get there in time, because it waits for a
 * lock that the crashed thread holds, or is itself what crashed, the handler
 * takes over, ASKED -> ALONE, and writes the text that there is. From then on
 * the trace's thread adds no text.
 */
#include "observe/trace/recorder.h"
#include "observe/hooks.h"
#include "observe/thread.h"
#include "observe/trace/keep.h"
#include "observe/trace/writer.h"
#include "os/crash.h"
#include "os/system.h"
#include "os/thread.h"
#include "util/alloc.h"

#include <stdio.h>
#include <string.h>

/* Room for what a file begins with: the names of all threads. */
#define HEAD_MAX ((size_t) 64 << 10)
/* How often the watchdog's wishes are served, and recoverable faults. */
#define PAUSE_NS UINT64_C(1000000000)
/* How long a crash waits until the trace's thread begins to write, and until
 * the file is written. */
#define BEGIN_NS UINT64_C(1000000000)
#define WRITE_NS UINT64_C(10000000000)

enum stage { NOBODY, ASKED, WRITING, ALONE };

struct recorder {
  struct uv__private_file* file; /* NULL: nothing is kept */
  struct uv__symbols* symbols;
  struct uv__trace_keep keep;
  char* head;
  size_t head_begin; /* bytes of it that do not name threads */
  size_t head_used;  /* atomic */
  uint64_t thread;   /* atomic: the trace's */
  int is_wanted;     /* atomic: by whom uv__trace_recorder_write() waits for */
  int is_asked;      /* atomic: by the watchdog */
  int was_written;   /* atomic: there is a file */
  uint64_t last_ns;  /* when it was written */
  uv_sem_t done;     /* for who waits */
  int error;         /* of the file that was waited for */
  int stage;         /* atomic: enum stage */
  /* A crash. */
  int is_crashing;      /* atomic: a thread is in the handler */
  int signum;           /* set before ASKED, as the next */
  uint64_t crashed_tid; /* the thread that crashed */
  uint64_t fault_ns;    /* atomic: when a fault was last recorded that the
                         * program's handler may have put right */
};

static struct recorder recorder;
/* The end of a file, by whoever writes it: `stage` says who. */
static char tail[UV__TRACE_TAIL_MAX];

int uv__trace_recorder_is_on(void) {
  return recorder.file != NULL;
}

void uv__trace_recorder_begin(void) {
  uv__store_relaxed(&recorder.thread, uv__thread_os_id());
}

void uv__trace_recorder_add(const char* lines, size_t length) {
  if (uv__load_acquire(&recorder.stage) != ALONE)
    uv__trace_keep_add(&recorder.keep, lines, length);
}

void uv__trace_recorder_set_head(const char* lines, size_t length) {
  struct recorder* r = &recorder;

  assert(length <= HEAD_MAX);
  memcpy(r->head, lines, length);
  r->head_begin = length;
  r->head_used = length;
}

void uv__trace_recorder_name_threads(int pid) {
  struct uv__trace_context context;
  struct recorder* r = &recorder;
  size_t used = r->head_begin;

  /* A file of a moment in which only one thread responds lacks the names. */
  uv__store_relaxed(&r->head_used, used);
  for (struct uv__observe_thread* t = uv__observe_threads();
       t != NULL && used + UV__TRACE_TEXT_MAX <= HEAD_MAX; t = t->next) {
    if (t->named_tid == 0)
      continue;
    uv__trace_context_set(&context, pid, t->named_tid);
    used += uv__trace_format_thread(
        r->head + used, &context, t->named_loop != NULL ? "loop" : "worker",
        t->named_loop, uv__load_relaxed(&t->number));
  }
  /* Release: the text. Pairs with write_file(). */
  uv__store_release(&r->head_used, used);
}

static size_t format_running(char* out,
                             struct uv__observe_thread* thread,
                             struct uv__trace_context* context,
                             const char* (*name_of)(const void* address)) {
  struct uv__record record;
  struct uv__running now;

  if (!uv__observe_thread_running(thread, &now) || now.begin_ns == 0)
    return 0;
  memset(&record, 0, sizeof(record));
  record.kind = UV__RECORD_RUNNING;
  record.begin_ns = now.begin_ns;
  record.end_ns = uv_hrtime();
  record.loop = now.loop;
  record.object = now.object;
  record.symbol = now.symbol;
  record.type = (uint8_t) uv__running_type(&now);
  record.call = (uint8_t) uv__running_call(&now);
  uv__trace_context_set(context, context->pid, uv__load_relaxed(&thread->tid));
  return uv__trace_format(out, &record, context, name_of(now.symbol));
}

/* What all threads run, and the crash. */
static size_t format_tail(struct uv__trace_context* context,
                          int has_crash,
                          const char* (*name_of)(const void* address)) {
  size_t used = 0;

  for (struct uv__observe_thread* t = uv__observe_threads();
       t != NULL && used + 3 * UV__TRACE_TEXT_MAX <= sizeof(tail); t = t->next)
    used += format_running(tail + used, t, context, name_of);
  if (has_crash) {
    uv__trace_context_set(context, context->pid, recorder.crashed_tid);
    used += uv__trace_format_crash(tail + used, context, uv_hrtime(),
                                   recorder.signum);
  }
  return used;
}

/* Context: any | signal. */
static int write_file(size_t tail_used) {
  struct recorder* r = &recorder;
  struct uv__trace_part parts[2];

  uv__trace_keep_get(&r->keep, parts);
  int err = uv__private_file_os_empty(r->file);
  if (err == 0) /* acquire: pairs with uv__trace_recorder_name_threads() */
    err = uv__private_file_os_write(r->file, r->head,
                                    uv__load_acquire(&r->head_used));
  for (int i = 0; i < 2 && err == 0; i++)
    err = uv__private_file_os_write(r->file, parts[i].text, parts[i].length);
  if (err == 0)
    err = uv__private_file_os_write(r->file, tail, tail_used);
  if (err == 0)
    uv__store_relaxed(&r->was_written, 1);
  return err;
}

static const char* cached_name(const void* address) {
  return uv__symbol_name(recorder.symbols, address);
}

/* No look-up: it would take locks. Context: signal. */
static const char* known_name(const void* address) {
  const char* name = uv__symbol_known(recorder.symbols, address);

  return name != NULL ? name : "unknown";
}

static int move_stage(enum stage from, enum stage to) {
  int expected = (int) from;

  return uv__cas_strong(&recorder.stage, &expected, (int) to);
}

int uv__trace_recorder_is_wanted(uint64_t now_ns) {
  struct recorder* r = &recorder;

  if (r->file == NULL)
    return 0;
  /* Acquire: what happened before the wish. */
  return uv__load_acquire(&r->is_wanted) ||
         uv__load_acquire(&r->stage) == ASKED ||
         (uv__load_acquire(&r->is_asked) && now_ns - r->last_ns >= PAUSE_NS);
}

void uv__trace_recorder_serve(struct uv__trace_context* context,
                              uint64_t records,
                              uint64_t dropped) {
  struct recorder* r = &recorder;
  int is_waited_for = uv__load_relaxed(&r->is_wanted);

  /* Acquire: the crash. Pairs with on_crash(). */
  int has_crash = move_stage(ASKED, WRITING);
  if (!has_crash && !move_stage(NOBODY, WRITING))
    return; /* the thread that crashed writes alone */
  uv__store_relaxed(&r->is_asked, 0);
  size_t used = format_tail(context, has_crash, cached_name);
  used += uv__trace_format_end(tail + used, context, records, dropped);
  int err = write_file(used);
  r->last_ns = uv_hrtime();
  uv__store_release(&r->stage, NOBODY);
  if (is_waited_for) {
    r->error = err;
    uv__store_relaxed(&r->is_wanted, 0);
    uv_sem_post(&r->done);
  } else if (err != 0) {
    char line[128];
    snprintf(line, sizeof(line), "trace not written: %s", uv_strerror(err));
    uv__os_print_line(line);
  }
}

/* Waits while the value is this one. Returns 0 if it has changed. */
static int wait_while(const int* value, int unwanted, uint64_t ns) {
  uint64_t begin_ns = uv_hrtime();

  while (uv__load_acquire(value) == unwanted) {
    if (uv_hrtime() - begin_ns >= ns)
      return 1;
    uv__thread_os_doze();
  }
  return 0;
}

/* The trace's thread did not. */
static void write_alone(void) {
  struct uv__trace_context context;

  memset(&context, 0, sizeof(context));
  context.pid = (int) uv_os_getpid();
  size_t used = format_tail(&context, 1, known_name);
  used += uv__trace_format_end(tail + used, &context, 0, 0);
  (void) write_file(used); /* there is nobody to tell */
}

/* A fault that may be put right, as those of a runtime that uses them to find
 * the ends of arrays, is recorded once a second. */
static int is_worth_recording(int is_certain) {
  uint64_t now_ns = uv_hrtime();
  uint64_t last_ns = uv__load_relaxed(&recorder.fault_ns);

  if (is_certain)
    return 1;
  return (last_ns == 0 || now_ns - last_ns >= PAUSE_NS) &&
         uv__cas_strong(&recorder.fault_ns, &last_ns, now_ns);
}

/* The trace's thread may be writing a file just now. */
static int ask_for_file(void) {
  for (int i = 0; i < 2; i++) {
    /* Release: the crash. Pairs with uv__trace_recorder_serve(). */
    if (move_stage(NOBODY, ASKED))
      return 1;
    (void) wait_while(&recorder.stage, WRITING, WRITE_NS);
  }
  return 0;
}

static void record_crash(int signum) {
  struct recorder* r = &recorder;

  r->signum = signum;
  r->crashed_tid = uv__thread_os_id();
  if (!ask_for_file())
    return;
  if (r->crashed_tid != uv__load_relaxed(&r->thread))
    (void) wait_while(&r->stage, ASKED, BEGIN_NS);
  if (move_stage(ASKED, ALONE)) {
    write_alone();
    uv__store_release(&r->stage, NOBODY);
  } else {
    (void) wait_while(&r->stage, WRITING, WRITE_NS);
  }
}

/* Context: signal. */
static void on_crash(int signum, int is_certain) {
  struct recorder* r = &recorder;

  if (!is_worth_recording(is_certain))
    return;
  if (uv__exchange(&r->is_crashing, 1) == 0) {
    record_crash(signum);
    uv__store_release(&r->is_crashing, 0);
  } else {
    /* Another thread crashes as well. Its file must not end in the middle. */
    (void) wait_while(&r->is_crashing, 1, BEGIN_NS + WRITE_NS);
  }
}

int uv__trace_recorder_write(void) {
  struct recorder* r = &recorder;

  if (r->file == NULL)
    return UV_EINVAL;
  /* Release: what the caller did before. */
  uv__store_release(&r->is_wanted, 1);
  uv__trace_writer_wake();
  uv_sem_wait(&r->done);
  return r->error;
}

void uv__trace_recorder_ask(void) {
  uv__store_release(&recorder.is_asked, 1);
}

static void free_memory(struct recorder* r) {
  r->file = NULL;
  uv__trace_keep_free(&r->keep);
  uv__free(r->head);
  r->head = NULL;
}

int uv__trace_recorder_start(struct uv__private_file* file,
                             struct uv__symbols* symbols,
                             size_t size) {
  struct recorder* r = &recorder;

  memset(r, 0, sizeof(*r));
  int err = uv__trace_keep_init(&r->keep, size);
  if (err != 0)
    return err;
  r->head = uv__malloc(HEAD_MAX);
  err = r->head != NULL ? uv_sem_init(&r->done, 0) : UV_ENOMEM;
  if (err != 0) {
    free_memory(r);
    return err;
  }
  r->file = file;
  r->symbols = symbols;
  err = uv__crash_os_start(on_crash);
  if (err != 0 && err != UV_ENOSYS) { /* where it is unknown: without */
    free_memory(r);
    uv_sem_destroy(&r->done);
    return err;
  }
  uv__observe_start(UV__OBSERVE_RECORDER);
  return 0;
}

int uv__trace_recorder_stop(void) {
  struct recorder* r = &recorder;

  uv__observe_stop(UV__OBSERVE_RECORDER);
  uv__crash_os_stop();
  (void) wait_while(&r->is_crashing, 1, WRITE_NS); /* a crash of this moment */
  uv_sem_destroy(&r->done);
  free_memory(r);
  return r->was_written;
}

/* The handlers of the crash stay and do nothing (crash.h). */
void uv__trace_recorder_fork(void) {
  free_memory(&recorder);
}
