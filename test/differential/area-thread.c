/* SPDX-License-Identifier: MIT */
/* Area thread: threads, locks, semaphores, conditions, barriers, keys. Some
 * objects live through the whole program; what another thread sees of them is
 * asked in one that ends before the step does. */
#include "areas.h"
#include "thread-world.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 4
#define CPUS_MAX 4096

/* --- other threads ------------------------------------------------------- */

struct question {
  int (*ask)(unsigned arg);
  unsigned arg;
  int answer;
};

static void thread_ask(void* arg) {
  struct question* question = arg;
  question->answer = question->ask(question->arg);
}

/* What a function returns in another thread. */
static int elsewhere(int (*ask)(unsigned arg), unsigned arg) {
  struct question question = { ask, arg, 0 };
  uv_thread_t thread;
  int err = uv_thread_create(&thread, thread_ask, &question);

  if (err == 0)
    err = uv_thread_join(&thread);
  return err != 0 ? err : question.answer;
}

/* --- mutexes ------------------------------------------------------------- */

static uv_mutex_t mutexes[2]; /* the second is recursive */
static int locked[2];         /* how often, by the main thread */

static int mutex_try(unsigned which) {
  int err = uv_mutex_trylock(&mutexes[which]);

  if (err == 0)
    uv_mutex_unlock(&mutexes[which]);
  return err;
}

static void mutex(const struct step* step) {
  unsigned which = step->arg[0] % 2;
  uv_mutex_t* m = &mutexes[which];
  const char* name = which ? "recursive mutex" : "mutex";

  switch (step->arg[1] % 4) {
  case 0:
    if (which == 0 && locked[which]) {
      world_skip(step);
      return;
    }
    uv_mutex_lock(m);
    locked[which]++;
    world_say(step, NULL, 0, "lock %s", name);
    break;
  case 1: {
    int err = uv_mutex_trylock(m);
    locked[which] += err == 0;
    world_say(step, NULL, err, "trylock %s", name);
    break;
  }
  case 2:
    if (locked[which] == 0) {
      world_skip(step);
      return;
    }
    uv_mutex_unlock(m);
    locked[which]--;
    world_say(step, NULL, 0, "unlock %s", name);
    break;
  default:
    world_say(step, NULL, elsewhere(mutex_try, which), "other: trylock %s",
              name);
    break;
  }
}

/* --- read-write lock ----------------------------------------------------- */

static uv_rwlock_t rwlock;
static int readers; /* locks of the main thread */
static int writers;

static int rwlock_try(unsigned writes) {
  int err =
      writes ? uv_rwlock_trywrlock(&rwlock) : uv_rwlock_tryrdlock(&rwlock);

  if (err == 0 && writes)
    uv_rwlock_wrunlock(&rwlock);
  else if (err == 0)
    uv_rwlock_rdunlock(&rwlock);
  return err;
}

static void rwlock_unlock(const struct step* step) {
  if (writers > 0) {
    uv_rwlock_wrunlock(&rwlock);
    writers--;
  } else if (readers > 0) {
    uv_rwlock_rdunlock(&rwlock);
    readers--;
  }
  world_say(step, NULL, readers, "unlock rwlock");
}

static void rwlock_lock(const struct step* step) {
  int writes = step->arg[1] % 2;

  if (writers > 0 || (writes && readers > 0)) {
    world_skip(step);
    return;
  }
  if (writes)
    uv_rwlock_wrlock(&rwlock);
  else
    uv_rwlock_rdlock(&rwlock);
  *(writes ? &writers : &readers) += 1;
  world_say(step, NULL, 0, "%slock rwlock", writes ? "wr" : "rd");
}

static void rwlock_any(const struct step* step) {
  unsigned writes = step->arg[1] % 2;

  switch (step->arg[0] % 4) {
  case 0:
    rwlock_lock(step);
    break;
  case 1: {
    int err =
        writes ? uv_rwlock_trywrlock(&rwlock) : uv_rwlock_tryrdlock(&rwlock);
    if (err == 0)
      *(writes ? &writers : &readers) += 1;
    world_say(step, NULL, err, "try%slock rwlock", writes ? "wr" : "rd");
    break;
  }
  case 2:
    rwlock_unlock(step);
    break;
  default:
    world_say(step, NULL, elsewhere(rwlock_try, writes),
              "other: try%slock rwlock", writes ? "wr" : "rd");
    break;
  }
}

/* --- semaphores ---------------------------------------------------------- */

