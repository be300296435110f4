/* SPDX-License-Identifier: MIT */
/* Users, memory limits, sleeping, title and libraries, where POSIX lets the
 * test change the conditions. */
#include "uv.h"
#include "test.h"

#include <string.h>

#if TEST_POSIX
# include <signal.h>
# include <sys/resource.h>
# include <sys/time.h>
# include <unistd.h>

TEST_IMPL(sysinfo_user_unknown_id) {
  uv_passwd_t pwd;
  uv_group_t grp;

  ASSERT_EQ(UV_ENOENT, uv_os_get_passwd2(&pwd, 0x7ffffff0));
  ASSERT_EQ(UV_ENOENT, uv_os_get_group(&grp, 0x7ffffff0));
  return 0;
}

TEST_IMPL(sysinfo_group_freed_twice) {
  uv_group_t grp;

  ASSERT_EQ(0, uv_os_get_group(&grp, 0));
  ASSERT_EQ(0, grp.gid);
  ASSERT(strlen(grp.groupname) > 0);
  for (char** member = grp.members; *member != NULL; member++)
    ASSERT(strlen(*member) > 0);
  uv_os_free_group(&grp);
  ASSERT(grp.groupname == NULL);
  ASSERT(grp.members == NULL);
  uv_os_free_group(&grp);
  uv_os_free_group(NULL);
  uv_os_free_passwd(NULL);
  return 0;
}

#endif

#if TEST_POSIX
/* Neither HOME nor an entry in the list of users. */
TEST_IMPL(sysinfo_homedir_of_an_unknown_user) {
  char home[64];
  size_t size = sizeof(home);

  ASSERT_EQ(0, uv_os_unsetenv("HOME"));
  if (seteuid(0x7ffffff0) != 0)
    SKIP("only root may become another user");
  int err = uv_os_homedir(home, &size);
  ASSERT_EQ(0, seteuid(0));
  ASSERT_ERR(UV_ENOENT, err);
  return 0;
}
#endif

TEST_IMPL(sysinfo_homedir_without_variable) {
  char home[4096];
  size_t size = sizeof(home);
  uv_passwd_t pwd;

  ASSERT_EQ(0, uv_os_unsetenv(TEST_HOME));
  ASSERT_EQ(0, uv_os_get_passwd(&pwd));
  ASSERT_EQ(0, uv_os_homedir(home, &size));
  ASSERT_EQ(0, strcmp(pwd.homedir, home));
  ASSERT_EQ(strlen(home), size);
  uv_os_free_passwd(&pwd);
  return 0;
}

#if TEST_POSIX
# ifndef RLIMIT_AS
#  define RLIMIT_AS RLIMIT_DATA /* all of it, if that is all there is */
# endif

static void set_limit(int resource, const struct rlimit* want) {
  struct rlimit now;

  ASSERT_EQ(0, setrlimit(resource, want));
  ASSERT_EQ(0, getrlimit(resource, &now));
  if (now.rlim_cur != want->rlim_cur)
    SKIP("setrlimit() does nothing here (qemu-user)");
}

/* Since libuv 1.52.1 resource limits count too. */
TEST_IMPL(sysinfo_memory_resource_limit) {
  uint64_t limit = (uint64_t) 8 << 30;
  struct rlimit rl;

  if (sizeof(rlim_t) < 8)
    SKIP("the limit does not fit this system's rlim_t");
  ASSERT_EQ(0, getrlimit(RLIMIT_AS, &rl));
  if (rl.rlim_max != RLIM_INFINITY && (uint64_t) rl.rlim_max < limit)
    SKIP("the address space is already limited below 8 GiB");
  struct rlimit tight = { .rlim_cur = (rlim_t) limit, .rlim_max = rl.rlim_max };
  uint64_t before = uv_get_constrained_memory();
  set_limit(RLIMIT_AS, &tight);
  uint64_t after = uv_get_constrained_memory();
  uint64_t available = uv_get_available_memory();
  ASSERT_EQ(0, setrlimit(RLIMIT_AS, &rl)); /* sanitizers need more */

  if (before == 0 || before > limit)
    ASSERT(after == limit);
  else
    ASSERT(after == before);
  ASSERT(available <= limit);
  ASSERT(available <= uv_get_total_memory());
  return 0;
}

/* Also a limit above the machine's memory. */
TEST_IMPL(sysinfo_memory_limit_above_the_memory) {
  uint64_t limit = uv_get_total_memory() * 4;
  struct rlimit rl;

  if (sizeof(rlim_t) < 8)
    SKIP("the limit does not fit this system's rlim_t");
  if (TEST_MSAN)
    SKIP("MemorySanitizer's own mappings exceed the limit");
  ASSERT_EQ(0, getrlimit(RLIMIT_DATA, &rl));
  if (rl.rlim_max != RLIM_INFINITY && (uint64_t) rl.rlim_max < limit)
    SKIP("the data segment is already limited to less");
  struct rlimit loose = { .rlim_cur = (rlim_t) limit, .rlim_max = rl.rlim_max };
  set_limit(RLIMIT_DATA, &loose);
  uint64_t found = uv_get_constrained_memory();
  ASSERT_EQ(0, setrlimit(RLIMIT_DATA, &rl)); /* sanitizers need more */
  ASSERT(found != 0);
  ASSERT(found <= limit);
  return 0;
}

