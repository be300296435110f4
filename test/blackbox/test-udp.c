/* SPDX-License-Identifier: MIT */
/* UDP handles: behaviour 45-49 of docs/internals/behaviour.md, the queue
 * counters, uv_udp_open_ex, and the recvmmsg rules of GHSA-r846-fxvr-f3rx. */
#include "test.h"

#if TEST_POSIX
# include <sys/socket.h>
#endif

static uv_loop_t loop;
static uv_udp_t receiver;
static uv_udp_t sender;
static struct sockaddr_in addr;

static void setup(unsigned flags) {
  addr = test_loopback();
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init_ex(&loop, &receiver, AF_INET | flags));
  ASSERT_OK(uv_udp_init(&loop, &sender));
  ASSERT_OK(uv_udp_bind(&receiver, (struct sockaddr*) &addr, 0));
  addr = test_udp_address(&receiver);
}

static int sends;

static void on_send(uv_udp_send_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  sends++;
}

/* The counters drop when the callback runs, not earlier. */
TEST_IMPL(udp_send_queue_counters) {
  uv_udp_send_t reqs[5];
  uv_buf_t buf = uv_buf_init((char*) "abc", 3);

  setup(0);
  ASSERT_EQ(0, uv_udp_get_send_queue_size(&sender));
  ASSERT_EQ(0, uv_udp_get_send_queue_count(&sender));
  for (unsigned i = 0; i < 5; i++) {
    ASSERT_OK(uv_udp_send(&reqs[i], &sender, &buf, 1, (struct sockaddr*) &addr,
                          on_send));
    ASSERT_EQ(i + 1, uv_udp_get_send_queue_count(&sender));
    /* Windows counts only what waits in the system. */
    ASSERT_EQ(TEST_POSIX ? 3 * (i + 1) : 0,
              uv_udp_get_send_queue_size(&sender));
  }
  ASSERT_EQ(0, sends);
  ASSERT_ERR(UV_EAGAIN,
             uv_udp_try_send(&sender, &buf, 1, (struct sockaddr*) &addr));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(5, sends);
  ASSERT_EQ(0, uv_udp_get_send_queue_size(&sender));
  ASSERT_EQ(0, uv_udp_get_send_queue_count(&sender));
  ASSERT_EQ(3, uv_udp_try_send(&sender, &buf, 1, (struct sockaddr*) &addr));
  test_close_loop(&loop);
  return 0;
}

static int datagrams;
static int drained;
static int empties;
static int errors;
static int last_error;
static int frees;

static void on_recv(uv_udp_t* handle,
                    ssize_t nread,
                    const uv_buf_t* buf,
                    const struct sockaddr* from,
                    unsigned flags) {
  (void) handle;
  (void) buf;
  if (flags & UV_UDP_MMSG_FREE) {
    frees++;
    ASSERT_EQ(0, nread);
    ASSERT_NULL(from);
    return;
  }
  if (nread < 0) {
    errors++;
    last_error = (int) nread;
  } else if (nread > 0) {
    datagrams++;
  } else if (from != NULL) {
    empties++;
  } else {
    drained++;
  }
}

