/* SPDX-License-Identifier: MIT */
/* Results of file operations by kind of path, as libuv 1.50.0 returns them.
 * Method: a table of calls; test/peer/paths.c compares many more on both. */
#include "test.h"

#include <string.h>

typedef int (*path_call)(uv_fs_t* req, const char* path);

static int do_stat(uv_fs_t* req, const char* path) {
  return uv_fs_stat(NULL, req, path, NULL);
}

static int do_lstat(uv_fs_t* req, const char* path) {
  return uv_fs_lstat(NULL, req, path, NULL);
}

static int do_unlink(uv_fs_t* req, const char* path) {
  return uv_fs_unlink(NULL, req, path, NULL);
}

static int do_open(uv_fs_t* req, const char* path) {
  return uv_fs_open(NULL, req, path, UV_FS_O_RDONLY, 0, NULL);
}

static int do_mkdtemp(uv_fs_t* req, const char* path) {
  return uv_fs_mkdtemp(NULL, req, path, NULL);
}

static const path_call calls[] = { do_stat, do_lstat, do_unlink, do_open,
                                   do_mkdtemp };

/* No file can have such a name. */
TEST_IMPL(fs_path_that_is_not_wtf8) {
  static const char* const names[] = { "\xff", "a\xc0\xaf",
                                       "\xff"
                                       "XXXXXX" };
  uv_fs_t req;

  for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
    for (size_t j = 0; j < ARRAY_SIZE(names); j++) {
      ASSERT_ERR(UV_ENOENT, calls[i](&req, names[j]));
      ASSERT_EQ(UV_ENOENT, req.result);
      ASSERT_EQ(ERROR_INVALID_NAME, uv_fs_get_system_error(&req));
      uv_fs_req_cleanup(&req);
    }
  return 0;
}

/* Only for stat and lstat. */
TEST_IMPL(fs_stat_drops_a_trailing_slash) {
  static const struct {
    const char* path;
    int result;
  } rows[] = {
    { "file", 0 },
    { "file/", 0 },
    { "file\\", 0 },
    { "file//", UV_ENOENT },
    { "dir/", 0 },
    { "dir//", 0 },
    { "missing/", UV_ENOENT },
    { "/", 0 },
    { "C:\\", 0 },
    { "./", 0 },
    { "NUL\\", 0 },
  };
  uv_fs_t req;

  test_write_file("file", "x");
  test_mkdir("dir");
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    ASSERT_EQ(rows[i].result, do_stat(&req, rows[i].path));
    ASSERT_EQ(rows[i].result, do_lstat(&req, rows[i].path));
  }
  ASSERT_ERR(UV_ENOENT, do_open(&req, "file/"));
  return 0;
}

static void check_null_device(const uv_stat_t* st) {
  ASSERT_EQ(0020666, st->st_mode);
  ASSERT_EQ(1, st->st_nlink);
  ASSERT_EQ(4096, st->st_blksize);
  ASSERT_EQ(0x150000, st->st_rdev); /* FILE_DEVICE_NULL */
}

TEST_IMPL(fs_stat_of_the_null_device) {
  uv_fs_t req;

  ASSERT_OK(do_stat(&req, "NUL"));
  check_null_device(&req.statbuf);
  ASSERT_OK(do_lstat(&req, "NUL"));
  check_null_device(&req.statbuf);
  int fd = do_open(&req, "NUL");
  ASSERT_GE(fd, 0);
  ASSERT_OK(uv_fs_fstat(NULL, &req, fd, NULL));
  check_null_device(&req.statbuf);
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  return 0;
}

static int do_scandir(uv_fs_t* req, const char* path) {
  return uv_fs_scandir(NULL, req, path, 0, NULL);
}

static int do_opendir(uv_fs_t* req, const char* path) {
  int err = uv_fs_opendir(NULL, req, path, NULL);
  uv_fs_t close_req;

  if (err == 0)
    ASSERT_OK(uv_fs_closedir(NULL, &close_req, req->ptr, NULL));
  return err;
}

TEST_IMPL(fs_directories_that_are_none) {
  static const struct {
    path_call call;
    const char* path;
    int result;
  } rows[] = {
    { do_scandir, "", UV_ENOENT },
    { do_scandir, "NUL", UV_ENOTDIR },
    { do_scandir, "file", UV_ENOTDIR },
    { do_scandir, "locked", UV_EBUSY },
    { do_opendir, "", 0 },
    { do_opendir, "NUL", UV_ENOTDIR },
    { do_opendir, "file", UV_ENOTDIR },
    { do_opendir, "locked", UV_ENOTDIR },
    { do_opendir, "missing", UV_ENOENT },
  };
  uv_fs_t req;

  test_write_file("file", "x");
  test_write_file("locked", "x");
  HANDLE locked =
      CreateFileA("locked", GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
  ASSERT(locked != INVALID_HANDLE_VALUE);
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    ASSERT_EQ(rows[i].result, rows[i].call(&req, rows[i].path));
    uv_fs_req_cleanup(&req);
  }
  CloseHandle(locked);
  return 0;
}

