/* SPDX-License-Identifier: MIT */
/* Streams: behaviour 21-44 of docs/internals/behaviour.md. Method: socket pairs
 * and loopback connections. */
#include "test.h"

#if TEST_POSIX
# include <fcntl.h>
# include <signal.h>
# include <sys/socket.h>
# include <unistd.h>
#endif

static uv_loop_t loop;
static test_stream_t a;
static test_stream_t b;

static void setup(void) {
  ASSERT_OK(uv_loop_init(&loop));
  test_stream_pair(&loop, &a, &b);
}

static int callbacks;
static int last_status;

static void on_write(uv_write_t* req, int status) {
  (void) req;
  callbacks++;
  last_status = status;
}

TEST_IMPL(stream_write_is_at_once_callback_is_later) {
  uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "hello", 5);
  char got[8];
  uv_os_fd_t fd;

  setup();
  ASSERT_OK(uv_write(&req, (uv_stream_t*) &a, &buf, 1, on_write));
  ASSERT_EQ(0, callbacks);
  ASSERT_EQ(0, uv_stream_get_write_queue_size((uv_stream_t*) &a));
  ASSERT_OK(uv_fileno((uv_handle_t*) &b, &fd));
  /* Without running the loop. */
  ASSERT_EQ(5, recv((uv_os_sock_t) fd, got, sizeof(got), 0));
  uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(1, callbacks);
  ASSERT_OK(last_status);
  test_close_loop(&loop);
  return 0;
}

static int order[8];
static int norder;
static int order_status[8];

static void on_ordered(uv_write_t* req, int status) {
  order_status[norder] = status;
  order[norder++] = *(int*) req->data;
}

static void on_closed(uv_handle_t* handle) {
  (void) handle;
  order[norder++] = 99;
}

/* Finished writes report 0, the others UV_ECANCELED, in order, before close_cb.
 */
TEST_IMPL(stream_close_cancels_in_order) {
  uv_write_t reqs[4];
  int ids[] = { 0, 1, 2, 3 };
  static char big[1 << 21];

  setup();
  for (int i = 0; i < 4; i++) {
    uv_buf_t buf = uv_buf_init(big, i == 0 ? 1 : sizeof(big));
    reqs[i].data = &ids[i];
    ASSERT_OK(uv_write(&reqs[i], (uv_stream_t*) &a, &buf, 1, on_ordered));
  }
  uv_close((uv_handle_t*) &a, on_closed);
  ASSERT_EQ(0, norder);
  while (norder < 5)
    uv_run(&loop, UV_RUN_NOWAIT);
  for (int i = 0; i < 4; i++) {
    ASSERT_EQ(i, order[i]);
    /* Windows accepts all of a write while there is any room. */
    if (TEST_POSIX || i != 1 || order_status[i] != 0)
      ASSERT_ERR(i == 0 ? 0 : UV_ECANCELED, order_status[i]);
  }
  ASSERT_EQ(99, order[4]);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(stream_write_bad_arguments) {
  uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_tcp_t unopened;
  uv_shutdown_t shut;

  setup();
  ASSERT_OK(uv_tcp_init(&loop, &unopened));
  ASSERT_ERR(UV_EINVAL, uv_write(&req, (uv_stream_t*) &a, &buf, 0, on_write));
  ASSERT_ERR(TEST_NO_STREAM,
             uv_write(&req, (uv_stream_t*) &unopened, &buf, 1, on_write));
  ASSERT_ERR(TEST_NO_STREAM, uv_try_write((uv_stream_t*) &unopened, &buf, 1));
  ASSERT_ERR(UV_ENOTCONN, uv_shutdown(&shut, (uv_stream_t*) &unopened, NULL));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_EQ(0, callbacks);
  test_close_loop(&loop);
  return 0;
}

/* A dead peer is an error in the callback, without SIGPIPE (which would kill
 * us). On Windows the pair is a connection, which detects it only after a
 * write. */
static int is_dead_peer(int err) {
  return TEST_POSIX ? err == UV_EPIPE
                    : err == UV_ECONNRESET || err == UV_ECONNABORTED;
}

TEST_IMPL(stream_write_to_dead_peer) {
  uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

#if TEST_POSIX
  signal(SIGPIPE, SIG_DFL);
#endif
  setup();
  uv_close((uv_handle_t*) &b, NULL);
  uv_run(&loop, UV_RUN_NOWAIT);
  do {
    ASSERT_OK(uv_write(&req, (uv_stream_t*) &a, &buf, 1, on_write));
    uv_run(&loop, UV_RUN_ONCE);
  } while (!TEST_POSIX && last_status == 0);
  ASSERT(TEST_POSIX ? callbacks == 1 : callbacks >= 1);
  ASSERT(is_dead_peer(last_status));
  test_close_loop(&loop);
  return 0;
}

static int shutdown_status = 1;

static void on_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  shutdown_status = status;
}

