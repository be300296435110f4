/* SPDX-License-Identifier: MIT */
/* Pipes and their names: behaviour 42 and 43 of docs/internals/behaviour.md. */
#include "test.h"

#if TEST_POSIX
# include <stdio.h>
# include <sys/socket.h>
# include <sys/stat.h>
# include <sys/un.h>
# include <unistd.h>
#endif

static uv_loop_t loop;
static int connect_status = 1;

static void on_connect(uv_connect_t* req, int status) {
  (void) req;
  connect_status = status;
}

#if TEST_POSIX
TEST_IMPL(pipe_bind_over_a_file) {
  uv_pipe_t first;
  uv_pipe_t second;
  struct stat st;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &first, 0));
  ASSERT_OK(uv_pipe_init(&loop, &second, 0));
  ASSERT_OK(uv_pipe_bind(&first, "sock"));
  ASSERT_ERR(UV_EADDRINUSE, uv_pipe_bind(&second, "sock"));
  ASSERT_EQ(0, stat("sock", &st));
  uv_close((uv_handle_t*) &first, NULL);
  ASSERT_EQ(-1, stat("sock", &st)); /* the handle that bound it removes it */
  test_close_loop(&loop);
  return 0;
}

#endif

TEST_IMPL(pipe_connect_error_is_reported_later) {
  uv_pipe_t handle;
  uv_connect_t req;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &handle, 0));
  uv_pipe_connect(&req, &handle, test_pipe_name("nothing"), on_connect);
  ASSERT_EQ(1, connect_status);
  while (connect_status == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_ERR(UV_ENOENT, connect_status);
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* Longer than the system allows: truncated silently, or refused on request. */
TEST_IMPL(pipe_long_names) {
  char name[300];
  uv_pipe_t handle;
  uv_connect_t req;
  size_t room = sizeof(((struct sockaddr_un*) 0)->sun_path);

  if (test_on_valgrind())
    SKIP("valgrind expects a NUL that the kernel does not need");
  memset(name, 'n', sizeof(name));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &handle, 0));
  ASSERT_ERR(UV_EINVAL,
             uv_pipe_bind2(&handle, name, sizeof(name), UV_PIPE_NO_TRUNCATE));
  ASSERT_ERR(UV_EINVAL, uv_pipe_bind2(&handle, name, 10, 1u << 20));
  ASSERT_ERR(UV_EINVAL, uv_pipe_bind2(&handle, NULL, 10, 0));
  ASSERT_ERR(UV_EINVAL, uv_pipe_connect2(&req, &handle, name, sizeof(name),
                                         UV_PIPE_NO_TRUNCATE, on_connect));
  ASSERT_OK(uv_pipe_bind2(&handle, name, sizeof(name), 0));
  name[room] = '\0'; /* every byte is used: there may be no NUL */
  struct stat st;
  ASSERT_EQ(0, stat(name, &st));
  test_close_loop(&loop);
  ASSERT_EQ(-1, stat(name, &st));
  return 0;
}

#endif

/* The length ends the name; nothing behind it is read. */
TEST_IMPL(pipe_bind2_reads_only_its_length) {
  const char* full = test_pipe_name("sock");
  size_t len = strlen(full);
  char* name = malloc(len);
  uv_pipe_t handle;
  char got[128];
  size_t size = sizeof(got);

  ASSERT_NOT_NULL(name);
  memcpy(name, full, len); /* no NUL */
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &handle, 0));
  ASSERT_OK(uv_pipe_bind2(&handle, name, len, 0));
  ASSERT_OK(uv_pipe_getsockname(&handle, got, &size));
  ASSERT_EQ(len, size);
  ASSERT_EQ(0, strcmp(full + len - 4, got + len - 4));
  free(name);
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
static void on_connection(uv_stream_t* server, int status) {
  (void) server;
  ASSERT_OK(status);
}

