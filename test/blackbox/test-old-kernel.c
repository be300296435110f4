/* SPDX-License-Identifier: MIT */
/* Kernels back to 3.10: newer system calls fail with ENOSYS, as they would
 * there, and the library produces the same results without them.
 * test-uring-rights.c does this for io_uring; test/steps/old-kernel refuses all
 * of them. */
#include "filter.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_FILTER
# include <sys/syscall.h>

/* The same on all architectures that we test. */
# define CLOSE_RANGE_CALL 436

/* From here on in this process (each test has its own). */
static void refuse(long number) {
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned) number, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  if (!filter_install(rules, ARRAY_SIZE(rules)))
    SKIP("no system call filters here");
  ASSERT_EQ(-1, syscall(number, -1, NULL, 0, 0, 0, 0));
  if (errno != ENOSYS)
    SKIP("system call filters do nothing here"); /* qemu-user */
}

static void refuse_statx(void) {
  refuse(SYS_statx);
}

static void refuse_copy_file_range(void) {
  refuse(SYS_copy_file_range);
}

static void refuse_getrandom(void) {
  refuse(SYS_getrandom);
}

static void refuse_close_range(void) {
  refuse(CLOSE_RANGE_CALL);
}
#else
static void refuse_statx(void) {
  SKIP("this system has no system call filters");
}

static void refuse_copy_file_range(void) {
  SKIP("this system has no system call filters");
}

static void refuse_getrandom(void) {
  SKIP("this system has no system call filters");
}

static void refuse_close_range(void) {
  SKIP("this system has no system call filters");
}
#endif

static void write_file(const char* path, size_t size) {
  FILE* file = fopen(path, "w");
  ASSERT_NOT_NULL(file);
  for (size_t i = 0; i < size; i++)
    ASSERT_NE(EOF, putc((int) (i * 31 % 251), file));
  ASSERT_EQ(0, fclose(file));
}

static void check_same_times(const uv_stat_t* a, const uv_stat_t* b) {
  ASSERT_EQ(a->st_mtim.tv_sec, b->st_mtim.tv_sec);
  ASSERT_EQ(a->st_mtim.tv_nsec, b->st_mtim.tv_nsec);
  ASSERT_EQ(a->st_ctim.tv_sec, b->st_ctim.tv_sec);
  ASSERT_EQ(a->st_ctim.tv_nsec, b->st_ctim.tv_nsec);
}

static void check_same(const uv_stat_t* a, const uv_stat_t* b) {
  ASSERT_EQ(a->st_dev, b->st_dev);
  ASSERT_EQ(a->st_rdev, b->st_rdev);
  ASSERT_EQ(a->st_ino, b->st_ino);
  ASSERT_EQ(a->st_mode, b->st_mode);
  ASSERT_EQ(a->st_nlink, b->st_nlink);
  ASSERT_EQ(a->st_uid, b->st_uid);
  ASSERT_EQ(a->st_gid, b->st_gid);
  ASSERT_EQ(a->st_size, b->st_size);
  ASSERT_EQ(a->st_blksize, b->st_blksize);
  ASSERT_EQ(a->st_blocks, b->st_blocks);
  check_same_times(a, b);
}

static uv_stat_t stat_of(const char* path, int follow) {
  uv_fs_t req;
  if (follow)
    ASSERT_OK(uv_fs_stat(NULL, &req, path, NULL));
  else
    ASSERT_OK(uv_fs_lstat(NULL, &req, path, NULL));
  uv_stat_t st = req.statbuf;
  uv_fs_req_cleanup(&req);
  return st;
}

/* Everything except the birth time, which older calls do not report. */
TEST_IMPL(old_kernel_without_statx) {
  uv_fs_t req;

  write_file("file", 1234);
  ASSERT_EQ(0, symlink("file", "link"));
  uv_stat_t file = stat_of("link", 1);
  uv_stat_t link = stat_of("link", 0);
  uv_stat_t device = stat_of("/dev/null", 1);

  refuse_statx();
  uv_stat_t now = stat_of("link", 1);
  check_same(&file, &now);
  now = stat_of("link", 0);
  check_same(&link, &now);
  now = stat_of("/dev/null", 1);
  check_same(&device, &now);
  ASSERT_ERR(UV_ENOENT, uv_fs_stat(NULL, &req, "none", NULL));
  uv_fs_req_cleanup(&req);

  FILE* open_file = fopen("file", "r");
  ASSERT_NOT_NULL(open_file);
  ASSERT_OK(uv_fs_fstat(NULL, &req, fileno(open_file), NULL));
  check_same(&file, &req.statbuf);
  ASSERT_EQ(file.st_ctim.tv_nsec, req.statbuf.st_birthtim.tv_nsec);
  uv_fs_req_cleanup(&req);
  ASSERT_EQ(0, fclose(open_file));
  return 0;
}

TEST_IMPL(old_kernel_without_copy_file_range) {
  enum { SIZE = 300000 };
  uv_fs_t req;

  write_file("from", SIZE);
  refuse_copy_file_range();
  ASSERT_OK(uv_fs_copyfile(NULL, &req, "from", "to", 0, NULL));
  uv_fs_req_cleanup(&req);

  FILE* file = fopen("to", "r");
  ASSERT_NOT_NULL(file);
  for (size_t i = 0; i < SIZE; i++)
    ASSERT_EQ(i * 31 % 251, getc(file));
  ASSERT_EQ(EOF, getc(file));
  ASSERT_EQ(0, fclose(file));
  return 0;
}

TEST_IMPL(old_kernel_without_getrandom) {
  static const char zeros[64];
  char a[64] = "";
  char b[64] = "";

  refuse_getrandom();
  ASSERT_OK(uv_random(NULL, NULL, a, sizeof(a), 0, NULL));
  ASSERT_OK(uv_random(NULL, NULL, b, sizeof(b), 0, NULL));
  ASSERT_NE(0, memcmp(a, b, sizeof(a)));
  ASSERT_NE(0, memcmp(a, zeros, sizeof(a)));
  return 0;
}

/* What libuv finds is found: all below 16, and those that follow. */
TEST_IMPL(old_kernel_without_close_range) {
  refuse_close_range();
  int fd = open("/dev/null", O_RDONLY);
  ASSERT_GE(fd, 0);
  int high = fcntl(fd, F_DUPFD, 15);
  ASSERT_GE(high, 15);
  int next = fcntl(fd, F_DUPFD, high + 1);
  ASSERT_GE(next, 0);

  uv_disable_stdio_inheritance();
  ASSERT_EQ(FD_CLOEXEC, fcntl(0, F_GETFD));
  ASSERT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
  ASSERT_EQ(FD_CLOEXEC, fcntl(high, F_GETFD));
  ASSERT_EQ(FD_CLOEXEC, fcntl(next, F_GETFD));
  return 0;
}