TEST_IMPL(udp_empty_datagram_and_drained) {
  uv_buf_t buf = uv_buf_init((char*) "", 0);

  setup(0);
  ASSERT_OK(uv_udp_recv_start(&receiver, test_alloc, on_recv));
  ASSERT_ERR(UV_EALREADY, uv_udp_recv_start(&receiver, test_alloc, on_recv));
  ASSERT_EQ(0, uv_udp_try_send(&sender, &buf, 1, (struct sockaddr*) &addr));
  while (empties == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(1, empties);
  ASSERT_EQ(1, drained);
  ASSERT_EQ(0, datagrams);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(udp_try_send_rules) {
  uv_udp_send_t req;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup(0);
  ASSERT_ERR(UV_EDESTADDRREQ, uv_udp_try_send(&sender, &buf, 1, NULL));
  ASSERT_ERR(UV_EINVAL,
             uv_udp_try_send(&sender, &buf, 0, (struct sockaddr*) &addr));
  ASSERT_OK(uv_udp_connect(&sender, (struct sockaddr*) &addr));
  ASSERT_ERR(UV_EISCONN,
             uv_udp_try_send(&sender, &buf, 1, (struct sockaddr*) &addr));
  /* The address is checked before the buffers. */
  ASSERT_ERR(UV_EISCONN,
             uv_udp_try_send(&sender, &buf, 0, (struct sockaddr*) &addr));
  ASSERT_ERR(UV_EISCONN, uv_udp_send(&req, &sender, &buf, 0,
                                     (struct sockaddr*) &addr, on_send));
  ASSERT_ERR(UV_EINVAL, uv_udp_send(&req, &sender, &buf, 0, NULL, on_send));
  ASSERT_EQ(1, uv_udp_try_send(&sender, &buf, 1, NULL));
  ASSERT_OK(uv_udp_connect(&sender, NULL));
  ASSERT_ERR(UV_EDESTADDRREQ, uv_udp_try_send(&sender, &buf, 0, NULL));
  ASSERT_ERR(UV_EDESTADDRREQ,
             uv_udp_send(&req, &sender, &buf, 0, NULL, on_send));
  ASSERT_ERR(UV_EDESTADDRREQ, uv_udp_try_send(&sender, &buf, 1, NULL));
  test_close_loop(&loop);
  return 0;
}

/* The limit of all writes (see stream_write_of_more_than_two_gigabytes). */
TEST_IMPL(udp_send_of_more_than_two_gigabytes) {
  static char byte = 'x';
  uv_buf_t bufs[] = { { .base = &byte, .len = 1 },
                      { .base = &byte, .len = 0x7ffff000 } };
  uv_buf_t* both[] = { &bufs[0], &bufs[0] };
  unsigned int counts[] = { 1, 2 };
  struct sockaddr_in addr = test_loopback();
  struct sockaddr* addrs[] = { (struct sockaddr*) &addr,
                               (struct sockaddr*) &addr };
  uv_udp_t udp;
  uv_udp_send_t req;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_bind(&udp, addrs[0], 0));
  addr = test_udp_address(&udp);
  ASSERT_ERR(UV_EINVAL, uv_udp_send(&req, &udp, bufs, 2, addrs[0], NULL));
  ASSERT_ERR(UV_EINVAL, uv_udp_try_send(&udp, bufs, 2, addrs[0]));
  ASSERT_ERR(UV_EDESTADDRREQ, uv_udp_try_send(&udp, bufs, 2, NULL));
  /* Not even the first one is sent. */
  ASSERT_ERR(UV_EINVAL, uv_udp_try_send2(&udp, 2, both, counts, addrs, 0));
  ASSERT_EQ(0, uv_udp_get_send_queue_count(&udp));
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(udp_try_send2_many) {
  enum { N = 50 };
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_buf_t* bufs[N];
  unsigned nbufs[N];
  struct sockaddr* addrs[N];

  setup(0);
  for (int i = 0; i < N; i++) {
    bufs[i] = &buf;
    nbufs[i] = 1;
    addrs[i] = (struct sockaddr*) &addr;
  }
  /* Not before it has a socket. */
  ASSERT_ERR(UV_EINVAL, uv_udp_try_send2(&sender, N, bufs, nbufs, addrs, 0));
  struct sockaddr_in any = test_loopback();
  ASSERT_OK(uv_udp_bind(&sender, (struct sockaddr*) &any, 0));
  ASSERT_ERR(UV_EINVAL, uv_udp_try_send2(&sender, 0, bufs, nbufs, addrs, 0));
  ASSERT_ERR(UV_EINVAL, uv_udp_try_send2(&sender, N, bufs, nbufs, addrs, 1));
  ASSERT_EQ(N, uv_udp_try_send2(&sender, N, bufs, nbufs, addrs, 0));
  ASSERT_OK(uv_udp_recv_start(&receiver, test_alloc, on_recv));
  while (datagrams < N)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(N, datagrams);
  test_close_loop(&loop);
  return 0;
}

static int option_of(uv_udp_t* udp, int name) {
  int value = -1;
  socklen_t len = sizeof(value);
  uv_os_fd_t fd;

  ASSERT_OK(uv_fileno((uv_handle_t*) udp, &fd));
  ASSERT_EQ(
      0, getsockopt((uv_os_sock_t) fd, SOL_SOCKET, name, (void*) &value, &len));
  return value;
}

/* The BSDs and macOS use another option. */
static int is_reusing(uv_udp_t* udp) {
  int value = option_of(udp, SO_REUSEADDR);
#ifdef SO_REUSEPORT
  value |= option_of(udp, SO_REUSEPORT);
#endif
  return value;
}

TEST_IMPL(udp_open_ex_flags) {
  uv_udp_t udp;
  uv_os_sock_t fds[4];

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 4; i++) {
    fds[i] = socket(AF_INET, SOCK_DGRAM, 0);
    ASSERT_NE((uv_os_sock_t) -1, fds[i]);
  }
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_ERR(UV_EINVAL, uv_udp_open_ex(&udp, fds[0], UV_UDP_IPV6ONLY));
  ASSERT_ERR(UV_EINVAL, uv_udp_open_ex(&udp, fds[0], 1u << 30));
  ASSERT_OK(uv_udp_open_ex(&udp, fds[0], 0)); /* a refused open took nothing */
  ASSERT_EQ(0, is_reusing(&udp));
  ASSERT_ERR(UV_EBUSY, uv_udp_open_ex(&udp, fds[1], 0));
  uv_close((uv_handle_t*) &udp, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);

  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_open_ex(&udp, fds[1], UV_UDP_REUSEADDR));
  ASSERT_NE(0, is_reusing(&udp));
  uv_close((uv_handle_t*) &udp, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);

  /* The plain function always requests it. */
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_open(&udp, fds[2]));
  ASSERT_NE(0, is_reusing(&udp));
  uv_close((uv_handle_t*) &udp, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);

  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_ERR(TEST_NO_SOCKET, uv_udp_open_ex(&udp, 999, UV_UDP_REUSEADDR));
  test_close_socket(fds[3]);
  test_close_loop(&loop);
  return 0;
}

