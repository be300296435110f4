/* SPDX-License-Identifier: MIT */
/* What each recording thread has of its own: a ring of records that only it
 * writes and only the writer reads, without locks.
 *
 * A thread gets one with its first record and leaves it when it ends; the next
 * thread may have it once the writer has read what is left. They are freed only
 * with the library, so a recording thread need not check whether tracing has
 * stopped meanwhile.
 */
#ifndef UV_OBSERVE_THREAD_H_
#define UV_OBSERVE_THREAD_H_

#include "observe/record.h"
#include "util/atomic.h"

/* More threads at a time than this are not recorded. */
#define UV__OBSERVE_THREADS_MAX 512
/* Records of a ring; a power of two. 64 bytes each. */
#define UV__TRACE_RING 16384
/* Records that are worth a round of the writer. */
#define UV__TRACE_BLOCK 1024

/* What a loop's thread is running: the innermost callback. */
struct uv__running {
  uint64_t begin_ns; /* 0: none */
  const void* loop;
  const void* object;
  const void* symbol;
  unsigned what;  /* type and call of struct uv__record; uv__running_what() */
  unsigned phase; /* enum uv__phase; set at the beginning of one */
};

static inline unsigned uv__running_what(unsigned type, unsigned call) {
  return type << 8 | call;
}

static inline unsigned uv__running_type(const struct uv__running* running) {
  return running->what >> 8;
}

static inline enum uv__call uv__running_call(
    const struct uv__running* running) {
  return (enum uv__call)(running->what & 0xff);
}

enum { UV__THREAD_FREE, UV__THREAD_OWNED, UV__THREAD_LEFT };

struct uv__observe_thread {
  struct uv__observe_thread* next; /* of all there are */
  unsigned state;                  /* atomic: UV__THREAD_* */
  uint64_t tid;                    /* atomic */
  const void* loop; /* atomic: the first one that ran here; NULL: a worker */
  unsigned number;  /* atomic: of a worker */
  /* The owner's. */
  uint64_t flow;    /* flow id that the next callback ends, or 0 */
  uint64_t last_ns; /* the latest time recorded: the next one is later */
  size_t written;   /* atomic: records ever written */
  size_t check_at;  /* value of `written` at which the owner checks how
                            * far the reader is */
  uint64_t dropped; /* atomic: records that found no room */
  struct uv__about_table* about; /* about.h; NULL: there is none yet */
  struct uv__record* ring;       /* atomic: NULL until the first record */
  void* memory;                  /* what the ring is aligned in */
  /* The owner's, read by the watchdog. */
  unsigned sequence;          /* atomic: odd while `running` changes */
  struct uv__running running; /* atomic */
  /* The watchdog's. */
  struct uv__running reported; /* the last one; begin_ns 0: it has ended */
  /* The reader's, away from what the owner writes all the time. */
  char gap[64];
  size_t read;               /* atomic: records ever read */
  uint64_t reported_dropped; /* of those dropped: in the file */
  uint64_t named_tid;        /* the tid whose name is in the file */
  const void* named_loop;    /* the loop in that name, or NULL */
  struct {
    const void* loop; /* NULL: none are in the file */
    uint64_t flow;    /* as in struct uv__record */
    int32_t detail;
  } counts; /* of an iteration: the last in the file */
};

/* The calling thread's; NULL if there is no memory for one, or too many have
 * one. Not in signal handlers. */
struct uv__observe_thread* uv__observe_thread_self(void);

/* All of them; they stay. Context: any. */
struct uv__observe_thread* uv__observe_threads(void);

/* Adds a record. Context: the owner. */
void uv__observe_thread_add(struct uv__observe_thread* thread,
                            const struct uv__record* record);

/* The time of a record: `ns`, or if that is not later than the last one, the
 * next that is. No two times of a thread are the same: viewers of traces add
 * begin and duration as doubles, so of two spans that met at one time, the
 * first would often seem to end inside the second. `thread` may be NULL; 0:
 * right after the last one. Context: the owner. */
static inline uint64_t uv__observe_thread_time(
    struct uv__observe_thread* thread,
    uint64_t ns) {
  if (thread == NULL)
    return ns;
  thread->last_ns = ns > thread->last_ns ? ns : thread->last_ns + 1;
  return thread->last_ns;
}

/* The same of the present time. */
static inline uint64_t uv__observe_thread_now(
    struct uv__observe_thread* thread) {
  return uv__observe_thread_time(thread, uv_hrtime());
}

/* How many records there are to read. Context: the reader, as the next two. */
size_t uv__observe_thread_ready(const struct uv__observe_thread* thread);
/* One of them, 0 is the oldest; valid until uv__observe_thread_consume(). */
const struct uv__record* uv__observe_thread_at(
    const struct uv__observe_thread* thread,
    size_t i);
/* The oldest `count` were read. */
void uv__observe_thread_consume(struct uv__observe_thread* thread,
                                size_t count);

/* Publishes what runs, all but the phase, for the watchdog. Context: the
 * owner. */
static inline void uv__observe_thread_set_running(
    struct uv__observe_thread* thread,
    uint64_t begin_ns,
    const void* loop,
    const void* object,
    const void* symbol,
    unsigned what) {
  struct uv__running* to = &thread->running;
  unsigned sequence = uv__load_relaxed(&thread->sequence);

  /* Release: a reader that sees one of these also sees the odd sequence. Pairs
   * with uv__observe_thread_running(). */
  uv__store_relaxed(&thread->sequence, sequence + 1);
  uv__store_release(&to->begin_ns, begin_ns);
  uv__store_release(&to->loop, loop);
  uv__store_release(&to->object, object);
  uv__store_release(&to->symbol, symbol);
  uv__store_release(&to->what, what);
  uv__store_release(&thread->sequence, sequence + 2);
}

/* Nothing runs. Context: the owner. */
static inline void uv__observe_thread_clear_running(
    struct uv__observe_thread* thread) {
  uv__store_relaxed(&thread->running.begin_ns, 0);
}
/* Stores what runs; 0 if it changes just now. Context: any. */
int uv__observe_thread_running(const struct uv__observe_thread* thread,
                               struct uv__running* out);

/* Set-up, once per process: 0 or UV_E*. */
int uv__observe_threads_init(void);
/* uv_library_shutdown(): code that is about to be unloaded is not called when
 * a thread ends. */
void uv__observe_threads_shutdown(void);
/* In a forked child: all but the calling thread's are free, and empty. */
void uv__observe_threads_fork(void);

#endif /* UV_OBSERVE_THREAD_H_ */
