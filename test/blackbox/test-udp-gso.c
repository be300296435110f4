/* SPDX-License-Identifier: MIT */
/* Datagrams that are sent together arrive as they were sent, whatever their
 * sizes and destinations: the kernel may get many of them in one message.
 * Method: each datagram carries its number and a pattern; the receivers check
 * number, size and pattern of each. */
#include "test.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define RECEIVERS 2
#define MANY 100

static uv_loop_t loop;
static uv_udp_t sender;
static uv_udp_t receivers[RECEIVERS];
static struct sockaddr_storage addresses[RECEIVERS];
static char data[MANY][20000];
static uv_udp_send_t reqs[MANY];

static struct {
  unsigned size;
  int receiver;
} sent[MANY];
static int sent_count;
static int sent_done;
static int next_for[RECEIVERS]; /* the lowest number that may come next */
static int received;

static void on_recv(uv_udp_t* udp,
                    ssize_t nread,
                    const uv_buf_t* buf,
                    const struct sockaddr* from,
                    unsigned flags) {
  int r = (int) (udp - receivers);

  if (nread == 0 && from == NULL)
    return;
  ASSERT_GE(nread, 0);
  ASSERT_EQ(0, flags);
  int i = next_for[r];
  while (i < sent_count && sent[i].receiver != r)
    i++;
  ASSERT_LT(i, sent_count);
  ASSERT_EQ(sent[i].size, (unsigned) nread);
  ASSERT_EQ(0, memcmp(buf->base, data[i], (size_t) nread));
  next_for[r] = i + 1;
  received++;
}

static void alloc(uv_handle_t* handle, size_t hint, uv_buf_t* buf) {
  static char room[65536];

  (void) handle;
  (void) hint;
  *buf = uv_buf_init(room, sizeof(room));
}

static void on_sent(uv_udp_send_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  sent_done++;
}

static void begin(int family) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &sender));
  for (int r = 0; r < RECEIVERS; r++) {
    struct sockaddr_storage* a = &addresses[r];
    int len = sizeof(*a);
    if (family == AF_INET)
      ASSERT_OK(uv_ip4_addr("127.0.0.1", 0, (struct sockaddr_in*) a));
    else
      ASSERT_OK(uv_ip6_addr("::1", 0, (struct sockaddr_in6*) a));
    ASSERT_OK(uv_udp_init(&loop, &receivers[r]));
    ASSERT_OK(uv_udp_bind(&receivers[r], (struct sockaddr*) a, 0));
    ASSERT_OK(uv_udp_getsockname(&receivers[r], (struct sockaddr*) a, &len));
    ASSERT_OK(uv_udp_recv_start(&receivers[r], alloc, on_recv));
  }
}

/* Fills the next datagram with its number and a pattern. */
static int fill(unsigned size, int receiver) {
  int i = sent_count++;

  ASSERT_LT(i, MANY);
  ASSERT_LE(size, sizeof(data[0]));
  for (unsigned k = 0; k < size; k++)
    data[i][k] = (char) (i + (int) k * 7);
  sent[i].size = size;
  sent[i].receiver = receiver;
  return i;
}

/* In one buffer, or in several: a request has room for four, or six, or
 * allocates. */
static void send_next(unsigned size, int receiver, int is_connected) {
  static const unsigned counts[] = { 3, 4, 5, 6, 7 };
  int i = fill(size, receiver);
  unsigned count = i % 3 == 0 ? counts[i / 3 % 5] : 1;
  unsigned cut = size / count;
  uv_buf_t bufs[7];

  for (unsigned k = 0; k < count; k++)
    bufs[k] = uv_buf_init(data[i] + k * cut, cut);
  bufs[count - 1].len = size - (count - 1) * cut;
  ASSERT_OK(uv_udp_send(
      &reqs[i], &sender, bufs, count,
      is_connected ? NULL : (struct sockaddr*) &addresses[receiver], on_sent));
}

static void expect_all(void) {
  while (received < sent_count || sent_done < sent_count)
    uv_run(&loop, UV_RUN_ONCE);
  sent_count = 0;
  sent_done = 0;
  received = 0;
  memset(next_for, 0, sizeof(next_for));
}