static char slab[20 * 65536];
static size_t slab_size;

static void alloc_slab(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(slab, (unsigned) slab_size);
}

static void send_datagrams(int n) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  for (int i = 0; i < n; i++)
    ASSERT_EQ(1, uv_udp_try_send(&sender, &buf, 1, (struct sockaddr*) &addr));
}

/* Too small for one chunk: one error, however many datagrams wait. */
static void on_small(uv_udp_t* handle,
                     ssize_t nread,
                     const uv_buf_t* buf,
                     const struct sockaddr* from,
                     unsigned flags) {
  on_recv(handle, nread, buf, from, flags);
  if (nread == UV_EINVAL)
    ASSERT_OK(uv_udp_recv_stop(handle));
}

TEST_IMPL(udp_recvmmsg_buffer_too_small) {
  setup(UV_UDP_RECVMMSG);
  if (!uv_udp_using_recvmmsg(&receiver))
    SKIP("recvmmsg is not in use on this system");
  slab_size = 64;
  send_datagrams(3);
  ASSERT_OK(uv_udp_recv_start(&receiver, alloc_slab, on_small));
  uv_run(&loop, UV_RUN_ONCE);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, errors);
  ASSERT_ERR(UV_EINVAL, last_error);
  ASSERT_EQ(0, datagrams);
  test_close_loop(&loop);
  return 0;
}

static int stop_after;
static int close_after;

static void on_batch(uv_udp_t* handle,
                     ssize_t nread,
                     const uv_buf_t* buf,
                     const struct sockaddr* from,
                     unsigned flags) {
  on_recv(handle, nread, buf, from, flags);
  if (datagrams == stop_after && nread > 0)
    uv_udp_recv_stop(handle);
  if (datagrams == close_after && nread > 0)
    uv_close((uv_handle_t*) handle, NULL);
}