static uv_sem_t sem;
static unsigned posts; /* its value */

static int sem_try(unsigned arg) {
  (void) arg;
  return uv_sem_trywait(&sem);
}

static void sem_any(const struct step* step) {
  int err;

  switch (step->arg[0] % 4) {
  case 0:
    uv_sem_post(&sem);
    posts++;
    world_say(step, NULL, 0, "sem_post");
    break;
  case 1:
    if (posts == 0) {
      world_skip(step);
      return;
    }
    uv_sem_wait(&sem);
    posts--;
    world_say(step, NULL, 0, "sem_wait");
    break;
  default:
    err = step->arg[0] % 4 == 2 ? uv_sem_trywait(&sem) : elsewhere(sem_try, 0);
    posts -= err == 0;
    world_say(step, NULL, err, "%ssem_trywait",
              step->arg[0] % 4 == 2 ? "" : "other: ");
    break;
  }
}

static void sem_values(const struct step* step) {
  static const unsigned values[] = { 0,           1,           2147483646u,
                                     2147483647u, 2147483648u, 4294967295u };
  unsigned value = AT(values, step->arg[0]);
  uv_sem_t other;
  int err = uv_sem_init(&other, value);
  int first = 0;

  if (err == 0) {
    first = uv_sem_trywait(&other);
    uv_sem_destroy(&other);
  }
  world_say(step, NULL, err, "sem_init %u, trywait %s", value,
            trace_code(first));
}

/* --- conditions ---------------------------------------------------------- */

static uv_mutex_t cond_mutex;
static uv_cond_t cond;
static int tokens; /* what the waiting threads take */
static int nwaiting;

static void wait_for_token(void* arg) {
  int* got = arg;

  uv_mutex_lock(&cond_mutex);
  nwaiting++;
  while (tokens == 0)
    uv_cond_wait(&cond, &cond_mutex);
  tokens--;
  *got = 1;
  uv_mutex_unlock(&cond_mutex);
}

/* Some threads wait; a broadcast or a signal for each sets them free. */
static void cond_wake(const struct step* step) {
  unsigned count = 1 + step->arg[0] % THREADS_MAX;
  uv_thread_t threads[THREADS_MAX];
  int got[THREADS_MAX] = { 0 };
  int sum = 0;
  int is_ready = 0;

  nwaiting = 0;
  for (unsigned i = 0; i < count; i++)
    uv_thread_create(&threads[i], wait_for_token, &got[i]);
  while (!is_ready) {
    uv_mutex_lock(&cond_mutex);
    is_ready = nwaiting == (int) count;
    if (is_ready) {
      tokens = (int) count;
      if (step->arg[1] % 2)
        uv_cond_broadcast(&cond);
      for (unsigned i = 0; step->arg[1] % 2 == 0 && i < count; i++)
        uv_cond_signal(&cond);
    }
    uv_mutex_unlock(&cond_mutex);
    uv_sleep(!is_ready);
  }
  for (unsigned i = 0; i < count; i++) {
    uv_thread_join(&threads[i]);
    sum += got[i];
  }
  world_say(step, NULL, sum, "%s for %u threads",
            step->arg[1] % 2 ? "broadcast" : "signals", count);
}

/* In another thread, whose clock is the real one. */
static int cond_timeout(unsigned arg) {
  static const uint64_t timeouts[] = { 0, 1, 1000, 1000000 };
  int err;

  uv_mutex_lock(&cond_mutex);
  err = uv_cond_timedwait(&cond, &cond_mutex, AT(timeouts, arg));
  uv_mutex_unlock(&cond_mutex);
  return err;
}

static void cond_timedwait(const struct step* step) {
  world_say(step, NULL, elsewhere(cond_timeout, step->arg[0]),
            "cond_timedwait %u", step->arg[0] % 4);
}

/* --- barriers ------------------------------------------------------------ */

static uv_barrier_t barrier;

static int barrier_pass(unsigned arg) {
  (void) arg;
  return uv_barrier_wait(&barrier) != 0;
}