/* Empty without a template, else the last name that was tried. */
TEST_IMPL(fs_temp_path_after_a_failure) {
  uv_fs_t req;

  ASSERT_ERR(UV_EINVAL, do_mkdtemp(&req, "no-template"));
  ASSERT_STR_EQ("", req.path);
  uv_fs_req_cleanup(&req);
  ASSERT_ERR(UV_EINVAL, uv_fs_mkstemp(NULL, &req, "no-template", NULL));
  ASSERT_STR_EQ("", req.path);
  uv_fs_req_cleanup(&req);
  ASSERT_ERR(UV_ENOENT, uv_fs_mkstemp(NULL, &req, "missing/XXXXXX", NULL));
  ASSERT_EQ(0, strncmp("missing/", req.path, 8));
  ASSERT_EQ(14, strlen(req.path));
  uv_fs_req_cleanup(&req);
  return 0;
}

/* Also after the cleanup. */
TEST_IMPL(fs_system_error_of_what_is_missing) {
  uv_fs_t req;

  ASSERT_ERR(UV_EINVAL, uv_fs_symlink(NULL, &req, "relative", "link",
                                      UV_FS_SYMLINK_JUNCTION, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_EQ(ERROR_NOT_SUPPORTED, uv_fs_get_system_error(&req));
  ASSERT_ERR(UV_ENOSYS, uv_fs_copyfile(NULL, &req, "a", "b",
                                       UV_FS_COPYFILE_FICLONE_FORCE, NULL));
  ASSERT_EQ(ERROR_NOT_SUPPORTED, uv_fs_get_system_error(&req));
  test_write_file("file", "x");
  ASSERT_OK(do_stat(&req, "file"));
  ASSERT_EQ(0, uv_fs_get_system_error(&req));
  return 0;
}

TEST_IMPL(fs_open_flags_that_exclude_each_other) {
  static const int flags[] = {
    UV_FS_O_WRONLY | UV_FS_O_RDWR,
    UV_FS_O_WRONLY | UV_FS_O_APPEND | UV_FS_O_DIRECT,
    UV_FS_O_SEQUENTIAL | UV_FS_O_RANDOM,
    UV_FS_O_WRONLY | UV_FS_O_DSYNC | UV_FS_O_SYNC,
  };
  uv_fs_t req;

  test_write_file("file", "x");
  for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
    ASSERT_ERR(UV_EINVAL, uv_fs_open(NULL, &req, "file", flags[i], 0, NULL));
  return 0;
}

static void check_mapped(const char* path, int read_result, int write_result) {
  int flags = UV_FS_O_RDWR | UV_FS_O_FILEMAP;
  char byte = 'x';
  uv_buf_t buf = uv_buf_init(&byte, 1);
  uv_fs_t req;

  int fd = uv_fs_open(NULL, &req, path, flags, 0, NULL);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(read_result, uv_fs_read(NULL, &req, fd, &buf, 1, 0, NULL));
  ASSERT_EQ(write_result, uv_fs_write(NULL, &req, fd, &buf, 1, 0, NULL));
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
}

/* Neither can be mapped. */
TEST_IMPL(fs_mapped_directories_and_devices) {
  test_mkdir("dir");
  check_mapped("dir", UV_EISDIR, UV_EISDIR);
  check_mapped("NUL", 0, UV_EBADF);
  return 0;
}

/* Whatever the reason for the failure, unless the file must not exist. */
TEST_IMPL(fs_copy_of_a_locked_file_onto_itself) {
  int excl = UV_FS_COPYFILE_EXCL;
  uv_fs_t req;

  test_write_file("file", "x");
  ASSERT_ERR(UV_EEXIST, uv_fs_copyfile(NULL, &req, "file", "file", excl, NULL));
  HANDLE locked =
      CreateFileA("file", GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
  ASSERT(locked != INVALID_HANDLE_VALUE);
  ASSERT_OK(uv_fs_copyfile(NULL, &req, "file", "file", 0, NULL));
  ASSERT_OK(uv_fs_copyfile(NULL, &req, "file", "file", excl, NULL));
  CloseHandle(locked);
  return 0;
}
