/* SPDX-License-Identifier: MIT */
/* Back-pressure between loops: two loops read faster than a third one works.
 *
 * Each reader has CREDIT messages and no more. It reads into a free one, posts
 * it to the owner, and gets it back when the owner has done its work. Without a
 * free message it stops reading, so that the kernel's buffer fills and the
 * sender waits. Nothing is dropped, and memory is bounded.
 *
 * Exit status 0: all bytes arrived, and no reader had more than its credit.
 */
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>
#include <uv/ext.h>

#define READERS 2
#define CREDIT 16
#define BYTES 20000 /* for each reader */

struct message {
  uvx_post_t post;
  struct reader* reader;
  struct message* next; /* free */
  unsigned len;
  char data[100];
};

/* One on each loop but the last, which is the owner. */
struct reader {
  uv_loop_t* loop;
  uv_tcp_t in;
  uv_tcp_t out; /* a sender that does not wait */
  uv_write_t write;
  uv_shutdown_t end;
  uvx_post_t done;
  struct message messages[CREDIT];
  struct message* free;
  unsigned on_the_way;
  unsigned most;
  unsigned stops;
  int is_at_end;
};

static uvx_loops_t* loops;
static struct reader readers[READERS];
static char bytes[BYTES];
static unsigned long worked; /* the owner's; so is the next */
static int readers_done;

static void check(int err, const char* what) {
  if (err >= 0)
    return;
  fprintf(stderr, "credit: %s: %s\n", what, uv_strerror(err));
  abort();
}

/* ---- the owner ---- */

static void on_back(uvx_post_t* post);

static void on_message(uvx_post_t* post) {
  struct message* message = (struct message*) post;

  uv_sleep(1); /* slow work */
  worked += message->len;
  check(uvx_post(message->reader->loop, post, on_back), "post");
}

static void on_done(uvx_post_t* post) {
  (void) post;
  if (++readers_done == READERS)
    uvx_loops_shutdown(loops);
}

/* ---- the readers ---- */

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  struct reader* reader = handle->data;

  (void) size;
  *buf = uv_buf_init(reader->free->data, sizeof(reader->free->data));
}

static void finish_if_home(struct reader* reader) {
  if (reader->is_at_end && reader->on_the_way == 0)
    check(uvx_post(uvx_loops_get(loops, READERS), &reader->done, on_done),
          "post");
}

static void on_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  struct reader* reader = stream->data;
  struct message* message = reader->free;

  (void) buf;
  if (n == 0)
    return;
  if (n < 0) {
    reader->is_at_end = 1;
    uv_close((uv_handle_t*) &reader->in, NULL);
    uv_close((uv_handle_t*) &reader->out, NULL);
    finish_if_home(reader);
    return;
  }
  reader->free = message->next;
  message->reader = reader;
  message->len = (unsigned) n;
  if (++reader->on_the_way > reader->most)
    reader->most = reader->on_the_way;
  check(uvx_post(uvx_loops_get(loops, READERS), &message->post, on_message),
        "post");
  if (reader->free == NULL) {
    reader->stops++;
    uv_read_stop(stream);
  }
}

static void on_back(uvx_post_t* post) {
  struct message* message = (struct message*) post;
  struct reader* reader = message->reader;

  message->next = reader->free;
  reader->free = message;
  reader->on_the_way--;
  if (message->next == NULL && !reader->is_at_end)
    check(uv_read_start((uv_stream_t*) &reader->in, on_alloc, on_read), "read");
  finish_if_home(reader);
}

static void begin_reading(uv_loop_t* loop, void* arg) {
  struct reader* reader = arg;
  uv_buf_t buf = uv_buf_init(bytes, sizeof(bytes));
  uv_os_sock_t pair[2];

  reader->loop = loop;
  for (int i = 0; i < CREDIT; i++) {
    reader->messages[i].next = reader->free;
    reader->free = &reader->messages[i];
  }
  check(uv_socketpair(SOCK_STREAM, 0, pair, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE),
        "pair");
  check(uv_tcp_init(loop, &reader->in), "init");
  check(uv_tcp_init(loop, &reader->out), "init");
  check(uv_tcp_open(&reader->in, pair[0]), "open");
  check(uv_tcp_open(&reader->out, pair[1]), "open");
  reader->in.data = reader;
  check(uv_read_start((uv_stream_t*) &reader->in, on_alloc, on_read), "read");
  check(uv_write(&reader->write, (uv_stream_t*) &reader->out, &buf, 1, NULL),
        "write");
  check(uv_shutdown(&reader->end, (uv_stream_t*) &reader->out, NULL), "end");
}

int main(void) {
  uvx_loops_options_t options = { .size = sizeof(options),
                                  .count = READERS + 1 };

  check(uvx_loops_new(&loops, &options), "loops");
  for (unsigned i = 0; i < READERS; i++)
    check(uvx_loops_on_start(loops, uvx_loops_get(loops, i), begin_reading,
                             &readers[i]),
          "start");
  check(uvx_loops_run(loops), "run");
  check(uvx_loops_free(loops), "free");

  int is_bounded = 1;
  for (int i = 0; i < READERS; i++) {
    printf("reader %d: %u messages on their way at most, stopped %u times\n", i,
           readers[i].most, readers[i].stops);
    is_bounded &= readers[i].most <= CREDIT;
  }
  printf("%lu bytes\n", worked);
  return worked == (unsigned long) READERS * BYTES && is_bounded ? 0 : 1;
}