static void barrier_any(const struct step* step) {
  unsigned count = step->arg[0] % (THREADS_MAX + 1);
  struct question questions[THREADS_MAX];
  uv_thread_t threads[THREADS_MAX];
  int err = uv_barrier_init(&barrier, count);
  int sum = 0;

  for (unsigned i = 0; err == 0 && i + 1 < count; i++) {
    questions[i] = (struct question) { barrier_pass, 0, 0 };
    uv_thread_create(&threads[i], thread_ask, &questions[i]);
  }
  if (err == 0)
    sum = barrier_pass(0);
  for (unsigned i = 0; err == 0 && i + 1 < count; i++) {
    uv_thread_join(&threads[i]);
    sum += questions[i].answer;
  }
  if (err == 0)
    uv_barrier_destroy(&barrier);
  world_say(step, NULL, err, "barrier of %u: %d may destroy it", count, sum);
}

/* --- keys and once ------------------------------------------------------- */

static uv_key_t key;
static uv_once_t guards[2] = { UV_ONCE_INIT, UV_ONCE_INIT };
static int nonce;

static int key_of_thread(unsigned arg) {
  int before = uv_key_get(&key) != NULL;

  uv_key_set(&key, &key);
  (void) arg;
  return before * 2 + (uv_key_get(&key) == &key);
}

static void key_any(const struct step* step) {
  static int values[3];
  uv_key_t other;
  int err;

  switch (step->arg[0] % 4) {
  case 0:
    uv_key_set(&key, step->arg[1] % 3 ? &values[step->arg[1] % 3] : NULL);
    /* fall through */
  case 1: {
    int* value = uv_key_get(&key);
    world_say(step, NULL, value == NULL ? -1 : value - values, "key_get");
    break;
  }
  case 2:
    world_say(step, NULL, elsewhere(key_of_thread, 0), "other: key");
    break;
  default:
    err = uv_key_create(&other);
    world_say(step, NULL, err, "key_create, %s",
              uv_key_get(&other) == NULL ? "NULL" : "a value");
    uv_key_delete(&other);
    break;
  }
}

static void count_once(void) {
  nonce++;
}

static int once_of(unsigned which) {
  uv_once(&guards[which], count_once);
  return nonce;
}

static void once(const struct step* step) {
  unsigned which = step->arg[0] % 2;
  int n = step->arg[1] % 2 ? once_of(which) : elsewhere(once_of, which);
  world_say(step, NULL, n, "once %u", which);
}

/* --- threads ------------------------------------------------------------- */

/* The size of a thread's stack, in pages. */
static void stack_pages(void* arg) {
  *(size_t*) arg = thread_stack_bytes() / 4096;
}

static void thread_stack(const struct step* step) {
  static const size_t sizes[] = { 0,       1,          4096,    16384,
                                  16385,   65536,      1000000, 1 << 20,
                                  8 << 20, 1ull << 46, 100000 };
  uv_thread_options_t options;
  uv_thread_t thread;
  size_t pages = 0;

  options.flags =
      step->arg[1] % 4 ? UV_THREAD_HAS_STACK_SIZE : UV_THREAD_NO_FLAGS;
  options.stack_size =
      step->arg[2] % 64 == 0 ? (size_t) -1 : AT(sizes, step->arg[0]);
  int err = uv_thread_create_ex(&thread, &options, stack_pages, &pages);
  if (err == 0)
    uv_thread_join(&thread);
  world_say(step, NULL, err, "thread_create_ex flags=%u %zu: %zu pages",
            options.flags, options.stack_size, pages);
}

static void detached(void* arg) {
  uv_sem_post(arg);
}

static void thread_detach(const struct step* step) {
  static uv_sem_t ended; /* outlives the thread, which may still return */
  uv_thread_t thread;

  uv_sem_init(&ended, 0);
  uv_thread_create(&thread, detached, &ended);
  int err = uv_thread_detach(&thread);
  uv_sem_wait(&ended);
  world_say(step, NULL, err, "thread_detach");
}

static uv_thread_t main_thread;

static int is_main(unsigned arg) {
  uv_thread_t self = uv_thread_self();
  (void) arg;
  return uv_thread_equal(&self, &main_thread) != 0;
}

static void thread_equal(const struct step* step) {
  int here = is_main(0);
  world_say(step, NULL, elsewhere(is_main, 0), "thread_equal here %d", here);
}

static void thread_name(const struct step* step) {
  static const char* const names[] = { "", "short", "fifteen letters",
                                       "a name of twenty-one" };
  static const size_t sizes[] = { 0, 1, 3, 6, 16, 32 };
  size_t size = AT(sizes, step->arg[1]);
  uv_thread_t self = uv_thread_self();
  char name[32] = "";
  int err = uv_thread_setname(step->arg[2] % 20 == 0 ? NULL
                                                     : AT(names, step->arg[0]));
  int got =
      uv_thread_getname(&self, step->arg[2] % 20 == 1 ? NULL : name, size);

  world_say(step, NULL, err, "thread_setname, getname %zu: %s %s", size,
            trace_code(got), got == 0 ? name : "");
}

