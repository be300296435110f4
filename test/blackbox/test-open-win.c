/* SPDX-License-Identifier: MIT */
/* What Windows says of descriptors, sockets and devices of the wrong kind:
 * results of libuv 1.50.0, found by running the same calls on both. */
#include "test.h"

#define NOT_OPEN 77

TEST_IMPL(open_of_what_is_no_socket) {
  uv_loop_t loop;
  uv_poll_t poll;
  uv_tcp_t tcp;
  uv_udp_t udp;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_ERR(UV_ENOTSOCK, uv_poll_init(&loop, &poll, -1));
  ASSERT_ERR(UV_ENOTSOCK, uv_poll_init(&loop, &poll, NOT_OPEN));
  ASSERT_ERR(UV_ENOTSOCK, uv_poll_init_socket(&loop, &poll, INVALID_SOCKET));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_ERR(UV_ENOTSOCK, uv_tcp_open(&tcp, INVALID_SOCKET));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_ERR(UV_ENOTSOCK, uv_udp_open(&udp, INVALID_SOCKET));
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(pipe_open_of_what_is_no_pipe) {
  static const struct {
    const char* name;
    int flags;
    int ipc;
    int err;
  } rows[] = {
    { "file", UV_FS_O_RDWR, 0, UV_EBADF },
    { "file", UV_FS_O_RDWR, 1, UV_EBADF },
    { "file", UV_FS_O_RDONLY, 0, UV_EBADF },
    { "file", UV_FS_O_RDONLY, 1, UV_EINVAL },
    { "NUL", UV_FS_O_RDWR, 0, UV_EBADF },
  };
  uv_loop_t loop;
  uv_fs_t req;

  ASSERT_OK(uv_loop_init(&loop));
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    uv_pipe_t pipe;
    int fd = uv_fs_open(NULL, &req, rows[i].name, rows[i].flags | UV_FS_O_CREAT,
                        0600, NULL);
    ASSERT_GE(fd, 0);
    ASSERT_OK(uv_pipe_init(&loop, &pipe, rows[i].ipc));
    ASSERT_ERR(rows[i].err, uv_pipe_open(&pipe, fd));
    ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL)); /* still the program's */
    uv_close((uv_handle_t*) &pipe, NULL);
    ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  }
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(socketpair_of_other_types) {
  uv_os_sock_t socks[2];

  ASSERT_ERR(UV_ESOCKTNOSUPPORT, uv_socketpair(99, 0, socks, 0, 0));
  ASSERT_ERR(UV_ESOCKTNOSUPPORT, uv_socketpair(-1, 0, socks, 0, 0));
  ASSERT_LT(uv_socketpair(SOCK_RAW, 0, socks, 0, 0), 0);
  /* 0: the type that belongs to the protocol, as socket() has it. */
  ASSERT_OK(uv_socketpair(0, 0, socks, 0, 0));
  ASSERT_EQ(1, send(socks[0], "x", 1, 0));
  char byte = 0;
  ASSERT_EQ(1, recv(socks[1], &byte, 1, 0));
  ASSERT_EQ('x', byte);
  closesocket(socks[0]);
  closesocket(socks[1]);
  return 0;
}

/* Only a mode that changes nothing, should it reach the system after all. */
TEST_IMPL(fs_chmod_of_a_device_changes_nothing) {
  uv_fs_t req;

  ASSERT_OK(uv_fs_chmod(NULL, &req, "NUL", 0666, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_OK(uv_fs_stat(NULL, &req, "NUL", NULL));
  ASSERT_EQ(0666, req.statbuf.st_mode & 0777);
  uv_fs_req_cleanup(&req);
  return 0;
}
