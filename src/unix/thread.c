/* SPDX-License-Identifier: MIT */
/* Threads: starting, ending, identity, names, thread-local keys.
 * Scheduling (affinity, priority) is in thread-sched.c. Context: any.
 */
#include "util/base.h"
#include "os/thread.h"
#include "unix/cancel.h"
#include "unix/os.h"
#include "util/alloc.h"
#include "util/fatal.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Lower bound for any request: a few libc calls must fit. */
#define STACK_FLOOR ((size_t) 16 << 10)

/* Bounds for the default stack. Outside of them, RLIMIT_STACK was not meant for
 * threads ("unlimited" is common), and the usual 8 MiB is used. */
#define STACK_DEFAULT_MIN ((size_t) 256 << 10)
#define STACK_DEFAULT_MAX ((size_t) 1 << 30)
#define STACK_DEFAULT ((size_t) 8 << 20)

/* Of uv__thread_os_doze(). */
#define DOZE_NS 50000

/* Of the library's own threads: enough for formatting, symbols and a demangler.
 */
#define STACK_OWN ((size_t) 512 << 10)
/* How much nicer than the program a thread of lower priority is: with a third
 * of the weight, it still gets a quarter of a processor that is busy. */
#define NICER 5

/* Passed to the new thread, which frees it. */
struct thread_start {
  uv_thread_cb entry; /* function of the caller */
  void* arg;          /* its argument */
};

static void* thread_main(void* data) {
  struct thread_start* box = data;
  struct thread_start start = *box;
  uv__free(box);
  start.entry(start.arg);
  return NULL;
}

static size_t stack_size_min(void) {
  size_t floor = STACK_FLOOR;
#ifdef _SC_THREAD_STACK_MIN
  /* Since glibc 2.34 this includes the signal frame of the actual CPU. */
  long wanted = sysconf(_SC_THREAD_STACK_MIN);
  if (wanted > 0 && (size_t) wanted > floor)
    floor = (size_t) wanted;
#endif
  return floor;
}

static size_t stack_size_default(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0)
    return STACK_DEFAULT;
  uint64_t size = (uint64_t) limit.rlim_cur; /* signed on FreeBSD */
  if (limit.rlim_cur == RLIM_INFINITY || size > STACK_DEFAULT_MAX)
    return STACK_DEFAULT;
  if (size < STACK_DEFAULT_MIN)
    return STACK_DEFAULT_MIN;
  return (size_t) size;
}

/* The stack size to request: at least the minimum, in whole pages. 0 if that
 * overflows. */
static size_t stack_size_for(const uv_thread_options_t* options) {
  size_t size = uv__thread_stack_size(options);
  if (size == 0)
    size = stack_size_default();

  size_t floor = stack_size_min();
  if (size < floor)
    size = floor;

  size_t page = (size_t) sysconf(_SC_PAGESIZE);
  if (size > SIZE_MAX - page)
    return 0;
  return (size + page - 1) / page * page;
}

int uv__thread_os_create(uv_thread_t* tid,
                         const uv_thread_options_t* options,
                         uv_thread_cb entry,
                         void* arg) {
  size_t stack_size = stack_size_for(options);
  if (stack_size == 0)
    return UV_EINVAL;

  struct thread_start* start = uv__malloc(sizeof(*start));
  if (start == NULL)
    return UV_ENOMEM;
  start->entry = entry;
  start->arg = arg;

  pthread_attr_t attr;
  int err = pthread_attr_init(&attr);
  if (err != 0)
    goto err_free_start;
  err = pthread_attr_setstacksize(&attr, stack_size);
  if (err == 0)
    err = pthread_create(tid, &attr, thread_main, start);
  (void) pthread_attr_destroy(&attr); /* cannot fail once initialised */

err_free_start:
  if (err != 0)
    uv__free(start);
  return -err;
}

int uv__thread_os_detach(uv_thread_t* tid) {
  return -pthread_detach(*tid);
}

int uv__thread_os_join(uv_thread_t* tid) {
  return -pthread_join(*tid, NULL);
}

uv_thread_t uv_thread_self(void) {
  return pthread_self();
}

uintptr_t uv__thread_os_self(void) {
  return (uintptr_t) pthread_self();
}

#if UV__HAVE_THREAD_ATTR
void uv__thread_os_stack(uintptr_t* low, uintptr_t* end) {
  pthread_attr_t attr;
  void* address = NULL;
  size_t size = 0;

  if (pthread_getattr_np(pthread_self(), &attr) == 0) {
    (void) pthread_attr_getstack(&attr, &address, &size); /* cannot fail */
    (void) pthread_attr_destroy(&attr);
  }
  *low = (uintptr_t) address;
  *end = *low + size;
}
#else
void uv__thread_os_stack(uintptr_t* low, uintptr_t* end) {
  *low = 0;
  *end = 0;
}
#endif