/* The buffer is returned once, even to a handle that is closed in the middle of
 * a batch, which gets all of it. A program that stops receiving owns the buffer
 * again, and is not called again. */
TEST_IMPL(udp_recvmmsg_one_terminal_callback) {
  for (int how = 0; how < 3; how++) {
    datagrams = drained = frees = errors = 0;
    stop_after = how == 1 ? 2 : -1;
    close_after = how == 2 ? 2 : -1;
    setup(UV_UDP_RECVMMSG);
    if (!uv_udp_using_recvmmsg(&receiver))
      SKIP("recvmmsg is not in use on this system");
    slab_size = sizeof(slab);
    send_datagrams(6);
    ASSERT_OK(uv_udp_recv_start(&receiver, alloc_slab, on_batch));
    uv_run(&loop, UV_RUN_ONCE);
    ASSERT_EQ(how == 1 ? 2 : 6, datagrams);
    ASSERT_EQ(how == 1 ? 0 : 1, frees);
    ASSERT_EQ(0, errors);
    test_close_loop(&loop);
    ASSERT_EQ(how == 1 ? 0 : 1, frees);
  }
  return 0;
}

/* Closing in a send callback with more sends queued (a use after free in libuv
 * before 1.49). */
static int cancelled;

static void count_cancelled(uv_udp_send_t* req, int status) {
  (void) req;
  if (status == UV_ECANCELED) {
    cancelled++;
  } else {
    ASSERT_OK(status);
    sends++;
  }
}

static void close_in_send(uv_udp_send_t* req, int status) {
  count_cancelled(req, status);
  if (!uv_is_closing((uv_handle_t*) req->handle))
    uv_close((uv_handle_t*) req->handle, NULL);
  free(req);
}

TEST_IMPL(udp_close_in_send_callback) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup(0);
  for (int i = 0; i < 60; i++) {
    uv_udp_send_t* req = malloc(sizeof(*req));
    ASSERT_NOT_NULL(req);
    ASSERT_OK(uv_udp_send(req, &sender, &buf, 1, (struct sockaddr*) &addr,
                          close_in_send));
  }
  while (sends + cancelled < 60)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_GE(sends, 1);
  test_close_loop(&loop);
  return 0;
}

/* The first is sent; what was collected behind it is not. */
TEST_IMPL(udp_close_cancels_what_is_queued) {
  uv_udp_send_t reqs[45];
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup(0);
  for (unsigned i = 0; i < ARRAY_SIZE(reqs); i++)
    ASSERT_OK(uv_udp_send(&reqs[i], &sender, &buf, 1, (struct sockaddr*) &addr,
                          count_cancelled));
  uv_close((uv_handle_t*) &sender, NULL);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, sends);
  ASSERT_EQ(44, cancelled);
  ASSERT_OK(uv_udp_recv_start(&receiver, test_alloc, on_recv));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, datagrams);
  test_close_loop(&loop);
  return 0;
}

static void send_another(uv_udp_send_t* req, int status) {
  static uv_udp_send_t another;
  uv_buf_t buf = uv_buf_init((char*) "2", 1);

  on_send(req, status);
  ASSERT_OK(uv_udp_send(&another, &sender, &buf, 1, (struct sockaddr*) &addr,
                        on_send));
}

/* What a send callback sends waits for the poll phase, after receiving. */
TEST_IMPL(udp_send_in_send_callback_waits_for_the_poll) {
  uv_udp_send_t req;
  uv_buf_t buf = uv_buf_init((char*) "1", 1);

  setup(0);
  ASSERT_OK(uv_udp_recv_start(&receiver, test_alloc, on_recv));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_OK(uv_udp_send(&req, &sender, &buf, 1, (struct sockaddr*) &addr,
                        send_another));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(2, sends);
  ASSERT_EQ(1, datagrams);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(2, datagrams);
  test_close_loop(&loop);
  return 0;
}

/* Sends that are out, with callbacks due, do not keep the handle active;
 * waiting ones do. */
