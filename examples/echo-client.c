/* SPDX-License-Identifier: MIT */
/* The client of echo-server: sends frames, verifies every reply.
 *
 *   echo-client PORT [MODE [FRAMES]]
 *
 * Modes:
 *   fast   64 frames in flight at any time, sizes from empty to 64 KiB
 *   ping   one small frame at a time
 *   slow   sends everything at once and reads late, little by little: the
 *          server has to hold the replies back, and finally all arrive
 *   idle   one frame, then silence: the server is expected to hang up
 *   bad    a frame with the wrong serial: the server is expected to hang up
 *
 * Frame: u32 body length, u32 serial, body (big endian). The reply has the same
 * serial and the body with every bit flipped. Exit status 0: every reply
 * arrived, correct and in order, and the connection ended as the mode expects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#define HEADER 8u
#define BODY_MAX 65536u
#define LIMIT_MS (30 * 1000)

struct mode {
  const char* name;
  uint32_t frames; /* unless given on the command line */
  uint32_t window; /* frames sent and not answered */
  uint32_t body_max;
  unsigned int read_size; /* bytes read at a time */
  uint64_t read_delay_ms; /* before the first read */
  uint64_t read_pause_ms; /* after each; 0: none */
  int hangs_up_first;     /* otherwise the server does */
  uint32_t first_serial;  /* the server expects 0 */
};

static const struct mode modes[] = {
  { .name = "fast",
    .frames = 3000,
    .window = 64,
    .body_max = BODY_MAX,
    .read_size = 65536,
    .hangs_up_first = 1 },
  { .name = "ping",
    .frames = 1000,
    .window = 1,
    .body_max = 100,
    .read_size = 65536,
    .hangs_up_first = 1 },
  { .name = "slow",
    .frames = 300,
    .window = UINT32_MAX,
    .body_max = 16384,
    .read_size = 8192,
    .read_delay_ms = 200,
    .read_pause_ms = 1,
    .hangs_up_first = 1 },
  { .name = "idle",
    .frames = 1,
    .window = 1,
    .body_max = 100,
    .read_size = 65536 },
  { .name = "bad",
    .frames = 0,
    .window = 1,
    .body_max = 100,
    .read_size = 65536,
    .first_serial = 7 },
};

/* A frame being sent to the server. */
struct request {
  uv_write_t req;
  unsigned char frame[];
};

static uv_loop_t loop;
static uv_tcp_t tcp;
static uv_timer_t limit;
static uv_timer_t reading; /* paces the slow reader */
static uv_connect_t connect_req;
static uv_shutdown_t shutdown_req;
static const struct mode* mode = modes;
static uint32_t frames;
static uint32_t sent;
static uint32_t answered;
static int ended_well;

/* Of the reply that is being read: */
static unsigned char header[HEADER];
static uint32_t header_len;
static uint32_t body_len; /* seen so far */

static void fail(const char* what, int err) {
  fprintf(stderr, "echo-client %s: frame %u of %u: %s: %s\n", mode->name,
          answered, frames, what, err < 0 ? uv_strerror(err) : "wrong");
  exit(1);
}

static void check(int err, const char* what) {
  if (err < 0)
    fail(what, err);
}

/* ---- frames: the content follows from the serial ---- */

static uint32_t body_size(uint32_t serial) {
  /* Now and then as large as possible, or empty. */
  if (serial % 100 == 50)
    return mode->body_max;
  return serial * 2654435761u % (mode->body_max / 8 + 1);
}

static unsigned char body_byte(uint32_t serial, uint32_t i) {
  return (unsigned char) (serial * 31 + i * 7 + (i >> 8));
}

static void put_u32(unsigned char* p, uint32_t value) {
  p[0] = (unsigned char) (value >> 24);
  p[1] = (unsigned char) (value >> 16);
  p[2] = (unsigned char) (value >> 8);
  p[3] = (unsigned char) value;
}

static uint32_t get_u32(const unsigned char* p) {
  return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 |
         p[3];
}

/* ---- sending ---- */

static void on_written(uv_write_t* req, int status) {
  free(req->data);
  /* A server that hangs up may do so before it has read everything. */
  if (mode->hangs_up_first)
    check(status, "write");
}

static void send_frame(uint32_t serial) {
  uint32_t size = body_size(serial);
  struct request* r = malloc(sizeof(*r) + HEADER + size);
  if (r == NULL)
    fail("malloc", UV_ENOMEM);

  put_u32(r->frame, size);
  put_u32(r->frame + 4, mode->first_serial + serial);
  for (uint32_t i = 0; i < size; i++)
    r->frame[HEADER + i] = body_byte(serial, i);

  r->req.data = r;
  uv_buf_t buf = uv_buf_init((char*) r->frame, HEADER + size);
  check(uv_write(&r->req, (uv_stream_t*) &tcp, &buf, 1, on_written),
        "uv_write");
}

static void send_more(void) {
  while (sent < frames && sent - answered < mode->window)
    send_frame(sent++);
}

/* ---- verifying ---- */