TEST_IMPL(stream_shutdown_rules) {
  uv_shutdown_t shut;
  uv_shutdown_t second;
  uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup();
  ASSERT_OK(uv_shutdown(&shut, (uv_stream_t*) &a, on_shutdown));
  ASSERT_EQ(0, uv_is_writable((uv_stream_t*) &a));
  ASSERT_ERR(UV_ENOTCONN, uv_shutdown(&second, (uv_stream_t*) &a, on_shutdown));
  ASSERT_ERR(UV_EPIPE, uv_write(&req, (uv_stream_t*) &a, &buf, 1, on_write));
  while (shutdown_status == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_OK(shutdown_status);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(stream_shutdown_cancelled_by_close) {
  uv_shutdown_t shut;
  uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup();
  test_fill((uv_stream_t*) &a);
  ASSERT_OK(uv_write(&req, (uv_stream_t*) &a, &buf, 1, on_write));
  ASSERT_OK(uv_shutdown(&shut, (uv_stream_t*) &a, on_shutdown));
  uv_close((uv_handle_t*) &a, NULL);
  test_close_loop(&loop);
  ASSERT_ERR(UV_ECANCELED, last_status);
  ASSERT_ERR(UV_ECANCELED, shutdown_status);
  return 0;
}

static ssize_t last_nread = -1;
static int reads;
static const char* last_base;

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  reads++;
  last_nread = nread;
  last_base = buf->base;
}

TEST_IMPL(stream_read_start_rules) {
  uv_tcp_t unopened;

  setup();
  ASSERT_OK(uv_tcp_init(&loop, &unopened));
  ASSERT_ERR(UV_EINVAL, uv_read_start((uv_stream_t*) &a, NULL, on_read));
  ASSERT_ERR(UV_EINVAL, uv_read_start((uv_stream_t*) &a, test_alloc, NULL));
  ASSERT_ERR(UV_ENOTCONN,
             uv_read_start((uv_stream_t*) &unopened, test_alloc, on_read));
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, test_alloc, on_read));
  ASSERT_ERR(UV_EALREADY,
             uv_read_start((uv_stream_t*) &a, test_alloc, on_read));
  ASSERT_OK(uv_read_stop((uv_stream_t*) &a));
  ASSERT_OK(uv_read_stop((uv_stream_t*) &a));
  uv_close((uv_handle_t*) &a, NULL);
  ASSERT_ERR(UV_EINVAL, uv_read_start((uv_stream_t*) &a, test_alloc, on_read));
  test_close_loop(&loop);
  return 0;
}

static size_t suggestion;

static void alloc_nothing(uv_handle_t* handle,
                          size_t suggested,
                          uv_buf_t* buf) {
  (void) handle;
  suggestion = suggested;
  *buf = uv_buf_init(NULL, 0);
}

TEST_IMPL(stream_read_no_buffer) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup();
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, alloc_nothing, on_read));
  ASSERT_EQ(1, uv_try_write((uv_stream_t*) &b, &buf, 1));
  uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(1, reads);
  ASSERT_ERR(UV_ENOBUFS, last_nread);
  ASSERT_EQ(65536, suggestion);
  test_close_loop(&loop);
  return 0;
}

/* EOF: reading stops by itself, the buffer is returned, writing still works. */
TEST_IMPL(stream_read_eof_leaves_it_half_open) {
  uv_shutdown_t shut;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup();
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, test_alloc, on_read));
  ASSERT_OK(uv_shutdown(&shut, (uv_stream_t*) &b, on_shutdown));
  while (reads == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(UV_EOF, last_nread);
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) &a));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, reads);
  ASSERT_EQ(1, uv_try_write((uv_stream_t*) &a, &buf, 1));
  test_close_loop(&loop);
  return 0;
}

static size_t total;
static int turns;
static int reads_per_turn;
static int reads_max;

static void alloc_small(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char byte[16];
  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(byte, sizeof(byte));
}

static void on_small_read(uv_stream_t* s, ssize_t nread, const uv_buf_t* buf) {
  (void) s;
  (void) buf;
  if (nread > 0)
    total += (size_t) nread;
  if (++reads_per_turn > reads_max)
    reads_max = reads_per_turn;
}

static void on_check(uv_check_t* check) {
  (void) check;
  turns++;
  reads_per_turn = 0;
}

/* A stream with plenty of data yields after 32 reads. (On Windows, if all data
 * is there when reading starts, there is also a turn in the pending phase of
 * the first round.) */