/* An abstract name may contain NULs and creates no file. */
TEST_IMPL(pipe_abstract_name) {
  static const char name[] = "\0uv\0test";
  char unique[32];
  char got[64];
  size_t size = sizeof(got);
  uv_pipe_t server;
  uv_pipe_t client;
  uv_connect_t req;

  memcpy(unique, name, sizeof(name));
  int pid = uv_os_getpid();
  memcpy(unique + sizeof(name), &pid, sizeof(pid));
  size_t len = sizeof(name) + sizeof(pid);

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_init(&loop, &client, 0));
  int err = uv_pipe_bind2(&server, unique, len, 0);
  if (err == UV_EINVAL || err == UV_ENOTSUP)
    SKIP("no abstract socket names on this system");
  ASSERT_OK(err);
  ASSERT_OK(uv_pipe_getsockname(&server, got, &size));
  ASSERT_EQ(len, size);
  ASSERT_MEM_EQ(unique, got, len);
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1, on_connection));
  ASSERT_OK(uv_pipe_connect2(&req, &client, unique, len, 0, on_connect));
  while (connect_status == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_OK(connect_status);
  test_close_loop(&loop);
  return 0;
}

/* An empty name: the system chooses one. */
TEST_IMPL(pipe_empty_name_is_chosen_by_the_system) {
  uv_pipe_t handle;
  char got[64] = "#";
  size_t size = sizeof(got);

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &handle, 0));
  int err = uv_pipe_bind2(&handle, "", 0, 0);
  if (err == UV_EINVAL || err == UV_ENOTSUP)
    SKIP("no abstract socket names on this system");
  ASSERT_OK(err);
  ASSERT_OK(uv_pipe_getsockname(&handle, got, &size));
  ASSERT_GT(size, 1);
  ASSERT_EQ('\0', got[0]);
  test_close_loop(&loop);
  return 0;
}

#endif

TEST_IMPL(pipe_getsockname_sizes) {
  uv_pipe_t handle;
  char got[16];
  size_t size = 2;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &handle, 0));
  ASSERT_OK(uv_pipe_bind(&handle, test_pipe_name("sock")));
  ASSERT_ERR(UV_ENOBUFS, uv_pipe_getsockname(&handle, got, &size));
  ASSERT_GE(size, 4);
  size = 0;
  ASSERT_ERR(UV_EINVAL, uv_pipe_getsockname(&handle, got, &size));
  ASSERT_ERR(UV_EINVAL, uv_pipe_getsockname(&handle, NULL, &size));
  ASSERT_ERR(UV_EINVAL, uv_pipe_getsockname(&handle, got, NULL));
  test_close_loop(&loop);
  return 0;
}

/* uv_write2 needs an ipc pipe and an open handle. */
TEST_IMPL(pipe_write2_rules) {
  test_stream_t a;
  test_stream_t b;
  uv_pipe_t none;
  uv_tcp_t tcp;
  uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  ASSERT_OK(uv_loop_init(&loop));
  test_stream_pair(&loop, &a, &b);
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_ERR(UV_EINVAL, uv_write2(&req, (uv_stream_t*) &a, &buf, 1,
                                  (uv_stream_t*) &b, NULL));
  ASSERT_OK(uv_pipe_init(&loop, &none, 0));
  ASSERT_EQ(0, uv_pipe_pending_count(&none));
  ASSERT_EQ(UV_UNKNOWN_HANDLE, uv_pipe_pending_type(&none));
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* Descriptors that arrive and are not accepted are closed with the pipe. */
static int reads;

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  (void) buf;
  if (nread > 0)
    reads++;
}

TEST_IMPL(pipe_untaken_descriptors_do_not_leak) {
  uv_pipe_t ends[2];
  uv_pipe_t sent;
  uv_pipe_t other;
  uv_os_sock_t fds[2];
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  int before = test_lowest_fd();
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, fds, 0, 0));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_pipe_init(&loop, &ends[i], 1));
    ASSERT_OK(uv_pipe_open(&ends[i], fds[i]));
  }
  test_stream_pair(&loop, &sent, &other);
  for (int i = 0; i < 3; i++)
    ASSERT_EQ(1, uv_try_write2((uv_stream_t*) &ends[0], &buf, 1,
                               (uv_stream_t*) &sent));
  ASSERT_OK(uv_read_start((uv_stream_t*) &ends[1], test_alloc, on_read));
  while (uv_pipe_pending_count(&ends[1]) < 3)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(UV_NAMED_PIPE, uv_pipe_pending_type(&ends[1]));
  test_close_loop(&loop);
  ASSERT_EQ(before, test_lowest_fd());
  return 0;
}

