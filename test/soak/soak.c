/* SPDX-License-Identifier: MIT */
/* soak [--seconds N] [--connections N]
 *
 * A server and many clients in one loop, for as long as asked. Every client
 * sends a stream of bytes that can be predicted and reads its echo, with random
 * sizes, pauses, half-closes, resets and reconnects; beside it files are
 * written and read back, names resolved (numeric), children run and timers
 * kept. Then everything is shut down.
 *
 * Counted: bytes that an orderly conversation did not get back, in order and
 * unchanged (0); callbacks owed at the end (0); memory of the library and
 * descriptors, which must not grow between the first and the last third; how
 * late a timer of 10 ms runs.
 */
#include "uv.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define REQUIRE(cond) ((cond) ? (void) 0 : fail(__LINE__, #cond))

/* One connection is accepted per server and round of the loop, so that many are
 * needed for thousands of conversations at a time. */
enum {
  SERVERS = 64,
  CHUNK_MAX = 8192,
  LAGS = 1 << 16,
  TICK_MS = 10,
  PAUSE_MS = 600, /* at most, between two sends */
  SAMPLE_MS = 500,
  SAMPLES_MAX = 8192,
};

/* How a conversation ends. */
enum ending { HALF_CLOSE, RESET, CLOSE_EARLY };

struct client {
  uv_tcp_t tcp;
  uv_timer_t pause;
  uv_connect_t connect;
  uv_write_t write;
  uv_shutdown_t shutdown;
  char out[CHUNK_MAX];
  uint32_t seed;
  uint32_t sent;
  uint32_t got;
  uint32_t goal;
  enum ending ending;
  int open;    /* handles that are not closed */
  int writing; /* c->write is in use */
  int stalled; /* reading is off for a while */
};

struct peer {
  uv_tcp_t tcp;
  uv_shutdown_t shutdown;
};

struct echo {
  uv_write_t req;
  unsigned len;
  char bytes[];
};

static uv_loop_t loop;
static uv_tcp_t servers[SERVERS];
static struct sockaddr_in server_addrs[SERVERS];
static struct client* clients;
static int nclients = 1000;
static int seconds = 10;
static int ending_all;

static atomic_llong blocks;
static long long bytes_echoed;
static long long conversations;
static long long orderly;
static long long resets;
static long long lost;
static long long owed;
static long long files;
static long long names;
static long long children;
static uint32_t lags[LAGS]; /* in us */
static size_t nlags;
static long long block_samples[SAMPLES_MAX];
static int fd_samples[SAMPLES_MAX];
static int nsamples;

_Noreturn static void fail(int line, const char* what) {
  fprintf(stderr, "soak.c:%d: %s\n", line, what);
  fflush(NULL);
  _exit(1);
}

static uint32_t state = 12345;

static uint32_t draw(uint32_t below) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % below;
}

static char byte_at(uint32_t seed, uint32_t i) {
  return (char) (seed + i * 31 + (i >> 8));
}

/* ---------------------------------------------------------------------------
 * The server: an echo that ends when the other side does. */

static void on_peer_closed(uv_handle_t* h) {
  free(h->data);
}

static void close_peer(struct peer* peer) {
  if (!uv_is_closing((uv_handle_t*) &peer->tcp))
    uv_close((uv_handle_t*) &peer->tcp, on_peer_closed);
}

static void on_peer_shutdown(uv_shutdown_t* req, int status) {
  (void) status;
  owed--;
  close_peer(req->handle->data);
}

static void on_echo(uv_write_t* req, int status) {
  struct echo* echo = req->data;
  owed--;
  if (status == 0)
    bytes_echoed += echo->len;
  else
    close_peer(req->handle->data);
  free(echo);
}

static void on_alloc(uv_handle_t* h, size_t size, uv_buf_t* buf) {
  static char space[65536];
  (void) h;
  (void) size;
  *buf = uv_buf_init(space, 1 + draw(sizeof(space)));
}

