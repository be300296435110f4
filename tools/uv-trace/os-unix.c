/* SPDX-License-Identifier: MIT */
#include "os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The systems without a /proc. */
#if __has_include(<sys/sysctl.h>) && !__has_include(<linux/version.h>)
# include <sys/param.h>
# include <sys/sysctl.h>
# if defined(KERN_PROC_ENV) && !defined(KERN_PROC_NENV)
#  include <sys/user.h> /* struct kinfo_file */
# endif
#endif

/* The environment of a process that we read. */
#define ENVIRON_MAX ((size_t) 4 << 20)

const char OS_LIST_SEPARATOR[] = ":";
const char OS_LIBRARY_PATH[] = "LD_LIBRARY_PATH";
const char OS_PRELOAD[] = "LD_PRELOAD";

static volatile sig_atomic_t is_stopping;

const char* os_base_name(const char* path) {
  const char* slash = strrchr(path, '/');

  return slash == NULL ? path : slash + 1;
}

int os_is_regular(const char* path) {
  struct stat st;

  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

double os_file_age(const char* path) {
  struct stat st;

  return stat(path, &st) == 0 ? difftime(time(NULL), st.st_mtime) : 0;
}

/* In the child; tells the parent through the pipe why there is no program. */
static void run_child(char* const argv[], int report) {
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  execvp(argv[0], argv);
  int err = errno;
  ssize_t n = write(report, &err, sizeof(err));
  _exit(n < 0 ? 126 : 127);
}

static int run_wait(pid_t pid, struct os_exit* how) {
  int status;

  while (waitpid(pid, &status, 0) == -1)
    if (errno != EINTR)
      return errno;
  how->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  how->status = how->signal != 0 ? 128 + how->signal : WEXITSTATUS(status);
  return 0;
}

int os_run(char* const argv[], struct os_exit* how) {
  int report[2];
  int err = 0;

  if (pipe(report) == -1)
    return errno;
  (void) fcntl(report[1], F_SETFD, FD_CLOEXEC); /* just made: cannot fail */
  fflush(NULL);
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  pid_t pid = fork();
  if (pid == 0) {
    close(report[0]);
    run_child(argv, report[1]);
  }
  int fork_err = errno;
  close(report[1]);
  if (pid == -1) {
    close(report[0]);
    return fork_err;
  }
  if (read(report[0], &err, sizeof(err)) != sizeof(err))
    err = 0; /* exec closed it */
  close(report[0]);
  how->pid = pid;
  int wait_err = run_wait(pid, how);
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  return err != 0 ? err : wait_err;
}

int os_set_variable(const char* name, const char* value) {
  return setenv(name, value, 1) == 0 ? 0 : errno;
}

int os_make_directory(const char* path) {
  struct stat st;

  if (mkdir(path, 0700) == 0)
    return 0;
  int err = errno;
  if (err == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
    return 0;
  return err;
}

void os_remove_directory(const char* path) {
  (void) rmdir(path); /* it stays if there is something in it */
}

int os_full_path(const char* path, char* full, size_t size) {
  char* found = realpath(path, NULL);
  int err = errno;

  if (found == NULL)
    return err;
  err = strlen(found) < size ? 0 : ENAMETOOLONG;
  if (err == 0)
    memcpy(full, found, strlen(found) + 1);
  free(found);
  return err;
}

int64_t os_pid(void) {
  return getpid();
}

int os_program(int64_t pid, char* path, size_t size) {
  char name[64];

  snprintf(name, sizeof(name), "/proc/%lld/exe", (long long) pid);
  ssize_t n = readlink(name, path, size - 1);
  if (n < 0)
    return errno;
  path[n] = '\0';
  return 0;
}

int os_list(const char* path,
            void (*each)(const char* name, void* arg),
            void* arg) {
  DIR* dir = opendir(path);
  struct dirent* entry;

  if (dir == NULL)
    return errno;
  while ((entry = readdir(dir)) != NULL)
    each(entry->d_name, arg);
  closedir(dir);
  return 0;
}

/* What the BSDs tell of a process: `name` is one of KERN_PROC_*. 0 or errno. */
#if defined(KERN_PROC_ENV) && defined(KERN_PROC_CWD)
static int ask_kernel(int64_t pid, int name, void* result, size_t* size) {
# if defined(KERN_PROC_NENV) /* NetBSD's and OpenBSD's names */
  int place[] = { CTL_KERN, KERN_PROC_ARGS, (int) pid, name };
# else
  int place[] = { CTL_KERN, KERN_PROC, name, (int) pid };
# endif
  unsigned count = sizeof(place) / sizeof(place[0]);

# if defined(KERN_PROC_NENV) && KERN_PROC_CWD > KERN_PROC_NENV + 2
  if (name == KERN_PROC_CWD) { /* on OpenBSD no member of KERN_PROC_ARGS */
    place[1] = name;
    count--;
  }
# endif
  return sysctl(place, count, result, size, NULL, 0) == 0 ? 0 : errno;
}

/* The variables as strings, one after another; OpenBSD puts addresses before
 * them, which end with zeros. */
static int read_environment(int64_t pid, char* text, size_t* size) {
  return ask_kernel(pid, KERN_PROC_ENV, text, size);
}

int os_directory(int64_t pid, char* path, size_t size) {
# if defined(KERN_PROC_NENV)
  return ask_kernel(pid, KERN_PROC_CWD, path, &size);
# else
  struct kinfo_file info;
  size_t info_size = sizeof(info);
  int err = ask_kernel(pid, KERN_PROC_CWD, &info, &info_size);

  if (err != 0)
    return err;
  if (strlen(info.kf_path) >= size)
    return ENAMETOOLONG;
  memcpy(path, info.kf_path, strlen(info.kf_path) + 1);
  return 0;
# endif
}
#else
static int read_environment(int64_t pid, char* text, size_t* size) {
  char path[64];

  if (access("/proc/self/environ", F_OK) == -1)
    return ENOSYS;
  snprintf(path, sizeof(path), "/proc/%lld/environ", (long long) pid);
  FILE* file = fopen(path, "r");
  if (file == NULL)
    return errno == ENOENT ? ESRCH : errno;
  *size = fread(text, 1, *size, file);
  fclose(file);
  return 0;
}

int os_directory(int64_t pid, char* path, size_t size) {
  int n = snprintf(path, size, "/proc/%lld/cwd", (long long) pid);
  return n < (int) size ? 0 : ENAMETOOLONG;
}
#endif

/* The value of a variable in strings; the last ends with a NUL. */
static const char* find_variable(const char* text,
                                 size_t size,
                                 const char* name) {
  size_t len = strlen(name);

  for (size_t i = 0; i < size; i += strlen(text + i) + 1)
    if (strncmp(text + i, name, len) == 0 && text[i + len] == '=')
      return text + i + len + 1;
  return NULL;
}

int os_read_variable(int64_t pid, const char* name, char* value, size_t size) {
  char* text = calloc(1, ENVIRON_MAX + 1);
  size_t used = ENVIRON_MAX;

  if (text == NULL)
    return ENOMEM;
  int err = read_environment(pid, text, &used);
  if (err == 0) {
    const char* found = find_variable(text, used, name);
    err = found == NULL ? ENOENT : strlen(found) < size ? 0 : ENAMETOOLONG;
    if (err == 0)
      memcpy(value, found, strlen(found) + 1);
  }
  free(text);
  return err;
}

int os_process_exists(int64_t pid) {
  return kill((pid_t) pid, 0) == 0 || errno == EPERM;
}

int os_terminal(int* columns, int* rows) {
  struct winsize size;

  if (!isatty(STDOUT_FILENO))
    return 0;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    *columns = size.ws_col;
    *rows = size.ws_row;
  }
  return 1;
}

void os_sleep_ms(unsigned ms) {
  struct timespec time = { (time_t) (ms / 1000), (long) (ms % 1000) * 1000000 };

  (void) nanosleep(&time, NULL); /* a signal ends it */
}

static void stop(int signum) {
  (void) signum;
  is_stopping = 1;
}

void os_catch_stop(void) {
  struct sigaction action;

  memset(&action, 0, sizeof(action));
  action.sa_handler = stop;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

int os_is_stopping(void) {
  return is_stopping;
}

uint64_t os_now(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}