static volatile sig_atomic_t alarms;

static void on_alarm(int signum) {
  (void) signum;
  alarms++;
}

/* Every 5 ms until the test ends, without SA_RESTART. */
static void alarms_start(void) {
  struct itimerval every = { { 0, 5000 }, { 0, 5000 } };
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = on_alarm;
  ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
  ASSERT_EQ(0, setitimer(ITIMER_REAL, &every, NULL));
}

static void alarms_stop(void) {
  struct itimerval never = { { 0, 0 }, { 0, 0 } };
  ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
}

TEST_IMPL(sysinfo_sleep_resumes_after_signals) {
  uint64_t start = uv_hrtime();

  alarms_start();
  uv_sleep(100);
  alarms_stop();
  ASSERT(alarms > 0);
  ASSERT(uv_hrtime() - start >= 100 * 1000 * 1000);
  return 0;
}

/* Signals go to the other thread, which waits. */
static void post_after_alarms(void* arg) {
  sigset_t all;
  sigfillset(&all);
  ASSERT_EQ(0, pthread_sigmask(SIG_BLOCK, &all, NULL));
  while (alarms < 5)
    uv_sleep(1);
  uv_sem_post(arg);
}

TEST_IMPL(sync_sem_wait_resumes_after_signals) {
  uv_sem_t sem;
  uv_thread_t tid;

  ASSERT_EQ(0, uv_sem_init(&sem, 0));
  ASSERT_EQ(0, uv_thread_create(&tid, post_after_alarms, &sem));
  alarms_start();
  uv_sem_wait(&sem);
  alarms_stop();
  ASSERT(alarms >= 5);
  ASSERT_EQ(UV_EAGAIN, uv_sem_trywait(&sem));
  ASSERT_EQ(0, uv_thread_join(&tid));
  uv_sem_destroy(&sem);
  return 0;
}

#endif

TEST_IMPL(sysinfo_clock_bad_arguments) {
  uv_timespec64_t ts;

  ASSERT_EQ(UV_EFAULT, uv_clock_gettime(UV_CLOCK_MONOTONIC, NULL));
  ASSERT_EQ(UV_EINVAL, uv_clock_gettime((uv_clock_id) 77, &ts));
  ASSERT_EQ(UV_EINVAL, uv_gettimeofday(NULL));
  ASSERT_EQ(UV_EINVAL, uv_getrusage(NULL));
  ASSERT_EQ(UV_EINVAL, uv_getrusage_thread(NULL));
  ASSERT_EQ(UV_EINVAL, uv_uptime(NULL));
  ASSERT_EQ(UV_EINVAL, uv_resident_set_memory(NULL));
  return 0;
}

TEST_IMPL(sysinfo_kill_and_priority_of_no_process) {
  int priority;

  ASSERT_EQ(0, uv_kill(uv_os_getpid(), 0));
  ASSERT_EQ(UV_EINVAL, uv_kill(uv_os_getpid(), 9999));
  ASSERT_EQ(UV_ESRCH, uv_kill(0x7ffffff0, 0));
  ASSERT_EQ(UV_ESRCH, uv_os_getpriority(0x7ffffff0, &priority));
  ASSERT_EQ(UV_ESRCH, uv_os_setpriority(0x7ffffff0, 0));
  return 0;
}

/* No upstream test on unix calls uv_dlsym(). */
TEST_IMPL(dl_symbols_of_the_program) {
  uv_lib_t lib;
  void* address = NULL;

  if (TEST_STATIC)
    SKIP("a static program has no symbols to look up");
  ASSERT_EQ(0, uv_dlopen(TEST_LIBRARY, &lib));
  ASSERT_EQ(0, uv_dlsym(&lib, TEST_SYMBOL, &address));
  ASSERT(address != NULL);
  ASSERT_EQ(0, strcmp("no error", uv_dlerror(&lib)));

  address = &lib;
  ASSERT_EQ(-1, uv_dlsym(&lib, "uv_no_such_symbol", &address));
  ASSERT_NULL(address);
  for (int i = 0; i < 2; i++) /* the message stays */
    if (TEST_POSIX)           /* Windows: the text does not contain the name */
      ASSERT_NOT_NULL(strstr(uv_dlerror(&lib), "uv_no_such_symbol"));
    else
      ASSERT_NE(0, strcmp("no error", uv_dlerror(&lib)));

  /* Success clears the message. */
  ASSERT_EQ(0, uv_dlsym(&lib, TEST_SYMBOL, &address));
  ASSERT_EQ(0, strcmp("no error", uv_dlerror(&lib)));
  uv_dlclose(&lib);
  return 0;
}
