/* SPDX-License-Identifier: MIT */
/* io_uring and credentials: no io_uring call unless requested, the pool where
 * the kernel refuses it, and no request with credentials that the process has
 * given up (CVE-2024-22017), in any mode. */
#include "filter.h"
#include "test.h"
#include "test-uring.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static uv_loop_t loop;
/* Each case in its own process, because its changes are permanent. */
static void in_child(void (*run)(const void* arg), const void* arg) {
  pid_t pid = test_fork();
  if (pid == 0) {
    run(arg);
    _exit(0);
  }
  int status = test_wait_child(pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    SKIP("the child skipped: no io_uring with this kernel or poller");
  ASSERT_EQ(0, status);
}

#ifdef HAVE_FILTER
/* io_uring_setup(), _enter() and _register() are 425 to 427 everywhere. */
static void answer_uring(unsigned action) {
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 425, 0, 2),
    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 427, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, action),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  if (!filter_install(rules, ARRAY_SIZE(rules)))
    SKIP("no system call filters here");
}

static void use_files(void) {
  char text[4] = "abc";
  uv_buf_t buf = uv_buf_init(text, sizeof(text));
  uv_fs_t req;

  ssize_t fd = uring_run(
      uv_fs_open(&loop, &req, "file", O_RDWR | O_CREAT, 0600, uring_cb), &req);
  ASSERT_GE(fd, 0);
  ASSERT_OK(uring_run(uv_fs_stat(&loop, &req, "file", uring_cb), &req));
  ASSERT_EQ(4,
            uring_run(uv_fs_write(&loop, &req, (int) fd, &buf, 1, 0, uring_cb),
                      &req));
  ASSERT_EQ(
      4,
      uring_run(uv_fs_read(&loop, &req, (int) fd, &buf, 1, 0, uring_cb), &req));
  ASSERT_OK(uring_run(uv_fs_close(&loop, &req, (int) fd, uring_cb), &req));
  ASSERT_EQ(0, uring_count());
  test_close_loop(&loop);
}

struct asking {
  const char* value;
  int sqpoll;
  unsigned action;
};

static void run_filtered(const void* arg) {
  const struct asking* asking = arg;

  uring_ask_for(asking->value);
  answer_uring(asking->action);
  ASSERT_OK(uv_loop_init(&loop));
  if (asking->sqpoll)
    ASSERT_OK(uv_loop_configure(&loop, UV_LOOP_USE_IO_URING_SQPOLL));
  use_files();
}

/* An io_uring call would kill the process. */
TEST_IMPL(uring_is_not_used_unless_requested) {
  static const struct asking cases[] = {
    { NULL, 0, SECCOMP_RET_KILL_PROCESS },
    { "", 0, SECCOMP_RET_KILL_PROCESS },
    { "0", 0, SECCOMP_RET_KILL_PROCESS },
    { "0", 1, SECCOMP_RET_KILL_PROCESS },
  };

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
    in_child(run_filtered, &cases[i]);
  return 0;
}

TEST_IMPL(uring_refused_uses_the_pool) {
  static const int errors[] = { ENOSYS, EPERM, ENOMEM, EMFILE };

  for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
    unsigned action = SECCOMP_RET_ERRNO | (unsigned) errors[i];
    in_child(run_filtered, &(struct asking) { "1", 0, action });
    in_child(run_filtered, &(struct asking) { "2", 0, action });
    in_child(run_filtered, &(struct asking) { NULL, 1, action });
  }
  return 0;
}

static uv_fs_t left[3];

/* The ring exists, then calls are refused: nothing is lost. */
static void run_refused_later(const void* arg) {
  const struct asking* asking = arg;
  uv_fs_t req;

  uring_ask_for("2");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uring_run(uv_fs_stat(&loop, &req, ".", uring_cb), &req));
  if (uring_count() == 0)
    SKIP("this kernel has no io_uring");
  uring_callbacks = 0;
  ASSERT_OK(uv_fs_stat(&loop, &left[0], ".", uring_cb));
  ASSERT_OK(uv_fs_mkdir(&loop, &left[1], "never", 0700, uring_cb));
  ASSERT_OK(uv_fs_open(&loop, &left[2], "none", O_RDONLY, 0, uring_cb));
  ASSERT_OK(uv_cancel((uv_req_t*) &left[1]));
  answer_uring(asking->action);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(3, uring_callbacks);
  ASSERT_OK(left[0].result);
  ASSERT_PTR_EQ(&left[0].statbuf, left[0].ptr);
  ASSERT_ERR(UV_ECANCELED, left[1].result);
  ASSERT_ERR(UV_ENOENT, left[2].result);
  ASSERT_EQ(-1, access("never", F_OK));
  for (size_t i = 0; i < ARRAY_SIZE(left); i++)
    uv_fs_req_cleanup(&left[i]);
  test_close_loop(&loop);
}

