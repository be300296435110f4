/* SPDX-License-Identifier: MIT */
/* Random bytes on Unix: signals during the call, and kernels or sandboxes
 * without getrandom(2). */
#include "fixture.h"

#include "os/random.h"
#include "unix/os.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>

#if __has_include(<linux/seccomp.h>)
# define HAVE_SECCOMP 1
# include <linux/filter.h>
# include <linux/seccomp.h>
# include <sys/prctl.h>
# include "unix/call-numbers.h"
#endif

/* The C library has a function that ours can replace. */
#define SCRIPTED (UV__HAVE_GETRANDOM && UV__HAVE_NEWER_CALLS)

#if SCRIPTED
# include <sys/random.h>
# include <sys/syscall.h>

/* What the next calls of getrandom() return: a negated errno, or a maximum
 * number of bytes; after the final 0, the kernel's own answer. */
static const int* script;
static int script_calls;

/* Replaces the C library's in the whole test program. */
ssize_t getrandom(void* buf, size_t len, unsigned int flags) {
  int step = 0;
  if (script != NULL && *script != 0) {
    step = *script++;
    script_calls++;
  }
  if (step < 0) {
    errno = -step;
    return -1;
  }
  if (step > 0 && (size_t) step < len)
    len = (size_t) step;
  return syscall(SYS_getrandom, buf, len, flags);
}
#endif

#if SCRIPTED
static void skip_without_getrandom(void) {
  char byte;
  if (syscall(SYS_getrandom, &byte, 1, 0) == -1 && errno == ENOSYS)
    SKIP("this kernel has no getrandom()");
}
#endif

static int is_zero(const char* p, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (p[i] != 0)
      return 0;
  return 1;
}

#if SCRIPTED
/* Interrupted before the first byte, and delivered in pieces. */
UNIT_TEST(random_scripted_kernel) {
  static const int steps[] = { -EINTR, -EINTR, 1, -EINTR, 3, 1, -EINTR, 0 };
  char buf[64] = { 0 };

  skip_without_getrandom();
  script = steps;
  CHECK_EQ(0, uv_random(NULL, NULL, buf, sizeof(buf), 0, NULL));
  CHECK_EQ(7, script_calls);
  CHECK(!is_zero(buf + 5, 30));
  CHECK(!is_zero(buf + 32, 32));
}

/* Refused halfway: the rest comes from the device. */
UNIT_TEST(random_scripted_refusal) {
  static const int steps[] = { 8, -ENOSYS, 0 };
  char buf[128] = { 0 };

  skip_without_getrandom();
  script = steps;
  CHECK_EQ(0, uv_random(NULL, NULL, buf, sizeof(buf), 0, NULL));
  CHECK_EQ(2, script_calls);
  CHECK(!is_zero(buf, 8));
  CHECK(!is_zero(buf + 8, 32));
  CHECK(!is_zero(buf + 96, 32));
}

UNIT_TEST(random_scripted_error) {
  static const int steps[] = { 8, -EFAULT, 0 };
  char buf[128];

  skip_without_getrandom();
  script = steps;
  CHECK_EQ(UV_EFAULT, uv_random(NULL, NULL, buf, sizeof(buf), 0, NULL));
}
#else
UNIT_TEST(random_scripted_kernel) {
  SKIP("this system has no getrandom()");
}

UNIT_TEST(random_scripted_refusal) {
  SKIP("this system has no getrandom()");
}

UNIT_TEST(random_scripted_error) {
  SKIP("this system has no getrandom()");
}
#endif

static volatile sig_atomic_t ticks;

static void on_tick(int signum) {
  (void) signum;
  ticks++;
}

/* Signals without SA_RESTART interrupt the calls. */
UNIT_TEST(random_interrupted) {
  struct sigaction sa;
  memset(&sa, 0, sizeof(sa));
  sa.sa_handler = on_tick;
  CHECK_EQ(0, sigaction(SIGALRM, &sa, NULL));

  size_t size = 16u << 20;
  char* buf = calloc(1, size);
  if (buf == NULL)
    SKIP("no 16 MB of memory");

  struct itimerval every = { { 0, 500 }, { 0, 500 } };
  CHECK_EQ(0, setitimer(ITIMER_REAL, &every, NULL));
  int err = uv_random(NULL, NULL, buf, size, 0, NULL);
  memset(&every, 0, sizeof(every));
  CHECK_EQ(0, setitimer(ITIMER_REAL, &every, NULL));

  CHECK_EQ(0, err);
  for (size_t at = 0; at + 64 <= size; at += 64)
    CHECK(!is_zero(buf + at, 64));
  free(buf);
  if (ticks == 0)
    SKIP("no signal arrived during the call; valgrind delays them");
}

#if defined(HAVE_SECCOMP) && UV__HAVE_GETRANDOM
/* From here on in this process, getrandom() fails with `err`. */
static int forbid_getrandom(int err) {
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, UV__SYS_GETRANDOM, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned) err),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static int forbid_getrandom(int err) {
  (void) err;
  return -1;
}
#endif

static void check_fallback(int err) {
  if (forbid_getrandom(err) != 0)
    SKIP("no seccomp filters here to refuse getrandom(2)");

  char buf[4096] = { 0 };
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(0, uv_random(NULL, NULL, buf, sizeof(buf), 0, NULL));
    for (size_t at = 0; at < sizeof(buf); at += 64)
      CHECK(!is_zero(buf + at, 64));
    memset(buf, 0, sizeof(buf));
  }

  /* No descriptor was left open. */
  int fd = dup(1);
  CHECK(fd >= 0);
  close(fd);
  CHECK_EQ(0, uv_random(NULL, NULL, buf, sizeof(buf), 0, NULL));
  CHECK_EQ(fd, dup(1));
}

UNIT_TEST(random_fallback_old_kernel) {
  check_fallback(ENOSYS);
}

UNIT_TEST(random_fallback_sandbox) {
  check_fallback(EPERM);
}

/* A chroot without devices, then one where the name is an ordinary file: an
 * error, not predictable bytes. */
UNIT_TEST(random_fallback_without_devices) {
  struct fixture fx;
  char byte;
  int top = open("/", O_RDONLY | O_DIRECTORY);

  CHECK(top >= 0);
  fixture_init(&fx);
  fixture_write(&fx, "/other", "");
  if (chroot(fx.root) != 0)
    SKIP("only root may call chroot()");
  if (forbid_getrandom(ENOSYS) != 0)
    SKIP("no seccomp filters here to refuse getrandom(2)");
  int without = uv_random(NULL, NULL, &byte, 1, 0, NULL);
  CHECK_EQ(0, mkdir("/dev", 0700));
  int fd = open("/dev/random", O_WRONLY | O_CREAT, 0600);
  CHECK_EQ(4, write(fd, "1234", 4));
  CHECK_EQ(0, close(fd));
  int with_file = uv_random(NULL, NULL, &byte, 1, 0, NULL);
  CHECK_EQ(0, fchdir(top));
  CHECK_EQ(0, chroot("."));
  CHECK_EQ(UV_ENOENT, without);
  CHECK_EQ(UV_EIO, with_file);
  fixture_close(&fx);
}
