/* SPDX-License-Identifier: MIT */
/* Sockets from a service manager (LISTEN_FDS), and listeners in a forked child.
 * Method: a child puts sockets where a service manager puts them, and says what
 * it found by its exit status. */
#include "test.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST_FD 3

static int in_child(int (*run)(void)) {
  pid_t pid = test_fork();
  if (pid == 0)
    _exit(run());
  int status = test_wait_child(pid);
  ASSERT(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void set_variables(const char* pid, const char* fds, const char* names) {
  char own[32];

  snprintf(own, sizeof(own), "%d", (int) getpid());
  ASSERT_OK(uv_os_setenv("LISTEN_PID", pid != NULL ? pid : own));
  ASSERT_OK(uv_os_setenv("LISTEN_FDS", fds));
  ASSERT_OK(names != NULL ? uv_os_setenv("LISTEN_FDNAMES", names)
                          : uv_os_unsetenv("LISTEN_FDNAMES"));
}

/* Descriptors 3 and 4 are stream sockets, 5 is a file, 6 a datagram socket. */
static void put_descriptors(void) {
  static const int types[] = { SOCK_STREAM, SOCK_STREAM, 0, SOCK_DGRAM };

  for (int i = 0; i < (int) ARRAY_SIZE(types); i++) {
    int fd = types[i] == 0 ? open(TEST_NULL_DEVICE, O_RDONLY)
                           : socket(AF_INET, types[i], 0);
    ASSERT_GE(fd, 0);
    if (fd != FIRST_FD + i)
      ASSERT_EQ(FIRST_FD + i, dup2(fd, FIRST_FD + i));
    ASSERT_EQ(0, fcntl(FIRST_FD + i, F_SETFD, 0));
  }
}

static int expect_sockets(void) {
  uv_os_sock_t socks[4];
  unsigned count = ARRAY_SIZE(socks);

  put_descriptors();
  set_variables(NULL, "4", "web:admin:store:web");
  ASSERT_OK(uvx_inherited_sockets(NULL, socks, &count));
  ASSERT_EQ(3, count); /* the file is none */
  ASSERT_EQ(3, socks[0]);
  ASSERT_EQ(4, socks[1]);
  ASSERT_EQ(6, socks[2]);
  for (int i = 0; i < 4; i++)
    ASSERT_EQ(FD_CLOEXEC, fcntl(FIRST_FD + i, F_GETFD));

  count = ARRAY_SIZE(socks);
  ASSERT_OK(uvx_inherited_sockets("web", socks, &count));
  ASSERT_EQ(2, count);
  ASSERT_EQ(3, socks[0]);
  ASSERT_EQ(6, socks[1]);
  count = 1;
  ASSERT_OK(uvx_inherited_sockets("admin", socks, &count));
  ASSERT_EQ(4, socks[0]);
  ASSERT_ERR(UV_ENOENT, uvx_inherited_sockets("store", socks, &count));
  ASSERT_ERR(UV_ENOENT, uvx_inherited_sockets("we", socks, &count));
  ASSERT_ERR(UV_ENOENT, uvx_inherited_sockets("", socks, &count));
  count = 0;
  ASSERT_ERR(UV_ENOBUFS, uvx_inherited_sockets("web", NULL, &count));
  ASSERT_EQ(2, count);
  return 0;
}

TEST_IMPL(inherited_sockets_by_name) {
  ASSERT_EQ(0, in_child(expect_sockets));
  return 0;
}

/* Wrong variables, and variables for somebody else. */
static int expect_errors(void) {
  uv_os_sock_t sock;
  unsigned count = 1;

  ASSERT_ERR(UV_ENOENT, uvx_inherited_sockets(NULL, &sock, &count));
  put_descriptors();
  set_variables("1", "1", NULL); /* of the parent, say */
  ASSERT_ERR(UV_ENOENT, uvx_inherited_sockets(NULL, &sock, &count));
  static const char* const numbers[] = {
    "", "x", "-1", "1x", " 1", "99999999999999999999", "2147483647"
  };
  for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
    set_variables(NULL, numbers[i], NULL);
    ASSERT_ERR(UV_EINVAL, uvx_inherited_sockets(NULL, &sock, &count));
  }
  set_variables("x", "1", NULL);
  ASSERT_ERR(UV_EINVAL, uvx_inherited_sockets(NULL, &sock, &count));
  set_variables(NULL, "0", NULL);
  ASSERT_ERR(UV_ENOENT, uvx_inherited_sockets(NULL, &sock, &count));
  set_variables(NULL, "1", NULL);
  ASSERT_ERR(UV_ENOENT, uvx_inherited_sockets("web", &sock, &count));
  set_variables(NULL, "2", "web"); /* a name is missing */
  ASSERT_ERR(UV_EINVAL, uvx_inherited_sockets("web", &sock, &count));
  ASSERT_ERR(UV_EINVAL, uvx_inherited_sockets(NULL, NULL, &count));

  ASSERT_EQ(0, close(4));
  set_variables(NULL, "2", NULL);
  count = 1;
  ASSERT_ERR(UV_EBADF, uvx_inherited_sockets(NULL, &sock, &count));
  return 0;
}

TEST_IMPL(inherited_sockets_of_somebody_else) {
  ASSERT_EQ(0, in_child(expect_errors));
  return 0;
}

/* A name after more text than a variable usually has. */
static int expect_long_names(void) {
  char names[4000];
  uv_os_sock_t sock;
  unsigned count = 1;

  memset(names, 'x', sizeof(names));
  strcpy(names + sizeof(names) - 6, ":last");
  put_descriptors();
  set_variables(NULL, "2", names);
  ASSERT_OK(uvx_inherited_sockets("last", &sock, &count));
  ASSERT_EQ(4, sock);
  return 0;
}

TEST_IMPL(inherited_sockets_with_long_names) {
  ASSERT_EQ(0, in_child(expect_long_names));
  return 0;
}

/* One socket for datagrams, open on two loops: both send and receive. */
static uv_udp_t udps[2];
static int received;

static void on_datagram(uv_udp_t* udp,
                        ssize_t nread,
                        const uv_buf_t* buf,
                        const struct sockaddr* from,
                        unsigned flags) {
  (void) buf;
  (void) from;
  (void) flags;
  if (nread <= 0)
    return;
  received++;
  uv_close((uv_handle_t*) udp, NULL);
}

TEST_IMPL(inherited_datagram_socket_on_two_loops) {
  uv_loop_t loops[2];
  struct sockaddr_in addr = test_loopback();
  socklen_t len = sizeof(addr);
  int sock = socket(AF_INET, SOCK_DGRAM, 0);

  ASSERT_GE(sock, 0);
  ASSERT_EQ(0, bind(sock, (struct sockaddr*) &addr, sizeof(addr)));
  ASSERT_EQ(0, getsockname(sock, (struct sockaddr*) &addr, &len));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_loop_init(&loops[i]));
    ASSERT_OK(uv_udp_init(&loops[i], &udps[i]));
    ASSERT_OK(uv_udp_open(&udps[i], i == 0 ? sock : dup(sock)));
    ASSERT_OK(uv_udp_recv_start(&udps[i], test_alloc, on_datagram));
  }
  uv_buf_t buf = uv_buf_init("x", 1);
  for (int i = 0; i < 2; i++) {
    ASSERT_EQ(1, uv_udp_try_send(&udps[1], &buf, 1, (struct sockaddr*) &addr));
    ASSERT_OK(uv_run(&loops[i], UV_RUN_DEFAULT));
    ASSERT_EQ(i + 1, received);
    ASSERT_OK(uv_loop_close(&loops[i]));
  }
  return 0;
}

