/* SPDX-License-Identifier: MIT */
/* Facts about this process and host: ids, signals, priority, directory,
 * program, resource use. Context: any.
 */
#include "unix/proc-info.h"
#include "os/system.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "util/alloc.h"
#include "util/out-string.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#if UV__HAVE_MACH_THREAD_INFO
# include <mach/mach.h>
# include <pthread.h>
#endif

/* A path can exceed PATH_MAX; this bounds the buffer. */
#define CWD_SIZE_MAX ((size_t) 1 << 20)

uv_pid_t uv_os_getpid(void) {
  return getpid();
}

uv_pid_t uv_os_getppid(void) {
  return getppid();
}

int uv_kill(int pid, int signum) {
  return kill(pid, signum) == 0 ? 0 : uv__errno();
}

int uv__os_getpriority(uv_pid_t pid, int* priority) {
  errno = 0; /* -1 is a legal priority */
  int value = getpriority(PRIO_PROCESS, (id_t) pid);
  if (value == -1 && errno != 0)
    return uv__errno();
  *priority = value;
  return 0;
}

int uv__os_setpriority(uv_pid_t pid, int priority) {
  int r = setpriority(PRIO_PROCESS, (id_t) pid, priority);
  return r == 0 ? 0 : uv__errno();
}

static void field_copy(char* to, size_t size, const char* from) {
  size_t len = uv__min_size(strlen(from), size - 1);
  memcpy(to, from, len);
  to[len] = '\0';
}

int uv__os_uname(uv_utsname_t* buffer) {
  struct utsname un;
  if (uname(&un) < 0)
    return uv__errno();
  field_copy(buffer->sysname, sizeof(buffer->sysname), un.sysname);
  field_copy(buffer->release, sizeof(buffer->release), un.release);
  field_copy(buffer->version, sizeof(buffer->version), un.version);
  field_copy(buffer->machine, sizeof(buffer->machine), un.machine);
  return 0;
}

int uv__os_gethostname(char* buffer, size_t* size) {
  char name[UV_MAXHOSTNAMESIZE];
  if (gethostname(name, sizeof(name)) != 0)
    return uv__errno();
  name[sizeof(name) - 1] = '\0'; /* POSIX: a truncated name may lack its NUL */
  return uv__out_string_put(name, strlen(name), buffer, size);
}

static int cwd_put(const char* dir, char* buffer, size_t* size) {
  size_t len = strlen(dir);
  if (len > 1 && dir[len - 1] == '/')
    len--;
  return uv__out_string_put(dir, len, buffer, size);
}

/* For directories whose name does not fit PATH_MAX. */
static int cwd_long(char* buffer, size_t* size) {
  for (size_t room = 4 * PATH_MAX; room <= CWD_SIZE_MAX; room *= 2) {
    char* dir = uv__malloc(room);
    if (dir == NULL)
      return UV_ENOMEM;
    int err = getcwd(dir, room) == NULL ? uv__errno() : 0;
    if (err == 0)
      err = cwd_put(dir, buffer, size);
    uv__free(dir);
    if (err != -ERANGE)
      return err;
  }
  return UV_ENAMETOOLONG;
}

int uv__os_cwd(char* buffer, size_t* size) {
  char dir[PATH_MAX];
  if (getcwd(dir, sizeof(dir)) != NULL)
    return cwd_put(dir, buffer, size);
  if (errno != ERANGE)
    return uv__errno();
  return cwd_long(buffer, size);
}

int uv__os_chdir(const char* dir) {
  return chdir(dir) == 0 ? 0 : uv__errno();
}

#if UV__HAVE_PROCFS_EXE

/* Unlike the other string getters, truncates: a small buffer gets the start of
 * the path and a NUL. */
int uv__os_exepath(char* buffer, size_t* size) {
  ssize_t len = 0;
  if (*size > 1) /* readlink() refuses an empty buffer */
    len = readlink("/proc/self/exe", buffer, *size - 1);
  if (len < 0)
    return uv__errno();
  buffer[len] = '\0';
  *size = (size_t) len;
  return 0;
}