static void on_peer_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  struct peer* peer = s->data;

  if (n == 0)
    return;
  if (n < 0) {
    if (n == UV_EOF &&
        uv_shutdown(&peer->shutdown, s, on_peer_shutdown) == 0)
      owed++;
    else
      close_peer(peer);
    return;
  }
  struct echo* echo = malloc(sizeof(*echo) + (size_t) n);
  REQUIRE(echo != NULL);
  echo->len = (unsigned) n;
  echo->req.data = echo;
  memcpy(echo->bytes, buf->base, (size_t) n);
  uv_buf_t out = uv_buf_init(echo->bytes, (unsigned) n);
  if (uv_write(&echo->req, s, &out, 1, on_echo) == 0) {
    owed++;
  } else {
    free(echo);
    close_peer(peer);
  }
}

static void on_connection(uv_stream_t* s, int status) {
  if (status != 0)
    return;
  struct peer* peer = malloc(sizeof(*peer));
  REQUIRE(peer != NULL);
  REQUIRE(uv_tcp_init(&loop, &peer->tcp) == 0);
  peer->tcp.data = peer;
  if (uv_accept(s, (uv_stream_t*) &peer->tcp) != 0) {
    close_peer(peer);
    return;
  }
  REQUIRE(uv_read_start((uv_stream_t*) &peer->tcp, on_alloc, on_peer_read) ==
          0);
}

/* ---------------------------------------------------------------------------
 * The clients. */

static void converse(struct client* c);

static void on_client_closed(uv_handle_t* h) {
  struct client* c = h->data;
  conversations++;
  c->open--;
  if (!ending_all) {
    converse(c);
  } else if (!uv_is_closing((uv_handle_t*) &c->pause)) {
    uv_close((uv_handle_t*) &c->pause, NULL);
  }
}

static void close_client(struct client* c) {
  uv_timer_stop(&c->pause);
  if (!uv_is_closing((uv_handle_t*) &c->tcp))
    uv_close((uv_handle_t*) &c->tcp, on_client_closed);
}

static void on_pause(uv_timer_t* timer);

static void on_client_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  struct client* c = s->data;

  for (ssize_t i = 0; i < n; i++)
    REQUIRE(buf->base[i] == byte_at(c->seed, c->got++));
  if (n > 0 && draw(64) == 0 && !c->stalled) {
    c->stalled = 1;
    REQUIRE(uv_read_stop(s) == 0);
    if (!uv_is_active((uv_handle_t*) &c->pause))
      REQUIRE(uv_timer_start(&c->pause, on_pause, draw(PAUSE_MS), 0) == 0);
  }
  if (n >= 0)
    return;
  if (n == UV_EOF && c->ending == HALF_CLOSE) {
    lost += c->sent - c->got;
    orderly++;
  }
  close_client(c);
}

static void on_client_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  (void) status;
  owed--;
}

static void on_reset(uv_handle_t* h) {
  resets++;
  on_client_closed(h);
}

static void finish(struct client* c) {
  uv_stream_t* stream = (uv_stream_t*) &c->tcp;

  switch (c->ending) {
  case HALF_CLOSE:
    if (uv_shutdown(&c->shutdown, stream, on_client_shutdown) == 0)
      owed++;
    else
      close_client(c);
    break;
  case RESET:
    uv_timer_stop(&c->pause);
    if (uv_tcp_close_reset(&c->tcp, on_reset) != 0)
      close_client(c);
    break;
  case CLOSE_EARLY:
    close_client(c);
    break;
  }
}

static void send_some(struct client* c);

static void on_pause(uv_timer_t* timer) {
  struct client* c = timer->data;

  if (uv_is_closing((uv_handle_t*) &c->tcp))
    return;
  if (c->stalled) {
    c->stalled = 0;
    (void) uv_read_start((uv_stream_t*) &c->tcp, on_alloc, on_client_read);
  }
  if (c->sent < c->goal && !c->writing)
    send_some(c);
}

static void on_client_write(uv_write_t* req, int status) {
  struct client* c = req->handle->data;

  owed--;
  c->writing = 0;
  if (status != 0) {
    close_client(c);
    return;
  }
  if (uv_is_closing((uv_handle_t*) &c->tcp))
    return;
  if (c->sent < c->goal && !ending_all) {
    REQUIRE(uv_timer_start(&c->pause, on_pause, draw(PAUSE_MS), 0) == 0);
    return;
  }
  c->goal = 0; /* that was all */
  finish(c);
}

