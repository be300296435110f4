/* SPDX-License-Identifier: MIT */
/* Datagrams of 1,200 bytes, as QUIC sends them, 64 for each turn.
 *
 *   datagrams recv ADDRESS PORT plain|mmsg|gro|gro+mmsg
 *   datagrams send ADDRESS PORT COUNT plain|sendmmsg|gso
 *
 * The receiver writes "ready" when it is bound, and ends half a second after
 * the last datagram. Each writes a line with its processor time and rate. See
 * run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>
#include <uv/ext.h>

enum { SIZE = 1200, TURN = 64, HALF = TURN / 2 };

#define CHECK(cond) ((cond) ? (void) 0 : fail(#cond, __LINE__))

static void fail(const char* what, int line) {
  fprintf(stderr, "datagrams.c:%d: %s\n", line, what);
  exit(1);
}

static double cpu_us(void) {
  uv_rusage_t usage;

  CHECK(uv_getrusage(&usage) == 0);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
         (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static uv_loop_t* loop;
static uv_udp_t udp;

/* ---- sending ---- */

static char data[TURN * SIZE];
static uv_buf_t bufs[TURN];
static uv_buf_t* lists[TURN];
static unsigned nbufs[TURN];
static uvx_udp_send_options_t options[TURN];

/* Each returns how many datagrams it sent. */
static int turn_plain(void) {
  for (int i = 0; i < TURN; i++)
    if (uv_udp_try_send(&udp, &bufs[i], 1, NULL) < 0)
      return i;
  return TURN;
}

static int turn_sendmmsg(void) {
  int n = uv_udp_try_send2(&udp, TURN, lists, nbufs, NULL, 0);
  return n < 0 ? 0 : n;
}

/* A message has less than 64 KiB: two for a turn. */
static int turn_gso(void) {
  int n = uvx_udp_try_send(&udp, 2, lists, nbufs, NULL, options);
  CHECK(n != UV_ENOTSUP);
  return n < 0 ? 0 : n * HALF;
}

static void send_all(const char* how, long count) {
  int (*turn)(void) = turn_plain;
  unsigned size = SIZE;

  if (strcmp(how, "sendmmsg") == 0)
    turn = turn_sendmmsg;
  if (strcmp(how, "gso") == 0) {
    turn = turn_gso;
    size = HALF * SIZE;
  }
  for (unsigned i = 0; i < TURN; i++) {
    bufs[i] = uv_buf_init(data, size);
    lists[i] = &bufs[i];
    nbufs[i] = 1;
    options[i].size = sizeof(options[i]);
    options[i].flags = UVX_UDP_SEGMENT;
    options[i].segment_size = SIZE;
  }
  double cpu = cpu_us();
  uint64_t begin = uv_hrtime();
  long sent = 0;
  long refused = 0;
  while (sent < count) {
    int n = turn();
    sent += n;
    refused += n < TURN;
  }
  double ns = (double) (uv_hrtime() - begin);
  printf("sent %ld, %.0f ns of processor time each, %.0f a second, %ld turns "
         "without room\n",
         sent, (cpu_us() - cpu) * 1e3 / (double) sent, (double) sent * 1e9 / ns,
         refused);
}

/* ---- receiving ---- */

static char room[20 * 65536];
static size_t room_size = 65536;
static int is_gro;
static long received;
static long callbacks;
static struct {
  long received;
  double cpu;
  uint64_t at;
} first, last;

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle;
  (void) size;
  *buf = uv_buf_init(room, (unsigned) room_size);
}

static void on_recv(uv_udp_t* handle,
                    ssize_t nread,
                    const uv_buf_t* buf,
                    const struct sockaddr* from,
                    unsigned flags) {
  uvx_udp_recv_info_t info = { .size = sizeof(info) };

  (void) buf;
  (void) flags;
  CHECK(nread >= 0);
  if (from == NULL)
    return;
  if (is_gro)
    CHECK(uvx_udp_recv_info(handle, &info) == 0);
  if (info.segment_size != 0)
    CHECK(info.segment_size == SIZE);
  CHECK(nread % SIZE == 0);
  received += nread / SIZE;
  callbacks++;
}

/* The counts begin and end with a change. */
static void on_timer(uv_timer_t* timer) {
  uint64_t now = uv_hrtime();

  if (received != last.received) {
    last.received = received;
    last.cpu = cpu_us();
    last.at = now;
    if (first.at == 0)
      first = last;
  } else if (first.at != 0 && now - last.at > 500000000) {
    uv_close((uv_handle_t*) timer, NULL);
    uv_close((uv_handle_t*) &udp, NULL);
  }
}

static void recv_all(const char* how) {
  uv_timer_t timer;

  is_gro = strncmp(how, "gro", 3) == 0;
  if (strstr(how, "mmsg") != NULL)
    room_size = sizeof(room);
  if (is_gro)
    CHECK(uvx_udp_set_recv_info(&udp, UVX_UDP_SEGMENT) == 0);
  CHECK(uv_udp_recv_start(&udp, on_alloc, on_recv) == 0);
  CHECK(uv_timer_init(loop, &timer) == 0);
  CHECK(uv_timer_start(&timer, on_timer, 20, 20) == 0);
  puts("ready");
  fflush(stdout);
  uv_run(loop, UV_RUN_DEFAULT);
  long n = last.received - first.received;
  printf("received %ld, %.0f ns of processor time each, %.0f a second, %.1f "
         "for each callback\n",
         received, (last.cpu - first.cpu) * 1e3 / (double) n,
         (double) n * 1e9 / (double) (last.at - first.at),
         (double) received / (double) callbacks);
}

int main(int argc, char** argv) {
  struct sockaddr_in addr;
  unsigned flags = AF_INET;
  int size = 4 << 20;

  CHECK(argc >= 5);
  int is_receiver = strcmp(argv[1], "recv") == 0;
  if (is_receiver && strstr(argv[4], "mmsg") != NULL)
    flags |= UV_UDP_RECVMMSG;
  loop = uv_default_loop();
  CHECK(uv_ip4_addr(argv[2], atoi(argv[3]), &addr) == 0);
  CHECK(uv_udp_init_ex(loop, &udp, flags) == 0);
  if (is_receiver) {
    CHECK(uv_recv_buffer_size((uv_handle_t*) &udp, &size) == 0);
    CHECK(uv_udp_bind(&udp, (struct sockaddr*) &addr, 0) == 0);
    recv_all(argv[4]);
  } else {
    CHECK(argc == 6);
    CHECK(uv_udp_connect(&udp, (struct sockaddr*) &addr) == 0);
    send_all(argv[5], atol(argv[4]));
  }
  return 0;
}