#endif

static void rusage_copy(uv_rusage_t* to, const struct rusage* from) {
  memset(to, 0, sizeof(*to));
  to->ru_utime.tv_sec = (long) from->ru_utime.tv_sec;
  to->ru_utime.tv_usec = (long) from->ru_utime.tv_usec;
  to->ru_stime.tv_sec = (long) from->ru_stime.tv_sec;
  to->ru_stime.tv_usec = (long) from->ru_stime.tv_usec;
  to->ru_maxrss = (uint64_t) from->ru_maxrss;
  to->ru_ixrss = (uint64_t) from->ru_ixrss;
  to->ru_idrss = (uint64_t) from->ru_idrss;
  to->ru_isrss = (uint64_t) from->ru_isrss;
  to->ru_minflt = (uint64_t) from->ru_minflt;
  to->ru_majflt = (uint64_t) from->ru_majflt;
  to->ru_nswap = (uint64_t) from->ru_nswap;
  to->ru_inblock = (uint64_t) from->ru_inblock;
  to->ru_oublock = (uint64_t) from->ru_oublock;
  to->ru_msgsnd = (uint64_t) from->ru_msgsnd;
  to->ru_msgrcv = (uint64_t) from->ru_msgrcv;
  to->ru_nsignals = (uint64_t) from->ru_nsignals;
  to->ru_nvcsw = (uint64_t) from->ru_nvcsw;
  to->ru_nivcsw = (uint64_t) from->ru_nivcsw;
#if UV__HAVE_MAXRSS_BYTES
  to->ru_maxrss /= 1024;
#endif
}

static int rusage_of(int who, uv_rusage_t* rusage) {
  struct rusage usage;
  if (getrusage(who, &usage) != 0)
    return uv__errno();
  rusage_copy(rusage, &usage);
  return 0;
}

int uv__os_getrusage(uv_rusage_t* rusage) {
  return rusage_of(RUSAGE_SELF, rusage);
}

#if UV__HAVE_RUSAGE_THREAD

int uv__os_getrusage_thread(uv_rusage_t* rusage) {
  return rusage_of(RUSAGE_THREAD, rusage);
}

#elif UV__HAVE_MACH_THREAD_INFO

static uv_timeval_t timeval_from(time_value_t time) {
  uv_timeval_t tv = { .tv_sec = time.seconds, .tv_usec = time.microseconds };
  return tv;
}

/* Mach counts CPU time per thread, nothing else. */
int uv__os_getrusage_thread(uv_rusage_t* rusage) {
  thread_basic_info_data_t info;
  mach_msg_type_number_t words = THREAD_BASIC_INFO_COUNT;
  thread_info_t out = (thread_info_t) &info;
  mach_port_t port = pthread_mach_thread_np(pthread_self());
  if (thread_info(port, THREAD_BASIC_INFO, out, &words) != KERN_SUCCESS)
    return UV_EINVAL;

  uv_rusage_t result = { .ru_utime = timeval_from(info.user_time),
                         .ru_stime = timeval_from(info.system_time) };
  *rusage = result;
  return 0;
}

#else

int uv__os_getrusage_thread(uv_rusage_t* rusage) {
  (void) rusage;
  return UV_ENOTSUP;
}

#endif

uint64_t uv__rlimit_get(int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return UINT64_MAX;
  return limit.rlim_cur;
}

/* OpenBSD has no RLIMIT_AS. */
#ifdef RLIMIT_AS
uint64_t uv__rlimit_memory(void) {
  uint64_t data = uv__rlimit_get(RLIMIT_DATA);
  uint64_t address_space = uv__rlimit_get(RLIMIT_AS);
  return data < address_space ? data : address_space;
}
#else
uint64_t uv__rlimit_memory(void) {
  return uv__rlimit_get(RLIMIT_DATA);
}
#endif
