/* SPDX-License-Identifier: MIT */
/* uv_fs_copyfile and other people's files: who gets set-user-ID, and what a
 * failed copy removes. Issue 29, row 6 and issue 37, row 12. Method: a limit on
 * the size of files makes the copy fail midway; in the handler of the signal
 * that the kernel sends then, another file gets the name of the target. */
#include "filter.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_FILTER
# include <sys/syscall.h>
#endif

#define SOURCE_SIZE ((off_t) 256 * 1024)
#define SIZE_LIMIT ((rlim_t) 64 * 1024)

static int copy(const char* from, const char* to, int flags) {
  uv_fs_t req;
  int err = uv_fs_copyfile(NULL, &req, from, to, flags, NULL);
  uv_fs_req_cleanup(&req);
  return err;
}

static mode_t mode_of(const char* path) {
  struct stat st;
  ASSERT_EQ(0, lstat(path, &st));
  return st.st_mode & 07777;
}

static ino_t number_of(const char* path) {
  struct stat st;
  ASSERT_EQ(0, lstat(path, &st));
  return st.st_ino;
}

static void make_program(void) {
  test_write_file("program", "new content\n");
  ASSERT_EQ(0, chmod("program", 06755));
  if (mode_of("program") != 06755)
    SKIP("no set-user-ID on this file system");
}

/* A file that existed may be open or mapped elsewhere: whoever has it so could
 * change the program after the copy. */
TEST_IMPL(fs_copyfile_over_a_file_sets_no_user_id) {
  make_program();
  test_write_file("old", "old content, open elsewhere\n");
  ASSERT_EQ(0, chmod("old", 0666));
  int fd = open("old", O_RDWR);
  ASSERT_GE(fd, 0);

  ASSERT_OK(copy("program", "old", 0));
  ASSERT_EQ(0755, mode_of("old"));
  ASSERT_OK(copy("program", "old", UV_FS_COPYFILE_FICLONE));
  ASSERT_EQ(0755, mode_of("old"));
  ASSERT_EQ(12, lseek(fd, 0, SEEK_END)); /* the same file */
  ASSERT_EQ(0, close(fd));

  /* One that had the bits loses them. */
  ASSERT_EQ(0, chmod("old", 04755));
  ASSERT_OK(copy("program", "old", 0));
  ASSERT_EQ(0755, mode_of("old"));

  ASSERT_OK(copy("program", "new", UV_FS_COPYFILE_EXCL));
  ASSERT_EQ(06755, mode_of("new"));
  /* The emulation of macOS clones by name, too, unless it is told not to. */
  ASSERT_OK(uv_os_setenv("KQUEUE_SHIM_NO_CLONES", "1"));
  ASSERT_OK(copy("program", "newer", UV_FS_COPYFILE_FICLONE));
  ASSERT_EQ(TEST_CLONES_BY_NAME ? 0755 : 06755, mode_of("newer"));
  return 0;
}

/* Whatever a dangling link names may be created by somebody else meanwhile. */
TEST_IMPL(fs_copyfile_through_a_link_sets_no_user_id) {
  make_program();
  ASSERT_EQ(0, symlink("target", "link"));
  ASSERT_OK(copy("program", "link", 0));
  ASSERT_EQ(0755, mode_of("target"));
  return 0;
}

#ifdef HAVE_FILTER
static void refuse_truncation(void) {
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
# ifdef __NR_ftruncate64
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_ftruncate64, 1, 0),
# endif
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_ftruncate, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  if (!filter_install(rules, ARRAY_SIZE(rules)))
    SKIP("no system call filters here");
  if (ftruncate(-1, 0) != -1 || errno != EIO)
    SKIP("system call filters do nothing here"); /* qemu-user */
}
#else
static void refuse_truncation(void) {
  SKIP("this system has no system call filters");
}
#endif

/* The target is emptied before anything else of it changes. */
TEST_IMPL(fs_copyfile_truncates_first) {
  struct stat before;
  struct stat after;

  make_program();
  test_write_file("old", "old content\n");
  ASSERT_EQ(0, chmod("old", 0600));
  ASSERT_EQ(0, stat("old", &before));
  refuse_truncation();
  ASSERT_ERR(UV_EIO, copy("program", "old", 0));
  ASSERT_EQ(0, stat("old", &after));
  ASSERT_EQ(before.st_mode, after.st_mode);
  ASSERT_EQ(before.st_uid, after.st_uid);
  ASSERT_EQ(before.st_size, after.st_size);
  return 0;
}

/* From here on in this process, files cannot grow beyond SIZE_LIMIT. */
static void limit_size(void (*handler)(int)) {
  struct rlimit limit;
  int fd = open("from", O_WRONLY | O_CREAT, 0644);

  ASSERT_GE(fd, 0);
  ASSERT_EQ(0, ftruncate(fd, SOURCE_SIZE));
  ASSERT_EQ(0, close(fd));
  ASSERT(signal(SIGXFSZ, handler) != SIG_ERR);
  ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &limit));
  limit.rlim_cur = SIZE_LIMIT;
  ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
}

TEST_IMPL(fs_copyfile_that_fails_removes_only_its_own) {
  test_write_file("old", "old");
  test_write_file("linked", "linked");
  ASSERT_EQ(0, symlink("linked", "link"));
  ASSERT_EQ(0, symlink("created", "dangling"));
  ino_t old = number_of("old");
  ino_t linked = number_of("linked");
  ino_t link = number_of("link");
  ino_t dangling = number_of("dangling");

  limit_size(SIG_IGN);
  ASSERT_ERR(UV_EFBIG, copy("from", "new", 0));
  ASSERT_EQ(-1, access("new", F_OK));
  ASSERT_ERR(UV_EFBIG, copy("from", "old", 0));
  ASSERT_EQ(old, number_of("old"));
  ASSERT_ERR(UV_EFBIG, copy("from", "link", 0));
  ASSERT_EQ(link, number_of("link"));
  ASSERT_EQ(linked, number_of("linked"));
  ASSERT_ERR(UV_EFBIG, copy("from", "dangling", 0));
  ASSERT_EQ(dangling, number_of("dangling"));
  return 0;
}

static void replace_target(int signum) {
  (void) signum;
  (void) rename("another", "new"); /* the first time */
}

TEST_IMPL(fs_copyfile_that_fails_leaves_a_replacement) {
  test_write_file("another", "another's");
  ino_t another = number_of("another");

  limit_size(replace_target);
  ASSERT_ERR(UV_EFBIG, copy("from", "new", 0));
  ASSERT_EQ(-1, access("another", F_OK));
  ASSERT_EQ(another, number_of("new"));
  return 0;
}
