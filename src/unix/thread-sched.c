/* SPDX-License-Identifier: MIT */
/* Thread scheduling: affinity masks, current CPU, priority.
 *
 * A public mask has one byte per CPU, uv_cpumask_size() of them. Priorities are
 * the five UV_THREAD_PRIORITY_* steps. Real-time policies map them to the range
 * of the policy. Time-sharing policies have a single level, so Linux uses the
 * nice value of the calling thread instead. Context: any.
 */
#include "os/thread.h"
#include "unix/fd.h"
#include "unix/os.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if UV__HAVE_THREAD_NICE
# include <sys/syscall.h>
#endif

/* One priority step in units of nice. */
#define NICE_PER_STEP 2

#if UV__HAVE_CPU_SET

int uv_cpumask_size(void) {
  return CPU_SETSIZE;
}

static int affinity_get(pthread_t thread, char* mask) {
  uv__cpu_set set;
  CPU_ZERO(&set);
  int err = pthread_getaffinity_np(thread, sizeof(set), &set);
  if (err != 0)
    return -err;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    mask[cpu] = CPU_ISSET(cpu, &set) != 0;
  return 0;
}

static int affinity_set(pthread_t thread, const char* mask) {
  uv__cpu_set set;
  CPU_ZERO(&set);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (mask[cpu] != 0)
      CPU_SET(cpu, &set);
  return -pthread_setaffinity_np(thread, sizeof(set), &set);
}

#elif UV__HAVE_CPUSET_CREATE

/* NetBSD allocates its sets; its kernel supports at most this many CPUs. */
# define NETBSD_CPUS 256

int uv_cpumask_size(void) {
  return NETBSD_CPUS;
}

static int affinity_get(pthread_t thread, char* mask) {
  cpuset_t* set = cpuset_create();
  if (set == NULL)
    return UV_ENOMEM;
  int err = pthread_getaffinity_np(thread, cpuset_size(set), set);
  for (cpuid_t cpu = 0; err == 0 && cpu < NETBSD_CPUS; cpu++)
    mask[cpu] = cpuset_isset(cpu, set) > 0;
  cpuset_destroy(set);
  return -err;
}

static int affinity_set(pthread_t thread, const char* mask) {
  cpuset_t* set = cpuset_create();
  if (set == NULL)
    return UV_ENOMEM;
  for (cpuid_t cpu = 0; cpu < NETBSD_CPUS; cpu++)
    if (mask[cpu] != 0)
      cpuset_set(cpu, set);
  int err = pthread_setaffinity_np(thread, cpuset_size(set), set);
  cpuset_destroy(set);
  return -err;
}

#else

int uv_cpumask_size(void) {
  return UV_ENOTSUP;
}

static int affinity_get(pthread_t thread, char* mask) {
  (void) thread;
  (void) mask;
  return UV_ENOTSUP;
}

static int affinity_set(pthread_t thread, const char* mask) {
  (void) thread;
  (void) mask;
  return UV_ENOTSUP;
}

#endif

int uv__thread_os_getaffinity(uv_thread_t tid, char* mask, size_t size) {
  int err = affinity_get(tid, mask);
  if (err != 0)
    return err;
  /* Bytes beyond the CPUs of the system are 0. */
  size_t known = (size_t) uv_cpumask_size();
  memset(mask + known, 0, size - known);
  return 0;
}

int uv__thread_os_setaffinity(uv_thread_t tid,
                              const char* mask,
                              char* old_mask,
                              size_t size) {
  int err = 0;

  if (old_mask != NULL)
    err = uv__thread_os_getaffinity(tid, old_mask, size);
  return err != 0 ? err : affinity_set(tid, mask);
}

#if UV__HAVE_SCHED_GETCPU
int uv_thread_getcpu(void) {
  int cpu = sched_getcpu();
  return cpu < 0 ? uv__errno() : cpu;
}
#else
int uv_thread_getcpu(void) {
  return UV_ENOTSUP;
}
#endif

#if UV__HAVE_THREAD_NICE

/* pthreads has no thread id for other threads, so nice applies only to the
 * calling thread. */
static int nice_applies(pthread_t thread, int policy) {
  return policy == SCHED_OTHER && pthread_equal(thread, pthread_self());
}

static int nice_get(int* value) {
  errno = 0;
  int nice = getpriority(PRIO_PROCESS, (id_t) syscall(SYS_gettid));
  if (nice == -1 && errno != 0)
    return uv__errno();
  *value = nice;
  return 0;
}

static int nice_set(int value) {
  int r = setpriority(PRIO_PROCESS, (id_t) syscall(SYS_gettid), value);
  return r != 0 ? uv__errno() : 0;
}

#else

static int nice_applies(pthread_t thread, int policy) {
  (void) thread;
  (void) policy;
  return 0;
}

static int nice_get(int* value) {
  (void) value;
  return UV_ENOTSUP;
}

static int nice_set(int value) {
  (void) value;
  return UV_ENOTSUP;
}

#endif

int uv__thread_os_getpriority(uv_thread_t tid, int* priority) {
  int policy;
  struct sched_param param;
  int err = pthread_getschedparam(tid, &policy, &param);
  if (err != 0)
    return -err;
  if (nice_applies(tid, policy))
    return nice_get(priority);
  *priority = param.sched_priority;
  return 0;
}

int uv__thread_os_setpriority(uv_thread_t tid, int priority) {
  int lowest = UV_THREAD_PRIORITY_LOWEST;
  int highest = UV_THREAD_PRIORITY_HIGHEST;
  int policy;
  struct sched_param param;
  int err = pthread_getschedparam(tid, &policy, &param);
  if (err != 0)
    return -err;
  if (nice_applies(tid, policy))
    return nice_set(-priority * NICE_PER_STEP);

  int floor = sched_get_priority_min(policy);
  int ceiling = sched_get_priority_max(policy);
  if (floor == -1 || ceiling == -1)
    return uv__errno();
  int range = (ceiling - floor) * (priority - lowest);
  param.sched_priority = floor + range / (highest - lowest);
  return -pthread_setschedparam(tid, policy, &param);
}
