/* SPDX-License-Identifier: MIT */
/* uvx_read() and uvx_try_read(): reading as requests. `reader` is the stream
 * that reads, `peer` the one that it reads from. */
#include "test.h"
#include "uv/ext.h"

#include <stdlib.h>
#include <string.h>

static uv_loop_t loop;
static uv_tcp_t reader;
static uv_tcp_t peer;
static char space[4][16];
static uvx_read_t req;
static int calls;
static ssize_t result;

static uv_stream_t* stream_of(uv_tcp_t* tcp) {
  return (uv_stream_t*) tcp;
}

static void open_pair(void) {
  uv_os_sock_t socks[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(
      uv_socketpair(SOCK_STREAM, 0, socks, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  ASSERT_OK(uv_tcp_init(&loop, &reader));
  ASSERT_OK(uv_tcp_init(&loop, &peer));
  ASSERT_OK(uv_tcp_open(&reader, socks[0]));
  ASSERT_OK(uv_tcp_open(&peer, socks[1]));
}

static void close_if_open(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (!uv_is_closing(handle))
    uv_close(handle, NULL);
}

static void close_pair(void) {
  uv_walk(&loop, close_if_open, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
}

static void send_text(const char* text) {
  uv_buf_t buf = uv_buf_init((char*) text, (unsigned) strlen(text));

  ASSERT_EQ((int) buf.len, uv_try_write(stream_of(&peer), &buf, 1));
}

static void on_read(uvx_read_t* r, ssize_t nread) {
  ASSERT_PTR_EQ(&req, r);
  ASSERT_PTR_EQ(stream_of(&reader), r->stream);
  calls++;
  result = nread;
}

static int start_read(unsigned nbufs, unsigned len) {
  uv_buf_t bufs[4];

  for (unsigned i = 0; i < nbufs; i++)
    bufs[i] = uv_buf_init(space[i], len);
  return uvx_read(&req, stream_of(&reader), bufs, nbufs, on_read);
}

static void alloc_buffer(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle;
  (void) size;
  *buf = uv_buf_init(space[3], sizeof(space[3]));
}

static void on_stream_read(uv_stream_t* stream,
                           ssize_t nread,
                           const uv_buf_t* buf) {
  (void) stream;
  (void) buf;
  result = nread;
}

/* One request, one callback; the data is in the caller's buffer. */
TEST_IMPL(read_req_delivers_once) {
  open_pair();
  ASSERT_OK(start_read(1, 16));
  send_text("hello");
  ASSERT_EQ(0, calls);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_EQ(5, result);
  ASSERT_MEM_EQ("hello", space[0], 5);
  /* Nothing reads now: what comes stays in the kernel. */
  send_text("more");
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_NOWAIT));
  ASSERT_EQ(1, calls);
  ASSERT_OK(start_read(1, 2));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, result);
  ASSERT_MEM_EQ("mo", space[0], 2);
  close_pair();
  return 0;
}

static void on_shared_read(uvx_read_t* r, ssize_t nread) {
  const char* text = r->stream == stream_of(&reader) ? "for r" : "for p";

  ASSERT_EQ(5, nread);
  ASSERT_MEM_EQ(text, space[0], 5);
  calls++;
}

/* A buffer is written immediately before the callback: requests may share it,
 * also when the data of both is there. */
TEST_IMPL(read_req_shares_a_buffer) {
  uv_stream_t* streams[] = { stream_of(&reader), stream_of(&peer) };
  uv_buf_t buf = uv_buf_init(space[0], sizeof(space[0]));
  uvx_read_t reqs[2];

  open_pair();
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uvx_read(&reqs[i], streams[i], &buf, 1, on_shared_read));
  for (int i = 0; i < 2; i++) {
    uv_buf_t text = uv_buf_init(i == 0 ? "for p" : "for r", 5);
    ASSERT_EQ(5, uv_try_write(streams[i], &text, 1));
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, calls);
  close_pair();
  return 0;
}

TEST_IMPL(read_req_fills_several_buffers) {
  open_pair();
  send_text("abcdefgh");
  ASSERT_OK(start_read(4, 3));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(8, result);
  ASSERT_MEM_EQ("abc", space[0], 3);
  ASSERT_MEM_EQ("def", space[1], 3);
  ASSERT_MEM_EQ("gh", space[2], 2);
  /* One buffer is full and nothing follows. */
  send_text("xyz");
  ASSERT_OK(start_read(2, 3));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(3, result);
  close_pair();
  return 0;
}

/* The end that follows full buffers is the next request's. */
TEST_IMPL(read_req_reports_the_end) {
  open_pair();
  send_text("abc");
  uv_close((uv_handle_t*) &peer, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(start_read(2, 3));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(3, result);
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(start_read(2, 3));
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_EQ(UV_EOF, result);
  }
  ASSERT_EQ(3, calls);
  close_pair();
  return 0;
}