TEST_IMPL(stream_read_is_fair) {
  uv_check_t check;

  setup();
  ASSERT_OK(uv_check_init(&loop, &check));
  ASSERT_OK(uv_check_start(&check, on_check));
  size_t filled = test_fill((uv_stream_t*) &b);
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, alloc_small, on_small_read));
  while (total < filled)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_LE(reads_max, TEST_POSIX ? 33 : 64);
  ASSERT_GT(turns, 10);
  test_close_loop(&loop);
  return 0;
}

static void stop_in_read(uv_stream_t* s, ssize_t nread, const uv_buf_t* buf) {
  (void) nread;
  (void) buf;
  reads++;
  ASSERT_OK(uv_read_stop(s));
}

static void close_in_read(uv_stream_t* s, ssize_t nread, const uv_buf_t* buf) {
  (void) nread;
  (void) buf;
  reads++;
  uv_close((uv_handle_t*) s, NULL);
}

TEST_IMPL(stream_stop_and_close_in_read) {
  setup();
  test_fill((uv_stream_t*) &b);
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, alloc_small, stop_in_read));
  uv_run(&loop, UV_RUN_NOWAIT);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, reads);
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, alloc_small, close_in_read));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(2, reads);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(stream_buffer_sizes) {
  uv_tcp_t client;
  uv_tcp_t server;
  int value = 0;

  ASSERT_OK(uv_loop_init(&loop));
  test_tcp_pair(&loop, &client, &server);
  ASSERT_OK(uv_recv_buffer_size((uv_handle_t*) &client, &value));
  ASSERT_GT(value, 0);
  value = 8192;
  ASSERT_OK(uv_send_buffer_size((uv_handle_t*) &client, &value));
  value = 0;
  ASSERT_OK(uv_send_buffer_size((uv_handle_t*) &client, &value));
  ASSERT_GE(value, 8192);
  ASSERT_ERR(UV_EINVAL, uv_send_buffer_size((uv_handle_t*) &client, NULL));
  test_close_loop(&loop);
  return 0;
}

/* The descriptor is closed when uv_close() returns; the callback runs later, if
 * there is one. */
TEST_IMPL(stream_descriptor_is_closed_in_close) {
  uv_os_fd_t fd;

  setup();
  ASSERT_OK(uv_fileno((uv_handle_t*) &a, &fd));
  uv_close((uv_handle_t*) &a, NULL);
#if TEST_POSIX
  ASSERT_EQ(-1, fcntl(fd, F_GETFD));
#else
  DWORD flags;
  ASSERT(!GetHandleInformation(fd, &flags));
#endif
  ASSERT_EQ(1, uv_is_closing((uv_handle_t*) &a));
  ASSERT_ERR(UV_EBADF, uv_fileno((uv_handle_t*) &a, &fd));
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* Blocking changes how a write is done, not when its callback runs. */
TEST_IMPL(stream_set_blocking_keeps_callbacks_later) {
  uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_os_fd_t fd;

  setup();
  ASSERT_OK(uv_fileno((uv_handle_t*) &a, &fd));
  ASSERT_OK(uv_stream_set_blocking((uv_stream_t*) &a, 1));
  ASSERT_EQ(0, fcntl(fd, F_GETFL) & O_NONBLOCK);
  ASSERT_OK(uv_write(&req, (uv_stream_t*) &a, &buf, 1, on_write));
  ASSERT_EQ(0, callbacks);
  uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(1, callbacks);
  ASSERT_OK(uv_stream_set_blocking((uv_stream_t*) &a, 0));
  ASSERT_NE(0, fcntl(fd, F_GETFL) & O_NONBLOCK);
  test_close_loop(&loop);
  return 0;
}

#endif

/* A write with more buffers than one system call accepts arrives completely and
 * in order. */
static unsigned char next_byte;

static void on_ordered_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  (void) s;
  for (ssize_t i = 0; i < n; i++)
    ASSERT_EQ(next_byte++, (unsigned char) buf->base[i]);
  if (n > 0)
    total += (size_t) n;
}