/* At most `count`, or as many datagrams as a receiver has room for: FreeBSD's
 * default is 42,080 bytes. */
static int fitting(int count, unsigned size) {
  int space = 0;

  ASSERT_OK(uv_recv_buffer_size((uv_handle_t*) &receivers[0], &space));
  int room = space / (int) (size + 100);
  return room < count ? room : count;
}

static void send_all_sizes(void) {
  static const unsigned sizes[] = { 1, 64, 1000, 1400, 1473, 3000, 9000 };

  for (unsigned k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
    int most = fitting(sizes[k] > 1400 ? 8 : 60, sizes[k]);
    int some = fitting(sizes[k] > 1400 ? 8 : 20, sizes[k]);
    for (int i = 0; i < most; i++) /* more than fits into one message */
      send_next(sizes[k], 0, 0);
    expect_all();
    for (int i = 0; i < some; i++) /* the sizes change */
      send_next(i % 5 == 4 ? sizes[k] / 2 : sizes[k], 0, 0);
    expect_all();
    for (int i = 0; i < some; i++) /* empty ones among them */
      send_next(i % 4 == 3 ? 0 : sizes[k], 0, 0);
    expect_all();
    for (int i = 0; i < some; i++) /* ever larger */
      send_next(sizes[k] + (unsigned) i, i % 7 > 4, 0);
    expect_all();
    for (int i = 0; i < some; i++) /* two destinations */
      send_next(sizes[k], i % 2, 0);
    expect_all();
  }
}