static void send_some(struct client* c) {
  uint32_t n = 1 + draw(CHUNK_MAX);
  uv_buf_t bufs[2];

  for (uint32_t i = 0; i < n; i++)
    c->out[i] = byte_at(c->seed, c->sent + i);
  c->sent += n;
  bufs[0] = uv_buf_init(c->out, n / 2);
  bufs[1] = uv_buf_init(c->out + n / 2, n - n / 2);
  if (uv_write(&c->write, (uv_stream_t*) &c->tcp, bufs, 2, on_client_write) ==
      0) {
    owed++;
    c->writing = 1;
  } else {
    close_client(c);
  }
}

static void on_connect(uv_connect_t* req, int status) {
  struct client* c = req->handle->data;

  owed--;
  if (status != 0 ||
      uv_read_start(req->handle, on_alloc, on_client_read) != 0) {
    close_client(c);
    return;
  }
  send_some(c);
}

static void converse(struct client* c) {
  static const enum ending endings[] = { HALF_CLOSE, HALF_CLOSE, HALF_CLOSE,
                                         RESET, CLOSE_EARLY };

  c->seed = draw(1u << 30);
  c->sent = 0;
  c->got = 0;
  c->goal = draw(40000);
  c->stalled = 0;
  c->writing = 0;
  c->ending = endings[draw(5)];
  c->tcp.data = c;
  REQUIRE(uv_tcp_init(&loop, &c->tcp) == 0);
  c->open++;
  struct sockaddr_in* addr = &server_addrs[draw(SERVERS)];
  if (uv_tcp_connect(&c->connect, &c->tcp, (struct sockaddr*) addr,
                     on_connect) == 0)
    owed++;
  else
    close_client(c);
}

/* ---------------------------------------------------------------------------
 * Beside it: files, names, children. Each starts again when it is done. */

static uv_fs_t fs_req;
static uv_file fs_file;
static char fs_out[4096];
static char fs_in[4096];

static void file_open(void);

static void on_file_closed(uv_fs_t* req) {
  owed--;
  uv_fs_req_cleanup(req);
  files++;
  if (!ending_all)
    file_open();
}

static void on_file_read(uv_fs_t* req) {
  owed--;
  REQUIRE(req->result == (ssize_t) sizeof(fs_in));
  REQUIRE(memcmp(fs_in, fs_out, sizeof(fs_in)) == 0);
  uv_fs_req_cleanup(req);
  REQUIRE(uv_fs_close(&loop, &fs_req, fs_file, on_file_closed) == 0);
  owed++;
}

static void on_file_written(uv_fs_t* req) {
  uv_buf_t buf = uv_buf_init(fs_in, sizeof(fs_in));
  owed--;
  REQUIRE(req->result == (ssize_t) sizeof(fs_out));
  uv_fs_req_cleanup(req);
  REQUIRE(uv_fs_read(&loop, &fs_req, fs_file, &buf, 1, 0, on_file_read) == 0);
  owed++;
}

static void on_file_open(uv_fs_t* req) {
  uv_buf_t buf = uv_buf_init(fs_out, sizeof(fs_out));
  owed--;
  REQUIRE(req->result >= 0);
  fs_file = (uv_file) req->result;
  uv_fs_req_cleanup(req);
  memset(fs_out, (int) draw(256), sizeof(fs_out));
  REQUIRE(uv_fs_write(&loop, &fs_req, fs_file, &buf, 1, 0, on_file_written) ==
          0);
  owed++;
}

static void file_open(void) {
  REQUIRE(uv_fs_open(&loop, &fs_req, "soak.data",
                     UV_FS_O_CREAT | UV_FS_O_RDWR, 0600, on_file_open) == 0);
  owed++;
}

static uv_getaddrinfo_t name_req;

static void name_ask(void);

static void on_name(uv_getaddrinfo_t* req, int status, struct addrinfo* list) {
  (void) req;
  owed--;
  REQUIRE(status == 0);
  uv_freeaddrinfo(list);
  names++;
  if (!ending_all)
    name_ask();
}