/* The child has none of the threads: it may only free. */
static uvx_loops_t* loops;
static uvx_listener_t* listener;
static uvx_listen_options_t options;

static void ignore_connection(uv_stream_t* server, int status) {
  (void) server;
  (void) status;
}

static int use_in_child(void) {
  uvx_listener_t* another;

  ASSERT_ERR(UV_EPERM, uvx_loops_listen(loops, &options, &another));
  ASSERT_ERR(UV_EPERM, uvx_listener_close(listener, NULL, NULL));
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

TEST_IMPL(listener_in_a_forked_child) {
  struct sockaddr_in addr = test_loopback();

  options.size = sizeof(options);
  options.addr = (const struct sockaddr*) &addr;
  options.backlog = 1;
  options.cb = ignore_connection;
  ASSERT_OK(uvx_loops_new(&loops, NULL));
  ASSERT_OK(uvx_loops_listen(loops, &options, &listener));
  ASSERT_EQ(0, in_child(use_in_child));
  ASSERT_OK(uvx_listener_close(listener, NULL, NULL));
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}

/* Whatever fails, no descriptor stays open. */
static int lowest_free_fd(void) {
  int fd = dup(0);

  ASSERT_GE(fd, 0);
  ASSERT_EQ(0, close(fd));
  return fd;
}

TEST_IMPL(listener_failure_leaves_no_descriptor) {
  static const enum uvx_balance balances[] = { UVX_BALANCE_KERNEL,
                                               UVX_BALANCE_SHARED,
                                               UVX_BALANCE_TURNS };
  struct sockaddr_in addr = test_loopback();
  uvx_loops_options_t loops_options = { .size = sizeof(loops_options),
                                        .count = 8 };

  options.size = sizeof(options);
  options.addr = (const struct sockaddr*) &addr;
  options.cb = ignore_connection;
  options.backlog = 1;
  ASSERT_EQ(1, inet_pton(AF_INET, "192.0.2.1", &addr.sin_addr));
  ASSERT_OK(uvx_loops_new(&loops, &loops_options));
  int before = lowest_free_fd();
  for (size_t i = 0; i < ARRAY_SIZE(balances); i++) {
    options.balance = balances[i];
    int err = uvx_loops_listen(loops, &options, &listener);
    if (err != UV_ENOTSUP)
      ASSERT_ERR(UV_EADDRNOTAVAIL, err);
    ASSERT_EQ(before, lowest_free_fd());
  }
  ASSERT_OK(uvx_loops_free(loops));
  return 0;
}