static void thread_priority(const struct step* step) {
  static const int priorities[] = { -3, -2, -1, 0, 1, 2, 3 };
  int priority = AT(priorities, step->arg[0]);
  int now = 12345;
  int set = uv_thread_setpriority(uv_thread_self(), priority);
  int err = uv_thread_getpriority(uv_thread_self(),
                                  step->arg[1] % 9 == 0 ? NULL : &now);

  world_say(step, NULL, set, "thread_setpriority %d, getpriority %s: %d",
            priority, trace_code(err), now);
}

static int cpus_in(const char* mask) {
  int count = 0;

  for (int i = 0; i < CPUS_MAX; i++)
    count += mask[i] != 0;
  return count;
}

static void thread_affinity(const struct step* step) {
  static char mask[CPUS_MAX];
  static char old[CPUS_MAX];
  uv_thread_t self = uv_thread_self();
  int size = uv_cpumask_size();
  size_t room = step->arg[0] % 6 == 0 ? (size_t) size - 1 : (size_t) size;
  int set = 0;

  memset(mask, 0, sizeof(mask));
  memset(old, 0, sizeof(old));
  if (step->arg[1] % 3 != 0) {
    for (unsigned i = 0; i < 4; i++)
      mask[i] = step->arg[2] >> i & 1;
    set =
        uv_thread_setaffinity(&self, mask, step->arg[3] % 2 ? old : NULL, room);
    memset(mask, 0, sizeof(mask));
  }
  int err = uv_thread_getaffinity(&self, mask, room);
  int is_there = uv_thread_getcpu() >= 0;
  world_say(step, NULL, err,
            "cpumask_size %d, setaffinity %u %s, before %d, now %d, getcpu %d",
            size, step->arg[2] & 15, trace_code(set), cpus_in(old),
            cpus_in(mask), is_there);
}

/* ------------------------------------------------------------------------- */

static void begin(void) {
  main_thread = uv_thread_self();
  thread_rename("differ"); /* not the program's */
  if (uv_mutex_init(&mutexes[0]) != 0 ||
      uv_mutex_init_recursive(&mutexes[1]) != 0 ||
      uv_rwlock_init(&rwlock) != 0 || uv_sem_init(&sem, 0) != 0 ||
      uv_mutex_init(&cond_mutex) != 0 || uv_cond_init(&cond) != 0 ||
      uv_key_create(&key) != 0)
    abort();
}

static void cleanup(void) {
  for (int i = 0; i < 2; i++) {
    while (locked[i]-- > 0)
      uv_mutex_unlock(&mutexes[i]);
    uv_mutex_destroy(&mutexes[i]);
  }
  while (readers-- > 0)
    uv_rwlock_rdunlock(&rwlock);
  while (writers-- > 0)
    uv_rwlock_wrunlock(&rwlock);
  uv_rwlock_destroy(&rwlock);
  uv_sem_destroy(&sem);
  uv_cond_destroy(&cond);
  uv_mutex_destroy(&cond_mutex);
  uv_key_delete(&key);
}

static const struct op ops[] = {
  { "mutex", 60, mutex, 0 },
  { "rwlock", 60, rwlock_any, 0 },
  { "sem", 40, sem_any, 0 },
  { "sem_values", 8, sem_values, 0 },
  { "cond_wake", 4, cond_wake, 0 },
  { "cond_timedwait", 4, cond_timedwait, 0 },
  { "barrier", 8, barrier_any, 0 },
  { "key", 30, key_any, 0 },
  { "once", 15, once, 0 },
  { "thread_stack", 20, thread_stack, 0 },
  { "thread_detach", 2, thread_detach, SINCE_1_50 },
  { "thread_equal", 6, thread_equal, 0 },
  { "thread_name", 15, thread_name, SINCE_1_50 },
  { "thread_priority", 12, thread_priority, SINCE_1_50 },
  { "thread_affinity", 15, thread_affinity, SINCE_1_50 },
  { NULL, 0, NULL, 0 },
};

const struct area area_thread = {
  .name = "thread",
  .ops = ops,
  .setup = loop_setup,
  .begin = begin,
  .cleanup = cleanup,
};