int uv_thread_equal(const uv_thread_t* t1, const uv_thread_t* t2) {
  return pthread_equal(*t1, *t2);
}

/* Four systems, four signatures: each variant names the current thread or reads
 * the name of a thread into UV_PTHREAD_MAX_NAMELEN_NP bytes; 0 or errno. */
#if UV__HAVE_SETNAME_SELF
static int name_set(const char* name) {
  return pthread_setname_np(name);
}
#elif UV__HAVE_SETNAME_FORMAT
static int name_set(const char* name) {
  return pthread_setname_np(pthread_self(), "%s", (void*) name);
}
#elif UV__HAVE_SET_NAME_NP
static int name_set(const char* name) {
  pthread_set_name_np(pthread_self(), name);
  return 0;
}
#else
static int name_set(const char* name) {
  return pthread_setname_np(pthread_self(), name);
}
#endif

#if UV__HAVE_SET_NAME_NP
static int name_get(pthread_t thread, char* name, size_t size) {
  pthread_get_name_np(thread, name, size);
  return 0;
}
#else
static int name_get(pthread_t thread, char* name, size_t size) {
  return pthread_getname_np(thread, name, size);
}
#endif

int uv__thread_os_setname(const char* name) {
  char kept[UV_PTHREAD_MAX_NAMELEN_NP];
  size_t len = uv__min_size(strlen(name), sizeof(kept) - 1);
  memcpy(kept, name, len);
  kept[len] = '\0';
  return -name_set(kept);
}

int uv__thread_os_getname(uv_thread_t* tid, char* name, size_t size) {
  /* The system fails if the buffer could be too small; this one never is. */
  char full[UV_PTHREAD_MAX_NAMELEN_NP] = "";
  int err = name_get(*tid, full, sizeof(full));
  if (err != 0)
    return -err;

  size_t len = uv__min_size(strnlen(full, sizeof(full) - 1), size - 1);
  memcpy(name, full, len);
  name[len] = '\0';
  return 0;
}

int uv_key_create(uv_key_t* key) {
  return -pthread_key_create(key, NULL);
}

void uv_key_delete(uv_key_t* key) {
  int err = pthread_key_delete(*key);
  if (err != 0)
    uv__fatal("uv_key_delete", -err);
}

void* uv_key_get(uv_key_t* key) {
  return pthread_getspecific(*key);
}

void uv_key_set(uv_key_t* key, void* value) {
  int err = pthread_setspecific(*key, value);
  if (err != 0)
    uv__fatal("uv_key_set", -err);
}

void uv__thread_os_yield(void) {
  (void) sched_yield(); /* cannot fail on any system that we know */
}

/* It may end early, by a signal. */
void uv__thread_os_doze(void) {
  const struct timespec moment = { 0, DOZE_NS };
  int saved_errno = errno;
  int saved_cancel = uv__cancel_disable();

  (void) nanosleep(&moment, NULL);
  uv__cancel_restore(saved_cancel);
  errno = saved_errno;
}

int uv__thread_os_at_fork(void (*reset)(void)) {
  return -pthread_atfork(NULL, NULL, reset);
}

int uv__thread_os_start_own(uv_thread_t* thread, uv_thread_cb entry) {
  uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, STACK_OWN };
  sigset_t all;
  sigset_t before;

  /* The new thread inherits the mask. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int err = uv_thread_create_ex(thread, &options, entry, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return err;
}

uint64_t uv__thread_os_id(void) {
  return (uint64_t) UV__THREAD_ID();
}

#if UV__HAVE_THREAD_NICE
void uv__thread_os_lower_priority(void) {
  id_t tid = (id_t) uv__thread_os_id();
  int nice = getpriority(PRIO_PROCESS, tid);

  /* It is a courtesy: a failure changes nothing else. */
  (void) setpriority(PRIO_PROCESS, tid, nice + NICER);
}
#else
void uv__thread_os_lower_priority(void) {
  /* Priorities are those of processes. */
}
#endif

int uv__thread_os_key_create(uv_key_t* key, void (*at_exit)(void* data)) {
  return -pthread_key_create(key, at_exit);
}

int uv__thread_os_key_set(const uv_key_t* key, void* data) {
  return -pthread_setspecific(*key, data);
}