static mode_t mode_of(const char* path) {
  struct stat st;
  ASSERT_EQ(0, lstat(path, &st));
  return st.st_mode & 07777;
}

/* A file that replaced the socket's is left alone (before 1.51 the name was
 * looked up again, and links were followed). */
TEST_IMPL(pipe_chmod_follows_no_link) {
  uv_pipe_t server;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_bind(&server, "sock"));
  ASSERT_EQ(0, chmod("sock", 0700));
  ASSERT_OK(uv_pipe_chmod(&server, UV_READABLE));
  ASSERT_EQ(0744, mode_of("sock"));
  ASSERT_OK(uv_pipe_chmod(&server, UV_READABLE | UV_WRITABLE));
  ASSERT_EQ(0766, mode_of("sock"));

  FILE* victim = fopen("victim", "w");
  ASSERT_NOT_NULL(victim);
  fclose(victim);
  ASSERT_EQ(0, chmod("victim", 0600));
  ASSERT_EQ(0, unlink("sock"));
  ASSERT_EQ(0, symlink("victim", "sock"));
  ASSERT_ERR(UV_EINVAL, uv_pipe_chmod(&server, UV_READABLE | UV_WRITABLE));
  ASSERT_EQ(0600, mode_of("victim"));
  ASSERT_EQ(0, unlink("sock"));
  ASSERT_EQ(0, link("victim", "sock"));
  ASSERT_ERR(UV_EINVAL, uv_pipe_chmod(&server, UV_READABLE | UV_WRITABLE));
  ASSERT_EQ(0600, mode_of("victim"));
  ASSERT_EQ(0, unlink("sock"));
  ASSERT_ERR(UV_ENOENT, uv_pipe_chmod(&server, UV_READABLE));
  test_close_loop(&loop);
  return 0;
}

/* libuv aborts. */
TEST_IMPL(pipe_connect_of_a_server) {
  uv_pipe_t server;
  uv_connect_t req;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_bind(&server, "sock"));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1, on_connection));
  uv_pipe_connect(&req, &server, "sock", on_connect);
  connect_status = 1;
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_LT(connect_status, 0);
  test_close_loop(&loop);
  return 0;
}

/* The socket's file is found, whoever created it. */
TEST_IMPL(pipe_chmod_of_a_socket_bound_by_others) {
  struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "sock" };
  uv_pipe_t server;

  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(0, bind(fd, (struct sockaddr*) &name, sizeof(name)));
  ASSERT_EQ(0, chmod("sock", 0600));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_open(&server, fd));
  ASSERT_OK(uv_pipe_chmod(&server, UV_READABLE | UV_WRITABLE));
  ASSERT_EQ(0666, mode_of("sock"));
  test_close_loop(&loop);
  return 0;
}

/* Without a file there are no permissions. */
TEST_IMPL(pipe_chmod_without_a_name) {
  uv_pipe_t handles[2];
  int pair[2];
  uv_file fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, pair, 0, 0));
  ASSERT_OK(uv_pipe(fds, 0, 0));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_pipe_init(&loop, &handles[i], 0));
    ASSERT_ERR(UV_EBADF, uv_pipe_chmod(&handles[i], UV_READABLE));
  }
  ASSERT_OK(uv_pipe_open(&handles[0], pair[0]));
  ASSERT_OK(uv_pipe_open(&handles[1], fds[0]));
  ASSERT_ERR(UV_ENOENT, uv_pipe_chmod(&handles[0], UV_READABLE));
  ASSERT_ERR(UV_ENOTSOCK, uv_pipe_chmod(&handles[1], UV_READABLE));
  ASSERT_ERR(UV_EINVAL, uv_pipe_chmod(&handles[1], 0));
  test_close_loop(&loop);
  close(pair[1]);
  close(fds[1]);
  return 0;
}