TEST_IMPL(read_req_refuses_what_it_cannot_do) {
  uv_buf_t buf = uv_buf_init(space[0], 4);
  uv_buf_t none = uv_buf_init(space[0], 0);
  uv_stream_t* stream = stream_of(&reader);
  uvx_read_t other;
  uv_pipe_t pipe;
  uv_tcp_t fresh;

  open_pair();
  ASSERT_ERR(UV_EINVAL, uvx_read(NULL, stream, &buf, 1, on_read));
  ASSERT_ERR(UV_EINVAL, uvx_read(&req, NULL, &buf, 1, on_read));
  ASSERT_ERR(UV_EINVAL, uvx_read(&req, stream, NULL, 1, on_read));
  ASSERT_ERR(UV_EINVAL, uvx_read(&req, stream, &buf, 0, on_read));
  ASSERT_ERR(UV_EINVAL, uvx_read(&req, stream, &none, 1, on_read));
  ASSERT_OK(uv_pipe_init(&loop, &pipe, 1));
  ASSERT_ERR(UV_EINVAL, uvx_read(&req, (uv_stream_t*) &pipe, &buf, 1, on_read));
  ASSERT_OK(uv_tcp_init(&loop, &fresh));
  ASSERT_ERR(UV_ENOTCONN, uvx_read(&req, stream_of(&fresh), &buf, 1, on_read));
  ASSERT_ERR(UV_ENOTCONN, uvx_try_read(stream_of(&fresh), &buf, 1));

  ASSERT_OK(start_read(1, 4));
  ASSERT_ERR(UV_EALREADY, uvx_read(&other, stream, &buf, 1, on_read));
  ASSERT_ERR(UV_EBUSY, uv_read_start(stream, alloc_buffer, on_stream_read));
  ASSERT_ERR(UV_EBUSY, uvx_try_read(stream, &buf, 1));
  ASSERT_OK(uv_read_stop(stream)); /* is about uv_read_start() */
  send_text("1");
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);

  ASSERT_OK(uv_read_start(stream, alloc_buffer, on_stream_read));
  ASSERT_ERR(UV_EBUSY, start_read(1, 4));
  ASSERT_ERR(UV_EBUSY, uvx_try_read(stream, &buf, 1));
  ASSERT_OK(uv_read_stop(stream));
  ASSERT_OK(start_read(1, 4));
  uv_close((uv_handle_t*) &reader, NULL);
  ASSERT_ERR(UV_EINVAL, uvx_read(&other, stream, &buf, 1, on_read));
  close_pair();
  ASSERT_EQ(UV_ECANCELED, result);
  return 0;
}

/* The same stream with both kinds of reading, one after the other. */
TEST_IMPL(read_req_beside_read_start) {
  open_pair();
  ASSERT_OK(uv_read_start(stream_of(&reader), alloc_buffer, on_stream_read));
  send_text("one");
  ASSERT_EQ(1, uv_run(&loop, UV_RUN_ONCE));
  ASSERT_EQ(3, result);
  ASSERT_OK(uv_read_stop(stream_of(&reader)));
  ASSERT_OK(start_read(1, 16));
  send_text("three");
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(5, result);
  ASSERT_OK(uv_read_start(stream_of(&reader), alloc_buffer, on_stream_read));
  send_text("four");
  ASSERT_EQ(1, uv_run(&loop, UV_RUN_ONCE));
  ASSERT_EQ(4, result);
  close_pair();
  return 0;
}

/* Reported later, once; unread data is the next request's. */
TEST_IMPL(read_req_is_cancelled) {
  open_pair();
  ASSERT_OK(start_read(1, 16));
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  ASSERT_EQ(0, calls);
  send_text("data");
  ASSERT_ERR(UV_EALREADY, start_read(1, 16));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_EQ(UV_ECANCELED, result);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &req));
  ASSERT_OK(start_read(1, 16));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(4, result);
  ASSERT_EQ(2, calls);
  close_pair();
  return 0;
}

/* A deadline is a cancel that the callback hears of as a timeout. */
TEST_IMPL(read_req_with_a_deadline) {
  open_pair();
  ASSERT_OK(start_read(1, 16));
  ASSERT_OK(uvx_deadline((uv_req_t*) &req, 1));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls);
  ASSERT_EQ(UV_ETIMEDOUT, result);
  ASSERT_ERR(UV_ESRCH, uvx_deadline((uv_req_t*) &req, 1));
  ASSERT_OK(start_read(1, 16));
  ASSERT_OK(uvx_deadline((uv_req_t*) &req, 1000000));
  send_text("soon");
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(4, result);
  ASSERT_EQ(2, calls);
  close_pair();
  return 0;
}

static int closed;

static void on_close(uv_handle_t* handle) {
  (void) handle;
  ASSERT_EQ(1, calls);
  closed = 1;
}

TEST_IMPL(read_req_ends_before_the_close) {
  open_pair();
  ASSERT_OK(start_read(1, 16));
  uv_close((uv_handle_t*) &reader, on_close);
  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &req));
  ASSERT_EQ(0, calls);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, closed);
  ASSERT_EQ(UV_ECANCELED, result);
  close_pair();
  return 0;
}