TEST_IMPL(udp_gso_of_any_sizes) {
  begin(AF_INET);
  send_all_sizes();
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(udp_gso_of_any_sizes6) {
  int fd = socket(AF_INET6, SOCK_DGRAM, 0);
  struct sockaddr_in6 addr;

  ASSERT_OK(uv_ip6_addr("::1", 0, &addr));
  if (fd < 0 || bind(fd, (struct sockaddr*) &addr, sizeof(addr)) != 0)
    SKIP("no address ::1");
  close(fd);
  begin(AF_INET6);
  send_all_sizes();
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(udp_gso_connected) {
  begin(AF_INET);
  ASSERT_OK(uv_udp_connect(&sender, (struct sockaddr*) &addresses[1]));
  for (int i = 0; i < MANY; i++)
    send_next(100, 1, 1);
  expect_all();
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(udp_gso_try_send2) {
  uv_buf_t bufs[MANY];
  uv_buf_t* each[MANY];
  unsigned nbufs[MANY];
  struct sockaddr* to[MANY];

  begin(AF_INET);
  for (int i = 0; i < MANY; i++) {
    fill(i == MANY / 2 ? 200 : 100, i % 10 == 9);
    bufs[i] = uv_buf_init(data[i], sent[i].size);
    each[i] = &bufs[i];
    nbufs[i] = 1;
    to[i] = (struct sockaddr*) &addresses[sent[i].receiver];
  }
  struct sockaddr_in any = test_loopback();
  ASSERT_OK(uv_udp_bind(&sender, (struct sockaddr*) &any, 0));
  for (int done = 0; done < MANY;) {
    int n = uv_udp_try_send2(&sender, (unsigned) (MANY - done), each + done,
                             nbufs + done, to + done, 0);
    ASSERT_GT(n, 0);
    done += n;
  }
  sent_done = MANY;
  expect_all();
  test_close_loop(&loop);
  return 0;
}

/* Sends `count` datagrams of these sizes with one call, which must take all. */
static void try_send_sizes(const unsigned* sizes, unsigned count) {
  uv_buf_t bufs[MANY];
  uv_buf_t* each[MANY];
  unsigned nbufs[MANY];
  struct sockaddr* to[MANY];
  int first = sent_count;

  for (unsigned i = 0; i < count; i++) {
    fill(sizes[i], 0);
    bufs[i] = uv_buf_init(data[first + (int) i], sizes[i]);
    each[i] = &bufs[i];
    nbufs[i] = 1;
    to[i] = (struct sockaddr*) &addresses[0];
  }
  ASSERT_EQ((int) count, uv_udp_try_send2(&sender, count, each, nbufs, to, 0));
  sent_done += (int) count;
  expect_all();
}

/* One call sends all of them, also where a GSO batch ends and another
 * begins. */
static void try_send_unequal_sizes(void) {
  static const unsigned three[] = { 999, 1, 9 };
  static const unsigned large[] = { 20000, 2, 5 };
  static const unsigned groups[] = { 7, 7, 7, 3, 40, 40, 41, 5, 5, 5 };
  static const unsigned falling[] = { 90, 80, 70, 60, 50, 40, 30, 20, 10 };
  static const unsigned rising[] = { 10, 20, 30, 30, 30, 40, 40, 10, 50 };

  try_send_sizes(three, sizeof(three) / sizeof(three[0]));
  try_send_sizes(large, sizeof(large) / sizeof(large[0]));
  try_send_sizes(groups, sizeof(groups) / sizeof(groups[0]));
  try_send_sizes(falling, sizeof(falling) / sizeof(falling[0]));
  try_send_sizes(rising, sizeof(rising) / sizeof(rising[0]));
}

TEST_IMPL(udp_gso_try_send2_of_unequal_sizes) {
  struct sockaddr_in any = test_loopback();

  begin(AF_INET);
  ASSERT_OK(uv_udp_bind(&sender, (struct sockaddr*) &any, 0));
  try_send_unequal_sizes();
  test_close_loop(&loop);
  return 0;
}

/* The same where the kernel refuses GSO batches. */
TEST_IMPL(udp_gso_try_send2_refused) {
#ifdef SO_NO_CHECK
  int on = 1;
  uv_os_fd_t fd;
  struct sockaddr_in any = test_loopback();

  begin(AF_INET);
  ASSERT_OK(uv_udp_bind(&sender, (struct sockaddr*) &any, 0));
  ASSERT_OK(uv_fileno((uv_handle_t*) &sender, &fd));
  ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_NO_CHECK, &on, sizeof(on)));
  try_send_unequal_sizes();
  test_close_loop(&loop);
  return 0;
#else
  SKIP("no SO_NO_CHECK");
#endif
}

/* The kernel refuses to cut messages without checksums: they are sent one by
 * one. */
TEST_IMPL(udp_gso_refused) {
#ifdef SO_NO_CHECK
  int on = 1;
  uv_os_fd_t fd;
  struct sockaddr_in any = test_loopback();

  begin(AF_INET);
  ASSERT_OK(uv_udp_bind(&sender, (struct sockaddr*) &any, 0));
  ASSERT_OK(uv_fileno((uv_handle_t*) &sender, &fd));
  ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_NO_CHECK, &on, sizeof(on)));
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < MANY; i++)
      send_next(64, 0, 0);
    expect_all();
  }
  test_close_loop(&loop);
  return 0;
#else
  SKIP("no SO_NO_CHECK");
#endif
}

/* Other datagram sockets ignore the option that cuts a message. */
TEST_IMPL(udp_gso_unix_socket) {
  struct sockaddr_un to;
  char room[sizeof(data[0])];
  int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  int out = socket(AF_UNIX, SOCK_DGRAM, 0);

  memset(&to, 0, sizeof(to));
  to.sun_family = AF_UNIX;
  snprintf(to.sun_path, sizeof(to.sun_path), "/tmp/uv-gso-%d", getpid());
  ASSERT_GE(fd, 0);
  ASSERT_GE(out, 0);
  ASSERT_EQ(0, bind(fd, (struct sockaddr*) &to, sizeof(to)));
  memcpy(&addresses[0], &to, sizeof(to));

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_udp_init(&loop, &sender));
  ASSERT_OK(uv_udp_open(&sender, out));
  for (int i = 0; i < 8; i++)
    send_next(64, 0, 0);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(8, sent_done);
  for (int i = 0; i < 8; i++) {
    ASSERT_EQ(64, recv(fd, room, sizeof(room), 0));
    ASSERT_EQ(0, memcmp(room, data[i], 64));
  }
  close(fd);
  unlink(to.sun_path);
  test_close_loop(&loop);
  return 0;
}
