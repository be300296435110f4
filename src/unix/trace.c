/* SPDX-License-Identifier: MIT */
/* Files, threads and symbols for tracing. */
#include "os/trace.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "unix/signal.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#if UV__HAVE_THREAD_NICE
# include <sys/resource.h>
# include <sys/syscall.h>
#endif

/* Enough for formatting, dladdr() and a demangler. */
#define STACK_SIZE ((size_t) 512 << 10)
/* Writes to standard error before the rest is given up. */
#define PRINT_TRIES_MAX 1000
/* Threads that are listed. */
#define THREADS_MAX 64
/* How much nicer than the program a thread of lower priority is: with a third
 * of the weight, it still gets a quarter of a processor that is busy. */
#define NICER 5

/* A file that is empty is left alone: ext4 writes a truncated one to the disk
 * as it is closed, and the process would wait for that. */
static int empty_file(int fd) {
  struct stat st;
  int rc = fstat(fd, &st);

  if (rc == 0 && st.st_size == 0)
    return 0;
  do
    rc = ftruncate(fd, 0);
  while (rc == -1 && errno == EINTR);
  return rc == 0 ? 0 : uv__errno();
}

/* Accepts only a regular file that we own, with a single link, that no other
 * process is tracing into. */
static int claim_file(int fd) {
  struct stat st;

  if (fstat(fd, &st) == -1)
    return uv__errno();
  if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1)
    return UV_EPERM;
  /* Other errors: the file system has no locks. */
  if (flock(fd, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK)
    return UV_EBUSY;
  return empty_file(fd);
}

int uv__trace_os_open(const char* path, int is_new) {
  int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  int fd = uv__fd_open(path, is_new ? flags | O_EXCL : flags, 0600);

  if (fd < 0)
    return fd;
  int err = claim_file(fd);
  if (err != 0) {
    uv__fd_close(fd);
    return err;
  }
  return fd;
}

static int write_all(int fd, const char* data, size_t size) {
  while (size != 0) {
    ssize_t n = uv__fd_write(fd, data, size);
    if (n < 0)
      return (int) n;
    data += n;
    size -= (size_t) n;
  }
  return 0;
}

/* A write beyond the limit of file sizes raises a signal, on this thread, that
 * ends the process: not because of a trace. */
int uv__trace_os_write(uv_file fd, const char* data, size_t size) {
  sigset_t limit;
  sigset_t before;
  sigset_t pending;
  int signum;

  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  sigpending(&pending);
  int was_pending = sigismember(&pending, SIGXFSZ);
  int err = write_all(fd, data, size);
  sigpending(&pending);
  if (err == UV_EFBIG && !was_pending && sigismember(&pending, SIGXFSZ))
    (void) sigwait(&limit, &signum); /* takes it; it is there */
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return err;
}

void uv__trace_os_close(uv_file fd) {
  uv__fd_close(fd);
}

int uv__trace_os_start_thread(uv_thread_t* thread, uv_thread_cb entry) {
  uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, STACK_SIZE };
  sigset_t all;
  sigset_t before;

  /* The new thread inherits the mask. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int err = uv_thread_create_ex(thread, &options, entry, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return err;
}

#if UV__HAVE_THREAD_NICE
uint64_t uv__trace_os_thread_id(void) {
  return (uint64_t) syscall(SYS_gettid);
}

void uv__trace_os_lower_priority(void) {
  id_t tid = (id_t) uv__trace_os_thread_id();
  int nice = getpriority(PRIO_PROCESS, tid);

  /* It is a courtesy: a failure changes nothing else. */
  (void) setpriority(PRIO_PROCESS, tid, nice + NICER);
}
#else
/* Not the kernel's thread id, but unique in the process. */
uint64_t uv__trace_os_thread_id(void) {
  return (uint64_t) (uintptr_t) pthread_self();
}

void uv__trace_os_lower_priority(void) {
  /* Priorities are those of processes. */
}
#endif

#if UV__HAVE_CLOCKSOURCE
int uv__trace_os_clock_is(const char* source) {
  char name[32];
  int fd = uv__fd_open("/sys/devices/system/clocksource/clocksource0/"
                       "current_clocksource",
                       O_RDONLY, 0);

  if (fd < 0)
    return 0;
  ssize_t n = uv__fd_read(fd, name, sizeof(name));
  uv__fd_close(fd);
  size_t len = strlen(source);
  return n == (ssize_t) len + 1 && memcmp(name, source, len) == 0;
}
#else
int uv__trace_os_clock_is(const char* source) {
  (void) source;
  return 0;
}
#endif

int uv__trace_os_key_create(uv_key_t* key, void (*at_exit)(void* data)) {
  return -pthread_key_create(key, at_exit);
}

int uv__trace_os_key_set(const uv_key_t* key, void* data) {
  return -pthread_setspecific(*key, data);
}