TEST_IMPL(udp_recv_stop_beside_sends) {
  uv_udp_send_t reqs[2];
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup(0);
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_udp_send(&reqs[i], &sender, &buf, 1, (struct sockaddr*) &addr,
                          on_send));
    ASSERT_OK(uv_udp_recv_stop(&sender));
    ASSERT_EQ(i, uv_is_active((uv_handle_t*) &sender));
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, sends);
  test_close_loop(&loop);
  return 0;
}

static int stop_in_alloc_calls;
static int stop_in_alloc_gives;

static void stop_in_alloc(uv_handle_t* handle, size_t hint, uv_buf_t* buf) {
  static char room[128 * 1024];

  (void) hint;
  stop_in_alloc_calls++;
  ASSERT_OK(uv_udp_recv_stop((uv_udp_t*) handle));
  *buf = stop_in_alloc_gives ? uv_buf_init(room, sizeof(room))
                             : uv_buf_init(NULL, 0);
}

/* The datagram stays in the socket; the next start receives it. Issue 29. */
static void check_stop_in_alloc(unsigned int flags, int gives) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);

  setup(flags);
  stop_in_alloc_gives = gives;
  stop_in_alloc_calls = 0;
  datagrams = 0;
  ASSERT_OK(uv_udp_recv_start(&receiver, stop_in_alloc, on_recv));
  ASSERT_EQ(1, uv_udp_try_send(&sender, &buf, 1, (struct sockaddr*) &addr));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT)); /* nothing keeps it alive */
  ASSERT_EQ(1, stop_in_alloc_calls);
  ASSERT_EQ(0, datagrams);
  ASSERT_OK(uv_udp_recv_start(&receiver, test_alloc, on_recv));
  while (datagrams == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(1, datagrams);
  ASSERT_OK(uv_udp_recv_stop(&receiver));
  test_close_loop(&loop);
}

TEST_IMPL(udp_recv_stopped_by_its_alloc_callback) {
  check_stop_in_alloc(0, 1);
  check_stop_in_alloc(0, 0);
  return 0;
}

TEST_IMPL(udp_recvmmsg_stopped_by_its_alloc_callback) {
  check_stop_in_alloc(UV_UDP_RECVMMSG, 1);
  check_stop_in_alloc(UV_UDP_RECVMMSG, 0);
  return 0;
}

static int statuses[3];

static void note_status(uv_udp_send_t* req, int status) {
  statuses[sends++] = status;
  (void) req;
}

static int sends_before_poll;

static void note_sends(uv_prepare_t* handle) {
  (void) handle;
  sends_before_poll = sends;
}

/* What is queued behind a failing datagram waits for the poll phase. */
TEST_IMPL(udp_send_error_ends_the_turn) {
  static char big[70000];
  uv_prepare_t prepare;
  uv_udp_send_t reqs[3];

  setup(0);
  ASSERT_OK(uv_prepare_init(&loop, &prepare));
  ASSERT_OK(uv_prepare_start(&prepare, note_sends));
  for (int i = 0; i < 3; i++) {
    uv_buf_t buf = uv_buf_init(big, i == 1 ? sizeof(big) : 1);
    ASSERT_OK(uv_udp_send(&reqs[i], &sender, &buf, 1, (struct sockaddr*) &addr,
                          note_status));
  }
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(2, sends_before_poll);
  ASSERT_EQ(3, sends);
  ASSERT_OK(statuses[0]);
  ASSERT_ERR(UV_EMSGSIZE, statuses[1]);
  ASSERT_OK(statuses[2]);
  test_close_loop(&loop);
  return 0;
}

/* libuv takes a byte, whatever the system's option is. */
TEST_IMPL(udp_multicast_loop_range) {
  setup(0);
  ASSERT_ERR(UV_EINVAL, uv_udp_set_multicast_loop(&receiver, -1));
  ASSERT_ERR(UV_EINVAL, uv_udp_set_multicast_loop(&receiver, 256));
  ASSERT_OK(uv_udp_set_multicast_loop(&receiver, 255));
  ASSERT_OK(uv_udp_set_multicast_loop(&receiver, 0));
  test_close_loop(&loop);
  return 0;
}
