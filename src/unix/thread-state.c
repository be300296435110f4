/* SPDX-License-Identifier: MIT */
/* What the threads of the process do: /proc/self/task. */
#include "os/thread-state.h"
#include "unix/fd.h"
#include "unix/os.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Threads that are listed. */
#define THREADS_MAX 64

#if UV__HAVE_PROC_COMM
/* The first line of a file of a thread's; "" if it cannot be read. */
static void read_line(uint64_t tid, const char* name, char* line, size_t size) {
  char path[64];

  line[0] = '\0';
  snprintf(path, sizeof(path), "/proc/self/task/%llu/%s",
           (unsigned long long) tid, name);
  int fd = uv__fd_open(path, O_RDONLY, 0);
  if (fd < 0)
    return;
  ssize_t n = uv__fd_read(fd, line, size - 1);
  uv__fd_close(fd);
  line[n < 0 ? 0 : n] = '\0';
  line[strcspn(line, "\n")] = '\0';
}

void uv__thread_state_os_get(uint64_t tid, char* text, size_t size) {
  char stat[256];
  char place[64];
  char call[64];

  read_line(tid, "stat", stat, sizeof(stat));
  read_line(tid, "wchan", place, sizeof(place));
  read_line(tid, "syscall", call, sizeof(call));
  call[strcspn(call, " ")] = '\0';
  /* "number (name) S ...", and the name may hold anything. */
  const char* state = strrchr(stat, ')');
  text[0] = '\0';
  if (state == NULL || state[1] == '\0')
    return;
  snprintf(text, size, "state %c%s%s%s%s", state[2],
           call[0] != '\0' ? ", system call " : "", call,
           place[0] != '\0' && place[0] != '0' ? ", in " : "",
           place[0] != '0' ? place : "");
}

void uv__thread_state_os_add_all(struct uv__strbuf* text) {
  DIR* dir = opendir("/proc/self/task");
  struct dirent* entry;
  char name[64];
  char state[128];

  for (int i = 0; dir != NULL && i < THREADS_MAX; i++) {
    do
      entry = readdir(dir);
    while (entry != NULL && entry->d_name[0] == '.');
    if (entry == NULL)
      break;
    uint64_t tid = strtoull(entry->d_name, NULL, 10);
    read_line(tid, "comm", name, sizeof(name));
    uv__thread_state_os_get(tid, state, sizeof(state));
    uv__strbuf_add(text, "  thread %s %s: %s\n", entry->d_name, name, state);
  }
  if (dir != NULL)
    closedir(dir);
}
#else
void uv__thread_state_os_get(uint64_t tid, char* text, size_t size) {
  (void) tid;
  (void) size;
  text[0] = '\0';
}

void uv__thread_state_os_add_all(struct uv__strbuf* text) {
  (void) text;
}
#endif