static void on_reply(void) {
  answered++;
  header_len = 0;
  body_len = 0;
  if (answered < frames)
    return;
  if (mode->hangs_up_first) {
    check(uv_shutdown(&shutdown_req, (uv_stream_t*) &tcp, NULL), "uv_shutdown");
  } else {
    printf("%s: answered, waiting for the end\n", mode->name);
    fflush(stdout);
  }
}

/* Consumes a piece of a reply, wherever it was split. Returns its length. */
static size_t verify_piece(const unsigned char* data, size_t len) {
  if (answered == sent)
    fail("a reply to nothing", 0);
  if (header_len < HEADER) {
    header[header_len++] = data[0];
    if (header_len < HEADER)
      return 1;
    if (get_u32(header) != body_size(answered))
      fail("length", 0);
    if (get_u32(header + 4) != answered)
      fail("serial", 0);
    if (body_size(answered) == 0)
      on_reply();
    return 1;
  }

  uint32_t left = body_size(answered) - body_len;
  uint32_t n = len < left ? (uint32_t) len : left;
  for (uint32_t i = 0; i < n; i++)
    if (data[i] != (unsigned char) ~body_byte(answered, body_len + i))
      fail("body", 0);
  body_len += n;
  if (n == left)
    on_reply();
  return n;
}

static void verify(const unsigned char* data, size_t len) {
  while (len > 0) {
    size_t n = verify_piece(data, len);
    data += n;
    len -= n;
  }
}

/* ---- reading ---- */

static void start_reading(void);

static void on_reading_time(uv_timer_t* timer) {
  (void) timer;
  start_reading();
}

static void read_again_after(uint64_t delay_ms) {
  uv_read_stop((uv_stream_t*) &tcp);
  check(uv_timer_start(&reading, on_reading_time, delay_ms, 0),
        "uv_timer_start");
}

static void finish(ssize_t status) {
  if (answered != frames || header_len != 0)
    fail("the connection ended", (int) status);
  if (status != UV_EOF && (mode->hangs_up_first || status != UV_ECONNRESET))
    fail("read", (int) status);
  ended_well = 1;
  uv_close((uv_handle_t*) &tcp, NULL);
  uv_close((uv_handle_t*) &limit, NULL);
  uv_close((uv_handle_t*) &reading, NULL);
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char storage[65536];

  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(storage, mode->read_size);
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  if (nread < 0) {
    finish(nread);
    return;
  }
  verify((const unsigned char*) buf->base, (size_t) nread);
  send_more();
  if (mode->read_pause_ms != 0)
    read_again_after(mode->read_pause_ms);
}

static void start_reading(void) {
  check(uv_read_start((uv_stream_t*) &tcp, on_alloc, on_read), "uv_read_start");
}

/* ---- start ---- */

static void on_connect(uv_connect_t* req, int status) {
  (void) req;
  check(status, "connect");
  if (mode->read_delay_ms != 0)
    read_again_after(mode->read_delay_ms);
  else
    start_reading();
  send_more();
  if (frames == 0)
    send_frame(0); /* not one of those that get a reply */
}

static void on_limit(uv_timer_t* timer) {
  (void) timer;
  fail("waited too long", UV_ETIMEDOUT);
}

static void start(int port) {
  struct sockaddr_in addr;

  check(uv_loop_init(&loop), "uv_loop_init");
  check(uv_timer_init(&loop, &limit), "uv_timer_init");
  check(uv_timer_start(&limit, on_limit, LIMIT_MS, 0), "uv_timer_start");
  check(uv_timer_init(&loop, &reading), "uv_timer_init");
  check(uv_ip4_addr("127.0.0.1", port, &addr), "uv_ip4_addr");
  check(uv_tcp_init_ex(&loop, &tcp, AF_INET), "uv_tcp_init_ex");
  check(uv_tcp_nodelay(&tcp, 1), "uv_tcp_nodelay");
  if (mode->read_pause_ms != 0) {
    /* Makes the server hold the data back, not the kernel. */
    int size = 16 * 1024;
    check(uv_recv_buffer_size((uv_handle_t*) &tcp, &size),
          "uv_recv_buffer_size");
  }
  check(
      uv_tcp_connect(&connect_req, &tcp, (struct sockaddr*) &addr, on_connect),
      "uv_tcp_connect");
}

static const struct mode* find_mode(const char* name) {
  for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
    if (strcmp(modes[i].name, name) == 0)
      return &modes[i];
  return NULL;
}

int main(int argc, char** argv) {
  if (argc > 2)
    mode = find_mode(argv[2]);
  if (argc < 2 || mode == NULL) {
    fprintf(stderr,
            "usage: echo-client PORT [fast|ping|slow|idle|bad [FRAMES]]\n");
    return 2;
  }
  frames = argc > 3 ? (uint32_t) strtoul(argv[3], NULL, 10) : mode->frames;

  start(atoi(argv[1]));
  uv_run(&loop, UV_RUN_DEFAULT);
  check(uv_loop_close(&loop), "uv_loop_close");
  printf("%s: %u replies verified\n", mode->name, answered);
  return ended_well ? 0 : 1;
}