/* Without a name there is no size. */
TEST_IMPL(pipe_getsockname_size_after_an_error) {
  uv_pipe_t server;
  char name[16];
  size_t size = sizeof(name);

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_ERR(UV_EBADF, uv_pipe_getsockname(&server, name, &size));
  ASSERT_EQ(0, size);
  ASSERT_OK(uv_pipe_bind(&server, "sock"));
  size = sizeof(name);
  ASSERT_ERR(UV_ENOTCONN, uv_pipe_getpeername(&server, name, &size));
  ASSERT_EQ(0, size);
  test_close_loop(&loop);
  return 0;
}

/* Opening the same descriptor again is allowed while nobody reads it; another
 * one is not, and an invalid one is reported first. */
TEST_IMPL(pipe_open_twice) {
  uv_pipe_t first;
  int fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, fds, 0, 0));
  ASSERT_OK(uv_pipe_init(&loop, &first, 0));
  ASSERT_OK(uv_pipe_open(&first, fds[0]));
  ASSERT_OK(uv_pipe_open(&first, fds[0]));
  ASSERT_ERR(UV_EBUSY, uv_pipe_open(&first, fds[1]));
  ASSERT_ERR(UV_EBADF, uv_pipe_open(&first, 9999));
  ASSERT_OK(uv_read_start((uv_stream_t*) &first, test_alloc, on_read));
  ASSERT_ERR(UV_EEXIST, uv_pipe_open(&first, fds[0]));
  ASSERT_ERR(UV_EBUSY, uv_pipe_open(&first, fds[1]));
  test_close_loop(&loop);
  close(fds[1]);
  return 0;
}

static ssize_t read_status;

static void on_peer_gone(uv_stream_t* stream,
                         ssize_t nread,
                         const uv_buf_t* buf) {
  (void) buf;
  read_status = nread;
  uv_close((uv_handle_t*) stream, NULL);
}

/* uvloop sets libuv's private "readable" bit on a pipe that it only writes to,
 * so that reading detects a closed reader. The bit is part of the ABI. Pipes of
 * FreeBSD go both ways: it is set already. */
TEST_IMPL(pipe_readable_bit_set_by_the_program) {
  enum { LIBUV_READABLE = 0x4000, LIBUV_WRITABLE = 0x8000 };
  uv_pipe_t writer;
  uv_stream_t* stream = (uv_stream_t*) &writer;
  int fds[2];

  ASSERT_EQ(0, pipe(fds));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &writer, 0));
  ASSERT_OK(uv_pipe_open(&writer, fds[1]));
  ASSERT_EQ(LIBUV_WRITABLE, writer.flags & LIBUV_WRITABLE);
  if (!uv_is_readable(stream)) {
    ASSERT_EQ(0, writer.flags & LIBUV_READABLE);
    ASSERT_ERR(UV_ENOTCONN, uv_read_start(stream, test_alloc, on_peer_gone));
  }

  writer.flags |= LIBUV_READABLE;
  ASSERT_EQ(1, uv_is_readable(stream));
  ASSERT_EQ(1, uv_is_writable(stream));
  ASSERT_OK(uv_read_start(stream, test_alloc, on_peer_gone));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(0, read_status);
  ASSERT_EQ(0, close(fds[0]));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_LT(read_status, 0);
  test_close_loop(&loop);
  return 0;
}
#endif

#if TEST_POSIX
static int second_results[2];
static int second_calls;

static void on_second_connect(uv_connect_t* req, int status) {
  second_results[second_calls++] = status;
  if (second_calls == 2)
    uv_close((uv_handle_t*) req->handle, NULL);
}

static void close_server(uv_stream_t* server, int status) {
  ASSERT_OK(status);
  uv_close((uv_handle_t*) server, NULL);
}

/* The first is not disturbed; the second is told together with it. */
TEST_IMPL(pipe_connect_while_connecting) {
  uv_pipe_t server;
  uv_pipe_t pipe;
  uv_connect_t reqs[3];
  const char* name = test_pipe_name("twice");

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_bind(&server, name));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 4, close_server));
  ASSERT_OK(uv_pipe_init(&loop, &pipe, 0));
  uv_pipe_connect(&reqs[0], &pipe, name, on_second_connect);
  uv_pipe_connect(&reqs[1], &pipe, name, on_second_connect);
  ASSERT_ERR(UV_EALREADY, uv_pipe_connect2(&reqs[2], &pipe, name, strlen(name),
                                           0, on_second_connect));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, second_calls);
  ASSERT_OK(second_results[0]);
  ASSERT_ERR(UV_EALREADY, second_results[1]);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
