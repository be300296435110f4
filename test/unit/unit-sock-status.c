/* SPDX-License-Identifier: MIT */
/* win/sock-status.c: statuses of the NT layer on sockets. It is pure, so it is
 * compiled in here and tested on every system. test/peer compares all of them
 * with libuv's. */
#include "unit.h"

#include "util/base.h"

/* Not the library's own, where it has one. */
#define uv__sock_status_error unit_sock_status_error
#include "win/sock-status.c"

/* Ascending, so no duplicates: the second could never be found. */
UNIT_TEST(sock_status_rows_are_sorted_failures) {
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    CHECK(rows[i].status >= 0x80000000u);
    CHECK(rows[i].err < 0);
    CHECK(i == 0 || rows[i].status > rows[i - 1].status);
  }
}

/* By the names of [MS-ERREF]. */
UNIT_TEST(sock_status_meanings) {
  CHECK_EQ(UV_ECONNRESET, uv__sock_status_error(0xC000013E)); /* LINK_FAILED */
  CHECK_EQ(UV_ECONNRESET, uv__sock_status_error(0xC000013C)); /* REMOTE_D... */
  CHECK_EQ(UV_ETIMEDOUT, uv__sock_status_error(0xC000013F));  /* LINK_TIMEOUT */
  CHECK_EQ(UV_ETIMEDOUT, uv__sock_status_error(0xC00000B5));  /* IO_TIMEOUT */
  CHECK_EQ(UV_ECANCELED, uv__sock_status_error(0xC0000240));  /* REQUEST_A... */
  CHECK_EQ(UV_ECONNABORTED,
           uv__sock_status_error(0xC0000241)); /* CONNECTION_ABORTED */
  CHECK_EQ(UV_EINVAL, uv__sock_status_error(0xC0000208)); /* ..._WILDCARD */
  CHECK_EQ(UV_EAGAIN, uv__sock_status_error(0xC00000A3)); /* DEVICE_NOT_... */
  CHECK_EQ(UV_ECONNRESET, uv__sock_status_error(0xC000A012)); /* HOPLIMIT */
  CHECK_EQ(UV_EADDRINUSE,
           uv__sock_status_error(0xC0000209)); /* TOO_MANY_ADDRESSES */
  CHECK_EQ(UV_ENOBUFS,
           uv__sock_status_error(0xC000009A)); /* INSUFFICIENT_RESOURCES */
  CHECK_EQ(UV_EFAULT, uv__sock_status_error(0xC0000023)); /* BUFFER_TOO_S... */
  CHECK_EQ(UV_EINVAL, uv__sock_status_error(0xC0001234)); /* any other */
}
