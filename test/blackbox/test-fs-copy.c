/* SPDX-License-Identifier: MIT */
/* uv_fs_copyfile and clones: what the flags guarantee, on file systems with and
 * without clones. In a build with test/kqueue-shim, files can be cloned as on
 * macOS unless KQUEUE_SHIM_NO_CLONES is set; elsewhere the file system decides,
 * and both outcomes are allowed. */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void write_file(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  ASSERT_NOT_NULL(file);
  ASSERT_GE(fputs(text, file), 0);
  ASSERT_EQ(0, fclose(file));
}

static void check_file(const char* path, const char* want) {
  char text[64] = "";
  FILE* file = fopen(path, "r");
  ASSERT_NOT_NULL(file);
  size_t size = fread(text, 1, sizeof(text) - 1, file);
  ASSERT_EQ(0, fclose(file));
  ASSERT_EQ(strlen(want), size);
  ASSERT_STR_EQ(want, text);
}

static int copy(const char* from, const char* to, int flags) {
  uv_fs_t req;
  int err = uv_fs_copyfile(NULL, &req, from, to, flags, NULL);
  uv_fs_req_cleanup(&req);
  return err;
}

/* Counts directory entries: nothing may be left behind. */
static int count_entries(void) {
  uv_fs_t req;
  int count = uv_fs_scandir(NULL, &req, ".", 0, NULL);
  uv_fs_req_cleanup(&req);
  return count;
}

/* Optional: the copy is made in any case. */
static void check_clone_if_possible(void) {
  struct stat st;

  ASSERT_OK(copy("from", "new", UV_FS_COPYFILE_FICLONE));
  check_file("new", "short");
  ASSERT_EQ(0, stat("new", &st));
  ASSERT_EQ(0640, st.st_mode & 0777);
  ASSERT_ERR(UV_EEXIST,
             copy("from", "new", UV_FS_COPYFILE_FICLONE | UV_FS_COPYFILE_EXCL));
  ASSERT_OK(copy("from", "old", UV_FS_COPYFILE_FICLONE));
  check_file("old", "short");
  ASSERT_OK(copy("from", "link", UV_FS_COPYFILE_FICLONE)); /* through it */
  ASSERT_EQ(0, lstat("link", &st));
  ASSERT(S_ISLNK(st.st_mode));
  ASSERT_OK(unlink("new"));
}

/* Mandatory: a clone or an error, and then the destination is unchanged. */
static int check_clone_or_nothing(void) {
  int err = copy("from", "new", UV_FS_COPYFILE_FICLONE_FORCE);

  if (err == 0)
    check_file("new", "short");
  ASSERT_EQ(err == 0, access("new", F_OK) == 0);
  ASSERT_ERR(
      UV_EEXIST,
      copy("from", "old", UV_FS_COPYFILE_FICLONE_FORCE | UV_FS_COPYFILE_EXCL));
  check_file("old", "something longer");
  ASSERT_EQ(err, copy("from", "old", UV_FS_COPYFILE_FICLONE_FORCE));
  check_file("old", err == 0 ? "short" : "something longer");
  (void) unlink("new");
  return err;
}

static void make_files(void) {
  write_file("from", "short");
  ASSERT_EQ(0, chmod("from", 0640));
  write_file("old", "something longer");
  (void) unlink("link");
  ASSERT_EQ(0, symlink("old", "link"));
}

TEST_IMPL(fs_copyfile_clone_rules) {
  make_files();
  int entries = count_entries();
  check_clone_if_possible();
  ASSERT_EQ(entries, count_entries());
  make_files();
  (void) check_clone_or_nothing();
  ASSERT_EQ(entries, count_entries());
  /* Copying a file to itself: either nothing to do, or nothing done. */
  (void) copy("from", "from", UV_FS_COPYFILE_FICLONE_FORCE);
  check_file("from", "short");
  return 0;
}