static void name_ask(void) {
  struct addrinfo hints;
  memset(&hints, 0, sizeof(hints));
  hints.ai_flags = AI_NUMERICHOST;
  REQUIRE(uv_getaddrinfo(&loop, &name_req, on_name, "127.0.0.1", NULL,
                         &hints) == 0);
  owed++;
}

static uv_process_t process;

static void child_start(void);

static void on_child_closed(uv_handle_t* h) {
  (void) h;
  if (!ending_all)
    child_start();
}

static void on_child(uv_process_t* p, int64_t status, int signum) {
  owed--;
  REQUIRE(status == 0 && signum == 0);
  children++;
  uv_close((uv_handle_t*) p, on_child_closed);
}

static void child_start(void) {
  static char* args[] = { (char*) "true", NULL };
  uv_process_options_t options;

  memset(&options, 0, sizeof(options));
  options.file = args[0];
  options.args = args;
  options.exit_cb = on_child;
  REQUIRE(uv_spawn(&loop, &process, &options) == 0);
  owed++;
}

/* ---------------------------------------------------------------------------
 * Measuring. */

static void* soak_malloc(size_t size) {
  atomic_fetch_add(&blocks, 1);
  return malloc(size);
}

static void* soak_calloc(size_t count, size_t size) {
  atomic_fetch_add(&blocks, 1);
  return calloc(count, size);
}

static void* soak_realloc(void* ptr, size_t size) {
  if (ptr == NULL)
    atomic_fetch_add(&blocks, 1);
  return realloc(ptr, size);
}

static void soak_free(void* ptr) {
  if (ptr != NULL)
    atomic_fetch_sub(&blocks, 1);
  free(ptr);
}

static int count_fds(void) {
  DIR* dir = opendir("/proc/self/fd");
  int count = -3; /* ".", ".." and this one */
  REQUIRE(dir != NULL);
  while (readdir(dir) != NULL)
    count++;
  closedir(dir);
  return count;
}

static void on_sample(uv_timer_t* timer) {
  (void) timer;
  if (nsamples == SAMPLES_MAX)
    return;
  block_samples[nsamples] = blocks;
  fd_samples[nsamples++] = count_fds();
}

static uint64_t tick_due;

static void on_tick(uv_timer_t* timer) {
  uint64_t now = uv_hrtime();

  if (now > tick_due && nlags < LAGS)
    lags[nlags++] = (uint32_t) ((now - tick_due) / 1000);
  tick_due = uv_now(&loop) * 1000000 + TICK_MS * 1000000ull;
  REQUIRE(uv_timer_start(timer, on_tick, TICK_MS, 0) == 0);
}

static uv_timer_t tick_timer;
static uv_timer_t sample_timer;

static void on_the_end(uv_timer_t* timer) {
  ending_all = 1;
  uv_close((uv_handle_t*) timer, NULL);
  uv_close((uv_handle_t*) &tick_timer, NULL);
  uv_close((uv_handle_t*) &sample_timer, NULL);
  for (int i = 0; i < SERVERS; i++)
    uv_close((uv_handle_t*) &servers[i], NULL);
}

static int compare(const void* a, const void* b) {
  uint32_t x = *(const uint32_t*) a;
  uint32_t y = *(const uint32_t*) b;
  return x < y ? -1 : x > y;
}

/* The most in a range of samples. */
static long long most(int from, int to, int of_fds) {
  long long max = 0;
  for (int i = from; i < to; i++) {
    long long v = of_fds ? fd_samples[i] : block_samples[i];
    max = v > max ? v : max;
  }
  return max;
}

static int check(const char* what, int ok) {
  printf("%s %s\n", ok ? "ok" : "not ok", what);
  return ok ? 0 : 1;
}