#if UV__HAVE_PROC_COMM
/* The links of the directory are ".", "..", and one for each thread. */
int uv__trace_os_has_threads(void) {
  struct stat st;

  return stat("/proc/self/task", &st) == -1 || st.st_nlink != 3;
}
#else
int uv__trace_os_has_threads(void) {
  return 1;
}
#endif

/* Demangles C++ names if the program has a C++ run time. */
static char* symbol_demangle(const char* name) {
  char* (*find)(const char*, char*, size_t*, int*);
  void* found = dlsym(RTLD_DEFAULT, "__cxa_demangle");

  if (found == NULL || strncmp(name, "_Z", 2) != 0)
    return NULL;
  memcpy(&find, &found, sizeof(find));
  return find(name, NULL, NULL, NULL);
}

static const char* base_of(const char* path) {
  const char* slash = path == NULL ? NULL : strrchr(path, '/');

  if (path == NULL)
    return "?";
  return slash == NULL ? path : slash + 1;
}

void uv__trace_os_symbol(const void* address, char* name, size_t size) {
  Dl_info info;

  if (dladdr((void*) (uintptr_t) address, &info) == 0) {
    snprintf(name, size, "%p", (void*) (uintptr_t) address);
    return;
  }
  /* The nearest symbol below belongs to another function. */
  if (info.dli_sname == NULL || info.dli_saddr != address) {
    snprintf(name, size, "%s+0x%zx", base_of(info.dli_fname),
             (size_t) ((const char*) address - (const char*) info.dli_fbase));
    return;
  }
  char* readable = symbol_demangle(info.dli_sname);
  snprintf(name, size, "%s", readable != NULL ? readable : info.dli_sname);
  free(readable); /* allocated by __cxa_demangle */
}

void uv__trace_os_place(const void* address, char* name, size_t size) {
  Dl_info info;

  if (dladdr((void*) (uintptr_t) address, &info) == 0) {
    snprintf(name, size, "%p", (void*) (uintptr_t) address);
    return;
  }
  size_t offset =
      (size_t) ((const char*) address - (const char*) info.dli_fbase);
  if (info.dli_sname == NULL) {
    snprintf(name, size, "%s+0x%zx", base_of(info.dli_fname), offset);
    return;
  }
  char* readable = symbol_demangle(info.dli_sname);
  snprintf(name, size, "%s+0x%zx (%s+0x%zx)", base_of(info.dli_fname), offset,
           readable != NULL ? readable : info.dli_sname,
           (size_t) ((const char*) address - (const char*) info.dli_saddr));
  free(readable);
}

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

void uv__trace_os_thread_state(uint64_t tid, char* text, size_t size) {
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

void uv__trace_os_add_threads(struct uv__strbuf* text) {
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
    uv__trace_os_thread_state(tid, state, sizeof(state));
    uv__strbuf_add(text, "  thread %s %s: %s\n", entry->d_name, name, state);
  }
  if (dir != NULL)
    closedir(dir);
}
#else
void uv__trace_os_thread_state(uint64_t tid, char* text, size_t size) {
  (void) tid;
  (void) size;
  text[0] = '\0';
}

void uv__trace_os_add_threads(struct uv__strbuf* text) {
  (void) text;
}
#endif

void uv__trace_os_print_line(const char* line) {
  char text[512];
  int n = snprintf(text, sizeof(text), "libuv: %s\n", line);

  if (n > 0)
    (void) uv__fd_write(STDERR_FILENO, text,
                        uv__min_size((size_t) n, sizeof(text) - 1));
}

/* Standard error may be a pipe that somebody made non-blocking. */
void uv__trace_os_print(const char* text, size_t size) {
  for (int tries = 0; size != 0 && tries < PRINT_TRIES_MAX; tries++) {
    ssize_t n = uv__fd_write(STDERR_FILENO, text, size);
    if (n == UV_EAGAIN)
      uv_sleep(1);
    else if (n < 0)
      return;
    else
      text += n, size -= (size_t) n;
  }
}

/* Those that mean nothing to a program that does not ask for them, or that
 * would end it; not those of faults. */
static const struct {
  const char* name;
  int number;
} signals[] = {
  { "HUP", SIGHUP },     { "INT", SIGINT },   { "QUIT", SIGQUIT },
  { "USR1", SIGUSR1 },   { "USR2", SIGUSR2 }, { "ALRM", SIGALRM },
  { "TERM", SIGTERM },   { "URG", SIGURG },   { "VTALRM", SIGVTALRM },
  { "WINCH", SIGWINCH }, { "IO", SIGIO },
#ifdef SIGINFO
  { "INFO", SIGINFO },
#endif
};

int uv__trace_os_signal(const char* name) {
  if (strncmp(name, "SIG", 3) == 0)
    name += 3;
  for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
    if (strcmp(name, signals[i].name) == 0)
      return signals[i].number;
  return UV_EINVAL;
}

int uv__trace_os_signal_start(int signum, uv_sem_t* sem) {
  return uv__signal_post_start(signum, sem);
}

void uv__trace_os_signal_stop(int signum) {
  uv__signal_post_stop(signum);
}