TEST_IMPL(uring_refused_later_uses_the_pool) {
  static const int errors[] = { ENOMEM, EBUSY, EBADF };

  for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
    unsigned action = SECCOMP_RET_ERRNO | (unsigned) errors[i];
    in_child(run_refused_later, &(struct asking) { .action = action });
  }
  return 0;
}
#else
TEST_IMPL(uring_is_not_used_unless_requested) {
  SKIP("no system call filters on this system");
}
TEST_IMPL(uring_refused_uses_the_pool) {
  SKIP("no system call filters on this system");
}
TEST_IMPL(uring_refused_later_uses_the_pool) {
  SKIP("no system call filters on this system");
}
#endif

static void become_nobody(void) {
  ASSERT_EQ(0, setgroups(0, NULL));
  ASSERT_EQ(0, setgid(65534));
  ASSERT_EQ(0, setuid(65534));
}

static void expect_refused(int err, uv_fs_t* req) {
  ASSERT_ERR(UV_EACCES, uring_run(err, req));
}

/* Only root may enter "closed" or read "secret". */
static void expect_all_refused(void) {
  uv_fs_t req;

  expect_refused(uv_fs_open(&loop, &req, "secret", O_RDONLY, 0, uring_cb),
                 &req);
  expect_refused(uv_fs_open(&loop, &req, "closed/f", O_RDONLY, 0, uring_cb),
                 &req);
  expect_refused(uv_fs_stat(&loop, &req, "closed/f", uring_cb), &req);
  expect_refused(uv_fs_lstat(&loop, &req, "closed/f", uring_cb), &req);
  expect_refused(uv_fs_unlink(&loop, &req, "secret", uring_cb), &req);
  expect_refused(uv_fs_unlink(&loop, &req, "closed/f", uring_cb), &req);
  expect_refused(uv_fs_rmdir(&loop, &req, "closed", uring_cb), &req);
  expect_refused(uv_fs_mkdir(&loop, &req, "new", 0700, uring_cb), &req);
  expect_refused(uv_fs_rename(&loop, &req, "secret", "new", uring_cb), &req);
  expect_refused(uv_fs_symlink(&loop, &req, "secret", "new", 0, uring_cb),
                 &req);
  expect_refused(uv_fs_link(&loop, &req, "closed/f", "new", uring_cb), &req);
}

struct way {
  const char* value;
  int sqpoll;
};

static void start_loop(const struct way* way) {
  uring_ask_for(way->value);
  ASSERT_OK(uv_loop_init(&loop));
  if (way->sqpoll)
    ASSERT_OK(uv_loop_configure(&loop, UV_LOOP_USE_IO_URING_SQPOLL));
}

static void run_as_nobody(const void* arg) {
  const struct way* way = arg;
  uv_fs_t req;

  start_loop(way);
  ssize_t fd =
      uring_run(uv_fs_open(&loop, &req, "secret", O_RDONLY, 0, uring_cb), &req);
  ASSERT_GE(fd, 0);
  ASSERT_OK(uring_run(uv_fs_stat(&loop, &req, "closed/f", uring_cb), &req));
  if (way->sqpoll || way->value[0] != '0')
    if (uring_count() == 0)
      SKIP("this kernel has no io_uring");

  become_nobody();
  expect_all_refused();
  /* What was opened before stays open. */
  ASSERT_OK(uring_run(uv_fs_fstat(&loop, &req, (int) fd, uring_cb), &req));
  ASSERT_OK(uring_run(uv_fs_close(&loop, &req, (int) fd, uring_cb), &req));
  test_close_loop(&loop);
}

/* Requested before the change and submitted after it. */
static void run_asked_before(const void* arg) {
  const struct way* way = arg;
  uv_fs_t req;

  start_loop(way);
  ASSERT_ERR(UV_EBADF,
             uring_run(uv_fs_close(&loop, &req, 9999, uring_cb), &req));
  if (uring_count() == 0)
    SKIP("this kernel has no io_uring");
  ASSERT_OK(uv_fs_open(&loop, &req, "secret", O_RDONLY, 0, uring_cb));
  become_nobody();
  expect_refused(0, &req);
  test_close_loop(&loop);
}

TEST_IMPL(uring_dropped_credentials_are_gone) {
  static const struct way ways[] = {
    { "0", 0 }, { "1", 0 }, { "2", 0 }, { NULL, 1 }, { "2", 1 },
  };

  if (getuid() != 0)
    SKIP("needs root to give up root's credentials");
  ASSERT_EQ(0, chmod(".", 0755));
  ASSERT_EQ(0, mkdir("closed", 0700));
  close(open("secret", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  close(open("closed/f", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
    in_child(run_as_nobody, &ways[i]);
  for (size_t i = 1; i < ARRAY_SIZE(ways); i++)
    in_child(run_asked_before, &ways[i]);
  return 0;
}