static int report(int fds_before, long long blocks_before) {
  char text[128];
  int third = nsamples / 3;
  int failed = 0;
  int total = 5;

  qsort(lags, nlags, sizeof(lags[0]), compare);
  printf("# %lld bytes echoed in %lld conversations, %lld of them to their "
         "end, %lld reset\n",
         bytes_echoed, conversations, orderly, resets);
  printf("# %lld files, %lld names, %lld children\n", files, names, children);
  if (nlags > 0)
    printf("# lag of a 10 ms timer: median %.2f ms, p99 %.2f ms, max %.2f ms\n",
           lags[nlags / 2] / 1e3, lags[nlags * 99 / 100] / 1e3,
           lags[nlags - 1] / 1e3);
  failed += check("every byte of an orderly conversation came back",
                  lost == 0 && orderly > 0);
  failed += check("every callback came", owed == 0);
  snprintf(text, sizeof(text), "blocks of the library: %lld, then %lld",
           most(0, third, 0), most(2 * third, nsamples, 0));
  failed += check(text, most(2 * third, nsamples, 0) <=
                            most(0, third, 0) + most(0, third, 0) / 4 + 64);
  snprintf(text, sizeof(text), "descriptors: %lld, then %lld",
           most(0, third, 1), most(2 * third, nsamples, 1));
  failed += check(text, most(2 * third, nsamples, 1) <=
                            2 * nclients + SERVERS + 64);
  uv_library_shutdown();
  snprintf(text, sizeof(text),
           "at the end: %d descriptors and %lld blocks, as at the start",
           count_fds(), (long long) blocks);
  failed += check(text, count_fds() == fds_before && blocks == blocks_before);
  printf("%d passed, %d failed, 0 skipped\n", total - failed, failed);
  return failed == 0 ? 0 : 1;
}

static void raise_limit(void) {
  struct rlimit limit;
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  if (limit.rlim_cur < (rlim_t) (3 * nclients)) {
    nclients = (int) (limit.rlim_cur / 3);
    printf("# only %d clients: RLIMIT_NOFILE\n", nclients);
  }
}

static void listen_on(uv_tcp_t* server, struct sockaddr_in* addr) {
  int len = sizeof(*addr);

  REQUIRE(uv_ip4_addr("127.0.0.1", 0, addr) == 0);
  REQUIRE(uv_tcp_init(&loop, server) == 0);
  REQUIRE(uv_tcp_bind(server, (struct sockaddr*) addr, 0) == 0);
  REQUIRE(uv_listen((uv_stream_t*) server, 4096, on_connection) == 0);
  REQUIRE(uv_tcp_getsockname(server, (struct sockaddr*) addr, &len) == 0);
}

int main(int argc, char** argv) {
  static uv_timer_t end_timer;

  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--seconds") == 0)
      seconds = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--connections") == 0)
      nclients = atoi(argv[i + 1]);
  }
  signal(SIGPIPE, SIG_IGN);
  raise_limit();
  int fds_before = count_fds();
  REQUIRE(uv_replace_allocator(soak_malloc, soak_realloc, soak_calloc,
                               soak_free) == 0);
  long long blocks_before = blocks;
  REQUIRE(uv_loop_init(&loop) == 0);

  for (int i = 0; i < SERVERS; i++)
    listen_on(&servers[i], &server_addrs[i]);
  clients = calloc((size_t) nclients, sizeof(*clients));
  REQUIRE(clients != NULL);
  for (int i = 0; i < nclients; i++) {
    REQUIRE(uv_timer_init(&loop, &clients[i].pause) == 0);
    clients[i].pause.data = &clients[i];
    converse(&clients[i]);
  }
  file_open();
  name_ask();
  child_start();
  REQUIRE(uv_timer_init(&loop, &tick_timer) == 0);
  tick_due = uv_now(&loop) * 1000000 + TICK_MS * 1000000ull;
  REQUIRE(uv_timer_start(&tick_timer, on_tick, TICK_MS, 0) == 0);
  REQUIRE(uv_timer_init(&loop, &sample_timer) == 0);
  REQUIRE(uv_timer_start(&sample_timer, on_sample, SAMPLE_MS, SAMPLE_MS) == 0);
  REQUIRE(uv_timer_init(&loop, &end_timer) == 0);
  REQUIRE(uv_timer_start(&end_timer, on_the_end, (uint64_t) seconds * 1000,
                         0) == 0);

  REQUIRE(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  REQUIRE(uv_loop_close(&loop) == 0);
  free(clients);
  return report(fds_before, blocks_before);
}