TEST_IMPL(stream_write_of_very_many_buffers) {
  enum { BUFS = 5000 };
  static uv_buf_t bufs[BUFS];
  static char bytes[256];
  uv_write_t req;

  for (int i = 0; i < 256; i++)
    bytes[i] = (char) i;
  for (int i = 0; i < BUFS; i++)
    bufs[i] = uv_buf_init(bytes + i % 256, 1);
  setup();
  ASSERT_OK(uv_write(&req, (uv_stream_t*) &a, bufs, BUFS, on_write));
  memset(bufs, 0xff, sizeof(bufs)); /* the array is ours again */
  ASSERT_OK(uv_read_start((uv_stream_t*) &b, test_alloc, on_ordered_read));
  while (total < BUFS || callbacks == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(BUFS, total);
  ASSERT_OK(last_status);
  test_close_loop(&loop);
  return 0;
}

/* Queued data comes first, the shutdown after it. */
TEST_IMPL(stream_try_write_after_shutdown) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_stream_t* stream = (uv_stream_t*) &a;
  static char big[1 << 22];
  uv_buf_t much = uv_buf_init(big, sizeof(big));
  uv_shutdown_t shut;
  uv_write_t req;

  setup();
  test_fill(stream); /* Windows accepts all of a write while there is any room
                      */
  ASSERT_OK(uv_write(&req, stream, &much, 1, on_write));
  ASSERT_OK(uv_shutdown(&shut, stream, on_shutdown));
  ASSERT_ERR(UV_EAGAIN, uv_try_write(stream, &buf, 1));
  ASSERT_ERR(UV_EPIPE, uv_write(&req, stream, &buf, 1, on_write));
  test_close_loop(&loop);
  ASSERT_ERR(UV_ECANCELED, last_status);

  setup();
  ASSERT_OK(uv_shutdown(&shut, stream, on_shutdown));
  ASSERT_ERR(UV_EPIPE, uv_try_write(stream, &buf, 1));
  test_close_loop(&loop);
  return 0;
}

/* Refused in every state of the stream; nothing reads the memory. */
TEST_IMPL(stream_write_of_more_than_two_gigabytes) {
  char byte = 'x';
  uv_buf_t bufs[] = { { .base = &byte, .len = 1 },
                      { .base = &byte, .len = 0x7ffff000 } };
  uv_stream_t* stream = (uv_stream_t*) &a;
  uv_tcp_t unopened;
  uv_write_t req;

  setup();
  ASSERT_OK(uv_tcp_init(&loop, &unopened));
  ASSERT_ERR(UV_EINVAL, uv_write(&req, stream, bufs, 2, on_write));
  ASSERT_ERR(UV_EINVAL, uv_try_write(stream, bufs, 2));
  ASSERT_ERR(UV_EINVAL, uv_try_write((uv_stream_t*) &unopened, bufs, 2));
  ASSERT_EQ(0, uv_stream_get_write_queue_size(stream));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  test_close_loop(&loop);
  return 0;
}

static int stop_in_alloc_calls;

static void stop_in_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char room[16];

  (void) size;
  stop_in_alloc_calls++;
  ASSERT_OK(uv_read_stop((uv_stream_t*) handle));
  *buf = uv_buf_init(room, sizeof(room));
}

/* The data stays in the socket; the next start reads it. */
TEST_IMPL(stream_read_stopped_by_its_alloc_callback) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup();
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, stop_in_alloc, on_read));
  ASSERT_EQ(1, uv_try_write((uv_stream_t*) &b, &buf, 1));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT)); /* nothing keeps it alive */
  ASSERT_EQ(1, stop_in_alloc_calls);
  ASSERT_EQ(0, reads);
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, test_alloc, on_read));
  uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(1, reads);
  ASSERT_EQ(1, last_nread);
  test_close_loop(&loop);
  return 0;
}

/* A second read() of a blocking descriptor might block, so there is one per
 * event, even if the buffer was filled. */
TEST_IMPL(stream_read_of_a_blocking_descriptor_does_not_block) {
  uv_buf_t buf = uv_buf_init((char*) "0123456789abcdef", 16);

  setup();
  ASSERT_OK(uv_stream_set_blocking((uv_stream_t*) &a, 1));
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, alloc_small, on_read));
  ASSERT_EQ(16, uv_try_write((uv_stream_t*) &b, &buf, 1));
  while (reads == 0)
    uv_run(&loop, UV_RUN_ONCE);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_GT(last_nread, 0);
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* Two streams share a descriptor; the one that was started first is served. */
TEST_IMPL(stream_reads_beside_a_writer_of_its_descriptor) {
  uv_pipe_t writer;
  uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_os_fd_t fd;

  setup();
  ASSERT_OK(uv_fileno((uv_handle_t*) &a, &fd));
  ASSERT_OK(uv_pipe_init(&loop, &writer, 0));
  ASSERT_OK(uv_pipe_open(&writer, fd));
  ASSERT_OK(uv_read_start((uv_stream_t*) &a, test_alloc, on_read));
  test_fill((uv_stream_t*) &writer);
  ASSERT_OK(uv_write(&req, (uv_stream_t*) &writer, &buf, 1, on_write));
  ASSERT_EQ(1, uv_try_write((uv_stream_t*) &b, &buf, 1));
  while (reads == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(1, last_nread);
  ASSERT_EQ(0, callbacks);
  test_close_loop(&loop);
  ASSERT_ERR(UV_ECANCELED, last_status);
  return 0;
}
#endif
