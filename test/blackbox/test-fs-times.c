/* SPDX-License-Identifier: MIT */
/* uv_fs_utime and its variants: special values, and how a double becomes a
 * time. Method: set both times, read them with stat(). */
#include "test.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uv_fs_t req;

static int set_times(double atime, double mtime) {
  int err = uv_fs_utime(NULL, &req, "file", atime, mtime, NULL);
  uv_fs_req_cleanup(&req);
  return err;
}

static struct stat stat_of(const char* path) {
  struct stat st;
  ASSERT_EQ(0, lstat(path, &st));
  return st;
}

/* A file of our own, "file", with known times. */
static void make_file(void) {
  test_write_file("file", "x");
  ASSERT_OK(set_times(100, 200));
}

TEST_IMPL(fs_utime_nan_leaves_a_time_alone) {
  make_file();
  ASSERT_OK(set_times(NAN, 300));
  ASSERT_EQ(100, stat_of("file").st_atime);
  ASSERT_EQ(300, stat_of("file").st_mtime);
  ASSERT_OK(set_times(400, NAN));
  ASSERT_EQ(400, stat_of("file").st_atime);
  ASSERT_EQ(300, stat_of("file").st_mtime);
  return 0;
}

TEST_IMPL(fs_utime_infinity_is_now) {
  time_t before = time(NULL) - 1;

  make_file();
  ASSERT_OK(set_times(INFINITY, 300));
  ASSERT_GE(stat_of("file").st_atime, before);
  ASSERT_EQ(300, stat_of("file").st_mtime);
  ASSERT_OK(set_times(400, -INFINITY));
  ASSERT_EQ(400, stat_of("file").st_atime);
  ASSERT_GE(stat_of("file").st_mtime, before);
  return 0;
}

/* Not a time: an error, and the file is unchanged. */
TEST_IMPL(fs_utime_refuses_invalid_times) {
  make_file();
  int fd = open("file", O_RDWR);
  ASSERT_GE(fd, 0);
  ASSERT_ERR(UV_EINVAL, set_times(1e300, 0));
  ASSERT_ERR(UV_EINVAL, set_times(0, -1e300));
  ASSERT_ERR(UV_EINVAL, uv_fs_lutime(NULL, &req, "file", 0, 1e300, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_ERR(UV_EINVAL, uv_fs_futime(NULL, &req, fd, 1e300, 0, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_EQ(100, stat_of("file").st_atime);
  ASSERT_EQ(200, stat_of("file").st_mtime);
  ASSERT_EQ(0, close(fd));
  return 0;
}

/* Exact to the nanosecond, truncated rather than rounded. */
TEST_IMPL(fs_utime_fractions) {
  static const struct {
    double when;
    long long sec;
    long nsec;
  } cases[] = {
    { 0.5, 0, 500000000 },
    { 1234567890.123, 1234567890, 122999906 },
    { 100.9999999999, 100, 999999999 },
    { -1.25, -2, 750000000 }, /* -1 s: FreeBSD changes nothing (VNOVAL) */
    { -2, -2, 0 },
  };

  make_file();
  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    uv_stat_t st;

    ASSERT_OK(set_times(cases[i].when, cases[i].when));
    ASSERT_OK(uv_fs_stat(NULL, &req, "file", NULL));
    st = req.statbuf;
    uv_fs_req_cleanup(&req);
    ASSERT_EQ(cases[i].nsec, st.st_mtim.tv_nsec);
    ASSERT_EQ(cases[i].nsec, st.st_atim.tv_nsec);
    /* Some systems treat the field as unsigned, others as signed. */
    ASSERT_EQ((long) cases[i].sec, (long) st.st_mtim.tv_sec);
  }
  return 0;
}

TEST_IMPL(fs_lutime_of_a_link) {
  make_file();
  ASSERT_EQ(0, symlink("file", "link"));
  ASSERT_OK(uv_fs_lutime(NULL, &req, "link", 11, 12, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_EQ(12, stat_of("link").st_mtime);
  ASSERT_EQ(200, stat_of("file").st_mtime);
  return 0;
}