#endif

#if TEST_POSIX
/* Reported when the handle is closed; libuv aborts. */
TEST_IMPL(pipe_connect_of_a_closing_handle) {
  uv_pipe_t handle;
  uv_connect_t req;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &handle, 0));
  uv_close((uv_handle_t*) &handle, NULL);
  uv_pipe_connect(&req, &handle, "nothing", on_connect);
  ASSERT_EQ(1, connect_status);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_ERR(UV_ECANCELED, connect_status);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static uv_pipe_t retried;
static uv_connect_t retry_req;

static void connect_again(uv_connect_t* req, int status) {
  (void) req;
  ASSERT_ERR(UV_ENOENT, status);
  uv_pipe_connect(&retry_req, &retried, "there", on_connect);
}

/* In the callback of the attempt that failed. */
TEST_IMPL(pipe_connect_is_tried_again) {
  uv_pipe_t server;
  uv_connect_t req;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_bind(&server, "there"));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1, close_server));
  ASSERT_OK(uv_pipe_init(&loop, &retried, 0));
  uv_pipe_connect(&req, &retried, "nothing", connect_again);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(connect_status);
  ASSERT_EQ(1, uv_is_writable((uv_stream_t*) &retried));
  test_close_loop(&loop);
  return 0;
}
#endif

static int alloc_calls;
static int read_calls;

static void count_read(uv_stream_t* stream,
                       ssize_t nread,
                       const uv_buf_t* buf) {
  (void) stream;
  (void) nread;
  (void) buf;
  read_calls++;
}

static void close_in_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char room[16];

  (void) size;
  alloc_calls++;
  uv_close(handle, NULL);
  *buf = uv_buf_init(room, sizeof(room));
}

static void stop_in_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char room[16];

  (void) size;
  alloc_calls++;
  ASSERT_OK(uv_read_stop((uv_stream_t*) handle));
  *buf = uv_buf_init(room, sizeof(room));
}

/* Reads one byte with a callback that makes that impossible; `flags` are those
 * of the reading end. */
static void read_with(uv_loop_t* with, int flags, uv_alloc_cb alloc_cb) {
  uv_pipe_t reader;
  uv_file fds[2];
  uv_fs_t req;
  uv_buf_t byte = uv_buf_init((char*) "x", 1);

  alloc_calls = 0;
  read_calls = 0;
  ASSERT_OK(uv_pipe(fds, flags, 0));
  ASSERT_OK(uv_pipe_init(with, &reader, 0));
  ASSERT_OK(uv_pipe_open(&reader, fds[0]));
  ASSERT_OK(uv_read_start((uv_stream_t*) &reader, alloc_cb, count_read));
  ASSERT_EQ(1, uv_fs_write(NULL, &req, fds[1], &byte, 1, -1, NULL));
  ASSERT_EQ(0, uv_run(with, UV_RUN_DEFAULT));
  ASSERT_EQ(1, alloc_calls);
  ASSERT_EQ(0, read_calls);
  if (!uv_is_closing((uv_handle_t*) &reader))
    uv_close((uv_handle_t*) &reader, NULL);
  ASSERT_EQ(0, uv_run(with, UV_RUN_DEFAULT));
  ASSERT_OK(uv_fs_close(NULL, &req, fds[1], NULL));
}

TEST_IMPL(pipe_read_ended_by_its_alloc_callback) {
  uv_loop_t own;

  ASSERT_OK(uv_loop_init(&own));
  read_with(&own, UV_NONBLOCK_PIPE, close_in_alloc);
  read_with(&own, UV_NONBLOCK_PIPE, stop_in_alloc);
  read_with(&own, 0, close_in_alloc);
  read_with(&own, 0, stop_in_alloc);
  test_close_loop(&own);
  return 0;
}