/* The loop reports a cancelled request; the close waits for it. */
TEST_IMPL(read_req_cancelled_and_closed) {
  open_pair();
  ASSERT_OK(start_read(1, 16));
  ASSERT_OK(uv_cancel((uv_req_t*) &req));
  uv_close((uv_handle_t*) &reader, on_close);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, closed);
  ASSERT_EQ(1, calls);
  ASSERT_EQ(UV_ECANCELED, result);
  close_pair();
  return 0;
}

static void free_and_close(uvx_read_t* r, ssize_t nread) {
  result = nread;
  uv_close((uv_handle_t*) r->stream, NULL);
  free(r);
}

TEST_IMPL(read_req_is_freed_in_its_callback) {
  uvx_read_t* mine = malloc(sizeof(*mine));
  uv_buf_t bufs[6]; /* more than have room in the request */

  ASSERT_NOT_NULL(mine);
  for (int i = 0; i < 6; i++)
    bufs[i] = uv_buf_init(space[0] + i, 1);
  open_pair();
  ASSERT_OK(uvx_read(mine, stream_of(&reader), bufs, 6, free_and_close));
  send_text("123456");
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(6, result);
  ASSERT_MEM_EQ("123456", space[0], 6);
  close_pair();
  return 0;
}

#define TOTAL (1 << 20)

static size_t sent;
static size_t received;
static uv_write_t write_req;
static char block[4096];
static char large[1000];

static void send_more(uv_write_t* w, int status) {
  uv_buf_t buf = uv_buf_init(block, sizeof(block));

  (void) w;
  ASSERT_OK(status);
  if (sent == TOTAL) {
    uv_close((uv_handle_t*) &peer, NULL);
    return;
  }
  for (size_t i = 0; i < sizeof(block); i++)
    block[i] = (char) ((sent + i) * 7);
  sent += sizeof(block);
  ASSERT_OK(uv_write(&write_req, stream_of(&peer), &buf, 1, send_more));
}

static void read_on(uvx_read_t* r, ssize_t nread) {
  uv_buf_t buf = uv_buf_init(large, sizeof(large));

  if (nread < 0) {
    result = nread;
    return;
  }
  for (ssize_t i = 0; i < nread; i++)
    ASSERT_EQ(large[i], (char) ((received + (size_t) i) * 7));
  received += (size_t) nread;
  ASSERT_OK(uvx_read(r, r->stream, &buf, 1, read_on));
}

/* The next request in the callback of the last: complete and in order. */
TEST_IMPL(read_req_again_in_its_callback) {
  uv_buf_t buf = uv_buf_init(large, sizeof(large));

  open_pair();
  ASSERT_OK(uvx_read(&req, stream_of(&reader), &buf, 1, read_on));
  send_more(&write_req, 0);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(UV_EOF, result);
  ASSERT_EQ(TOTAL, received);
  close_pair();
  return 0;
}

TEST_IMPL(try_read_takes_what_is_there) {
  uv_buf_t bufs[2];

  bufs[0] = uv_buf_init(space[0], 3);
  bufs[1] = uv_buf_init(space[1], 3);
  open_pair();
  ASSERT_ERR(UV_EAGAIN, uvx_try_read(stream_of(&reader), bufs, 2));
  send_text("abcde");
  /* A socket pair of Windows delivers with a delay. */
  ASSERT_OK(start_read(1, 1));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, result);
  ASSERT_EQ(4, uvx_try_read(stream_of(&reader), bufs, 2));
  ASSERT_MEM_EQ("bcd", space[0], 3);
  ASSERT_MEM_EQ("e", space[1], 1);
  ASSERT_ERR(UV_EAGAIN, uvx_try_read(stream_of(&reader), bufs, 2));
  ASSERT_ERR(UV_EINVAL, uvx_try_read(stream_of(&reader), bufs, 0));
  ASSERT_ERR(UV_EINVAL, uvx_try_read(NULL, bufs, 1));
  uv_close((uv_handle_t*) &peer, NULL);
  ASSERT_OK(start_read(1, 1));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(UV_EOF, result);
  ASSERT_ERR(UV_EOF, uvx_try_read(stream_of(&reader), bufs, 2));
  close_pair();
  return 0;
}

static int is_out_of_memory;

static void* try_malloc(size_t size) {
  return is_out_of_memory ? NULL : malloc(size);
}

/* Without memory for the array of buffers, nothing has begun. */
TEST_IMPL(read_req_without_memory) {
  uv_buf_t bufs[5];

  for (int i = 0; i < 5; i++)
    bufs[i] = uv_buf_init(space[0] + i, 1);
  ASSERT_OK(uv_replace_allocator(try_malloc, realloc, calloc, free));
  open_pair();
  is_out_of_memory = 1;
  ASSERT_ERR(UV_ENOMEM, uvx_read(&req, stream_of(&reader), bufs, 5, on_read));
  is_out_of_memory = 0;
  ASSERT_OK(uvx_read(&req, stream_of(&reader), bufs, 5, on_read));
  send_text("x");
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, result);
  close_pair();
  return 0;
}
