/* SPDX-License-Identifier: MIT */
/* uv_fs_sendfile and uv_fs_copyfile with files that are not regular. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#if __has_include(<sys/syscall.h>)
# include <sys/syscall.h>
#endif
#include <unistd.h>

static uv_fs_t req;

static ssize_t send_bytes(int out, int in, int64_t offset, size_t len) {
  int err = uv_fs_sendfile(NULL, &req, out, in, offset, len, NULL);
  ssize_t result = req.result;

  ASSERT_EQ(err, result);
  uv_fs_req_cleanup(&req);
  return result;
}

/* Whether the system's copy_file_range() finds a directory. */
static int knows_directories(int fd) {
#ifdef SYS_copy_file_range
  return syscall(SYS_copy_file_range, fd, NULL, fd, NULL, 1, 0) == -1 &&
         errno == EISDIR;
#else
  (void) fd;
  return 0;
#endif
}

TEST_IMPL(fs_sendfile_of_a_directory) {
  int out = open("out", O_RDWR | O_CREAT, 0600);
  int again = open("out", O_RDONLY);
  int dir = open(".", O_RDONLY);

  ASSERT_GE(out, 0);
  ASSERT_GE(again, 0);
  ASSERT_GE(dir, 0);
  ASSERT_EQ(5, write(out, "hello", 5));
  if (!knows_directories(dir))
    SKIP("no copy_file_range() here");
  ASSERT_ERR(UV_EISDIR, send_bytes(dir, out, 0, 4));
  ASSERT_ERR(UV_EISDIR, send_bytes(out, dir, 0, 4));
  ASSERT_ERR(UV_EISDIR, send_bytes(again, dir, 0, 4));
  ASSERT_ERR(UV_EBADF, send_bytes(again, out, 0, 4));
  ASSERT_EQ(0, close(dir));
  ASSERT_EQ(0, close(again));
  ASSERT_EQ(0, close(out));
  return 0;
}

/* libuv refuses that: copy_file_range() cannot append. */
TEST_IMPL(fs_sendfile_to_a_file_that_grows) {
  char data[16] = "";
  int in = open("in", O_RDWR | O_CREAT, 0600);
  int out = open("out", O_RDWR | O_CREAT | O_APPEND, 0600);

  ASSERT_GE(in, 0);
  ASSERT_GE(out, 0);
  ASSERT_EQ(5, write(in, "hello", 5));
  ASSERT_EQ(2, write(out, "12", 2));
  ASSERT_EQ(3, send_bytes(out, in, 2, 100));
  ASSERT_EQ(5, pread(out, data, sizeof(data), 0));
  ASSERT_STR_EQ("12llo", data);
  ASSERT_EQ(0, close(in));
  ASSERT_EQ(0, close(out));
  return 0;
}

/* A pipe has no offsets: the next bytes are sent. */
TEST_IMPL(fs_sendfile_from_a_pipe) {
  int fds[2];
  char data[16] = "";
  int out = open("out", O_RDWR | O_CREAT, 0600);

  ASSERT_GE(out, 0);
  ASSERT_EQ(0, pipe(fds));
  ASSERT_EQ(5, write(fds[1], "hello", 5));
  ASSERT_EQ(0, close(fds[1]));
  ASSERT_EQ(5, send_bytes(out, fds[0], 0, 100));
  ASSERT_EQ(0, send_bytes(out, fds[0], 0, 100));
  ASSERT_EQ(5, pread(out, data, sizeof(data), 0));
  ASSERT_STR_EQ("hello", data);
  ASSERT_EQ(0, close(fds[0]));
  ASSERT_EQ(0, close(out));
  return 0;
}

/* From an offset, up to a length or the end; the position stays. */
TEST_IMPL(fs_sendfile_to_a_socket) {
  char data[16] = "";
  int pair[2];
  int in = open("in", O_RDWR | O_CREAT, 0600);

  ASSERT_GE(in, 0);
  ASSERT_EQ(10, write(in, "0123456789", 10));
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  ASSERT_EQ(3, send_bytes(pair[1], in, 2, 3));
  ASSERT_EQ(0, send_bytes(pair[1], in, 2, 0));
  ASSERT_EQ(4, send_bytes(pair[1], in, 6, 100));
  ASSERT_EQ(0, send_bytes(pair[1], in, 10, 100));
  ASSERT_EQ(7, read(pair[0], data, sizeof(data)));
  ASSERT_STR_EQ("2346789", data);
  ASSERT_EQ(10, lseek(in, 0, SEEK_CUR));
  ASSERT_EQ(0, close(pair[0]));
  ASSERT_EQ(0, close(pair[1]));
  ASSERT_EQ(0, close(in));
  return 0;
}

/* A bad descriptor is reported, and what a stream holds is not lost.
 * Issue 29. */
TEST_IMPL(fs_sendfile_to_a_closed_descriptor) {
  char data[16] = "";
  int pair[2];
  int closed = dup(0);

  ASSERT_GE(closed, 0);
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  ASSERT_EQ(0, close(closed));
  ASSERT_ERR(UV_EBADF, send_bytes(closed, closed, 0, 0));
  ASSERT_ERR(UV_EBADF, send_bytes(closed, closed, 0, 4));
  ASSERT_ERR(UV_EBADF, send_bytes(closed, pair[0], 0, 0));
  ASSERT_EQ(5, write(pair[1], "hello", 5));
  ASSERT_ERR(UV_EBADF, send_bytes(closed, pair[0], 0, 5));
  ASSERT_EQ(5, read(pair[0], data, sizeof(data)));
  ASSERT_STR_EQ("hello", data);
  ASSERT_EQ(0, close(pair[0]));
  ASSERT_EQ(0, close(pair[1]));
  return 0;
}

static int copy(const char* from, const char* to, int flags) {
  int err = uv_fs_copyfile(NULL, &req, from, to, flags, NULL);
  uv_fs_req_cleanup(&req);
  return err;
}

/* A device accepts the bytes and keeps its attributes; it cannot be cloned. */
TEST_IMPL(fs_copyfile_to_a_device) {
  struct stat before;
  struct stat after;

  test_write_file("from", "something");
  ASSERT_EQ(0, stat("/dev/null", &before));
  ASSERT_OK(copy("from", "/dev/null", 0));
  ASSERT_ERR(UV_ENOTSUP,
             copy("from", "/dev/null", UV_FS_COPYFILE_FICLONE_FORCE));
  ASSERT_EQ(0, stat("/dev/null", &after));
  ASSERT_EQ(before.st_mode, after.st_mode);
  ASSERT_EQ(before.st_rdev, after.st_rdev);
  return 0;
}