TEST_IMPL(fs_copyfile_without_clones) {
  ASSERT_OK(uv_os_setenv("KQUEUE_SHIM_NO_CLONES", "1"));
  make_files();
  check_clone_if_possible();
  make_files();
  int entries = count_entries();
  int err = check_clone_or_nothing();
  if (err != 0)
    ASSERT(err == UV_ENOTSUP || err == UV_ENOTTY || err == UV_ENOSYS ||
           err == UV_EINVAL || err == UV_EXDEV);
  ASSERT_EQ(entries, count_entries());
  return 0;
}

static void make_old(const char* path) {
  struct timespec times[2] = { { 1000000, 0 }, { 1000000, 0 } };
  ASSERT_EQ(0, utimensat(AT_FDCWD, path, times, 0));
}

/* Like any file that was just written, except for the access time. */
TEST_IMPL(fs_copyfile_is_modified_now) {
  struct stat st;
  time_t begin = time(NULL);

  write_file("from", "text");
  make_old("from");
  ASSERT_OK(copy("from", "new", 0));
  ASSERT_EQ(0, stat("new", &st));
  ASSERT_GE(st.st_mtime, begin - 1);
  ASSERT_EQ(1000000, st.st_atime);

  write_file("empty", "");
  make_old("empty");
  ASSERT_OK(copy("empty", "new", 0));
  ASSERT_EQ(0, stat("new", &st));
  ASSERT_EQ(0, st.st_size);
  ASSERT_EQ(1000000, st.st_mtime);
  return 0;
}

/* Sources that are not files and have no size: nothing is copied, and the call
 * does not block. */
TEST_IMPL(fs_copyfile_of_endless_sources) {
  ASSERT_OK(copy("/dev/zero", "zeros", 0));
  check_file("zeros", "");

  ASSERT_EQ(0, mkfifo("fifo", 0600));
  int fd = open("fifo", O_RDWR);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(4, write(fd, "data", 4));
  ASSERT_OK(copy("fifo", "from-fifo", 0));
  check_file("from-fifo", "");
  ASSERT_EQ(0, close(fd));
  return 0;
}

/* A file without a size, as in /proc, is copied completely. */
TEST_IMPL(fs_copyfile_of_a_file_without_size) {
  struct stat st;

  if (stat("/proc/self/stat", &st) != 0 || st.st_size != 0)
    SKIP("no such file here");
  ASSERT_OK(copy("/proc/self/stat", "stat", 0));
  ASSERT_EQ(0, stat("stat", &st));
  ASSERT_GT(st.st_size, 0);
  return 0;
}

/* The check for an existing target comes before the check for a directory. */
TEST_IMPL(fs_copyfile_of_a_directory) {
  uv_fs_t req;

  test_mkdir("dir");
  test_mkdir("other");
  ASSERT_ERR(UV_EEXIST, uv_fs_copyfile(NULL, &req, "dir", "other",
                                       UV_FS_COPYFILE_EXCL, NULL));
  ASSERT_ERR(UV_EISDIR, uv_fs_copyfile(NULL, &req, "dir", "other", 0, NULL));
  ASSERT_ERR(UV_EISDIR, uv_fs_copyfile(NULL, &req, "dir", "new",
                                       UV_FS_COPYFILE_EXCL, NULL));
  ASSERT_ERR(UV_ENOENT, uv_fs_copyfile(NULL, &req, "dir", "no/new", 0, NULL));
  ASSERT_ERR(UV_ENOENT, uv_fs_access(NULL, &req, "new", 0, NULL));
  return 0;
}

/* Writing clears set-user-ID; the copy has it again if the owner is the same.
 */
TEST_IMPL(fs_copyfile_keeps_set_user_id) {
  struct stat st;

  write_file("from", "program");
  ASSERT_EQ(0, chmod("from", 04711));
  ASSERT_OK(copy("from", "to", 0));
  ASSERT_EQ(0, stat("to", &st));
  ASSERT_EQ(04711, st.st_mode & 07777);
  check_file("to", "program");
  return 0;
}
