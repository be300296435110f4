/* SPDX-License-Identifier: MIT */
#include "threads.h"
#include "base.h"
#include "os.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 128
#define THREADS_MAX 4096

struct reading {
  struct threads* threads;
  int64_t pid;
};

/* The beginning of a thread's file without its last newline; "" if it cannot be
 * read: the thread may have ended. */
static void read_file(const struct reading* reading,
                      const char* tid,
                      const char* name,
                      char* text,
                      size_t size) {
  char path[PATH_SIZE];

  snprintf(path, sizeof(path), "/proc/%" PRId64 "/task/%s/%s", reading->pid,
           tid, name);
  FILE* file = fopen(path, "r");
  size_t used = file == NULL ? 0 : fread(text, 1, size - 1, file);
  if (file != NULL)
    fclose(file);
  if (used != 0 && text[used - 1] == '\n')
    used--;
  text[used] = '\0';
}

/* A program chooses its threads' names; the terminal is not its own. */
static void copy_printable(char* to, size_t size, const char* from) {
  size_t i = 0;

  for (; from[i] != '\0' && i + 1 < size; i++)
    to[i] = from[i] < ' ' || from[i] > '~' ? '?' : from[i];
  to[i] = '\0';
}

static void add_thread(const char* tid, void* arg) {
  struct reading* reading = arg;
  struct threads* threads = reading->threads;
  struct thread thread = { 0 };
  char text[4096];

  if (tid[0] < '0' || tid[0] > '9' || threads->count == THREADS_MAX)
    return;
  thread.tid = strtoull(tid, NULL, 10);
  read_file(reading, tid, "stat", text, sizeof(text));
  const char* end = strrchr(text, ')'); /* of the name, which may have any */
  if (end == NULL || end[1] == '\0' || end[2] == '\0')
    return;
  thread.state = end[2];
  read_file(reading, tid, "schedstat", text, sizeof(text));
  if (sscanf(text, "%" SCNu64 " %" SCNu64, &thread.busy_ns, &thread.ready_ns) !=
      2)
    return;
  read_file(reading, tid, "status", text, sizeof(text));
  const char* switches = strstr(text, "\nvoluntary_ctxt_switches:");
  if (switches != NULL)
    thread.wakeups = strtoull(strchr(switches, ':') + 1, NULL, 10);
  read_file(reading, tid, "wchan", text, sizeof(text));
  if (strcmp(text, "0") != 0)
    copy_printable(thread.place, sizeof(thread.place), text);
  read_file(reading, tid, "comm", text, sizeof(text));
  copy_printable(thread.name, sizeof(thread.name), text);
  threads->rows = base_grow(threads->rows, threads->count, &threads->room,
                            sizeof(*threads->rows));
  threads->rows[threads->count++] = thread;
}

int threads_read(struct threads* threads, int64_t pid) {
  struct reading reading = { threads, pid };
  char path[PATH_SIZE];

  memset(threads, 0, sizeof(*threads));
  snprintf(path, sizeof(path), "/proc/%" PRId64 "/task", pid);
  int err = os_list(path, add_thread, &reading);
  if (err == ENOENT)
    return os_process_exists(pid) ? ENOSYS : ESRCH;
  if (err == 0 && threads->count == 0)
    return ENOSYS; /* no schedstat */
  return err;
}

void threads_close(struct threads* threads) {
  free(threads->rows);
  memset(threads, 0, sizeof(*threads));
}

static const struct thread* find(const struct threads* threads, uint64_t tid) {
  for (size_t i = 0; i < threads->count; i++)
    if (threads->rows[i].tid == tid)
      return &threads->rows[i];
  return NULL;
}

static int by_busy(const void* a, const void* b) {
  const struct thread* x = a;
  const struct thread* y = b;

  if (x->busy_ns != y->busy_ns)
    return x->busy_ns < y->busy_ns ? 1 : -1;
  return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* A number that may be of another thread with the same id is none. */
static uint64_t since(uint64_t now, uint64_t before) {
  return now > before ? now - before : 0;
}

void threads_print(FILE* out,
                   struct threads* now,
                   const struct threads* before,
                   double seconds,
                   size_t top) {
  char text[BASE_TEXT];

  for (size_t i = 0; i < now->count; i++) {
    struct thread* row = &now->rows[i];
    const struct thread* old = find(before, row->tid);
    if (old == NULL)
      continue;
    row->busy_ns = since(row->busy_ns, old->busy_ns);
    row->ready_ns = since(row->ready_ns, old->ready_ns);
    row->wakeups = since(row->wakeups, old->wakeups);
  }
  if (now->count != 0)
    qsort(now->rows, now->count, sizeof(*now->rows), by_busy);
  fprintf(out, "  thread          busy     ready   sleeps/s  state  "
               "name, and where it sleeps\n");
  for (size_t i = 0; i < now->count && i < top; i++) {
    const struct thread* row = &now->rows[i];
    fprintf(out, "  %-10" PRIu64 " %8.1f%% %8.1f%% %10.1f  %-5c  %s%s%s\n",
            row->tid, (double) row->busy_ns / seconds / 1e7,
            (double) row->ready_ns / seconds / 1e7,
            (double) row->wakeups / seconds, row->state, row->name,
            row->place[0] != '\0' ? ", " : "", row->place);
  }
  if (now->count > top)
    fprintf(out, "  and %s more (--top N)\n",
            base_count(text, now->count - top));
}
