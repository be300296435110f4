/* SPDX-License-Identifier: MIT */
/* HTTP/1.1 connections for loops-http.c and loops-restart.c: keep-alive,
 * pipelining, and an orderly end.
 *
 * Each loop has its own connections; nothing here is shared but the answer,
 * which is exchanged while the loops stand still.
 */
#ifndef LOOPS_HTTP_H_
#define LOOPS_HTTP_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#define WORKERS_MAX 64
#define DRAIN_MS 1000 /* then a connection without a request is closed */

struct conn {
  uv_tcp_t tcp;
  uv_write_t write;
  uv_shutdown_t end;
  struct worker* worker;
  struct conn* next;
  struct conn* prev;
  int is_writing;
  int is_last; /* the answer that is being written says "close" */
  size_t used;
  char in[4096];
  char out[512];
};

/* What a loop has. */
struct worker {
  struct conn* conns;
  int is_ending;
  unsigned long answered;
  unsigned long accepted;
  uv_timer_t deadline;
};

static struct worker workers[WORKERS_MAX];
static const char* greeting = "hello\n";

static void conn_closed(uv_handle_t* handle) {
  struct conn* conn = handle->data;

  if (conn->prev != NULL)
    conn->prev->next = conn->next;
  else
    conn->worker->conns = conn->next;
  if (conn->next != NULL)
    conn->next->prev = conn->prev;
  struct worker* worker = conn->worker;
  free(conn);
  if (worker->is_ending && worker->conns == NULL)
    uv_close((uv_handle_t*) &worker->deadline, NULL);
}

static void hang_up(struct conn* conn) {
  if (!uv_is_closing((uv_handle_t*) &conn->tcp))
    uv_close((uv_handle_t*) &conn->tcp, conn_closed);
}

static void conn_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct conn* conn = handle->data;

  (void) suggested;
  /* Room for a NUL. */
  *buf = uv_buf_init(conn->in + conn->used,
                     (unsigned int) (sizeof(conn->in) - 1 - conn->used));
}

static void conn_serve(struct conn* conn);
static void conn_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf);

static void conn_written(uv_write_t* req, int status) {
  struct conn* conn = req->handle->data;

  conn->is_writing = 0;
  conn->worker->answered += status == 0;
  if (status != 0) {
    hang_up(conn);
    return;
  }
  if (conn->is_last) { /* then until the client closes, or the deadline */
    conn->used = 0;
    if (uv_shutdown(&conn->end, req->handle, NULL) != 0)
      hang_up(conn);
  } else {
    conn_serve(conn);
  }
  if (!uv_is_closing((uv_handle_t*) req->handle))
    uv_read_start(req->handle, conn_alloc, conn_read); /* if it was stopped */
}

/* Answers the first request in the buffer, if it is complete. */
static void conn_serve(struct conn* conn) {
  conn->in[conn->used] = '\0';
  char* end = strstr(conn->in, "\r\n\r\n");
  if (end == NULL) {
    if (conn->used == sizeof(conn->in) - 1)
      hang_up(conn); /* too long */
    return;
  }
  end[2] = '\0';
  conn->is_last = conn->worker->is_ending ||
                  strstr(conn->in, "HTTP/1.0\r\n") != NULL ||
                  strstr(conn->in, "\r\nConnection: close\r\n") != NULL;
  conn->used -= (size_t) (end + 4 - conn->in);
  memmove(conn->in, end + 4, conn->used);

  int len = snprintf(conn->out, sizeof(conn->out),
                     "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                     "Content-Length: %d\r\n%s\r\n%s",
                     (int) strlen(greeting),
                     conn->is_last ? "Connection: close\r\n" : "", greeting);
  uv_buf_t buf = uv_buf_init(conn->out, (unsigned int) len);
  conn->is_writing = 1;
  if (uv_write(&conn->write, (uv_stream_t*) &conn->tcp, &buf, 1,
               conn_written) != 0)
    hang_up(conn);
}

static void conn_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct conn* conn = stream->data;

  (void) buf;
  if (conn->is_last && !conn->is_writing && nread >= 0)
    return; /* nothing is answered after "close" */
  if (nread == UV_ENOBUFS && conn->is_writing) {
    uv_read_stop(stream); /* it sends more than it reads */
  } else if (nread < 0) {
    hang_up(conn);
  } else {
    conn->used += (size_t) nread;
    if (!conn->is_writing)
      conn_serve(conn);
  }
}

/* The connection callback: the same for a server of any loop. */
static void on_connection(uv_stream_t* server, int status) {
  struct conn* conn = status == 0 ? malloc(sizeof(*conn)) : NULL;
  if (conn == NULL)
    return;

  memset(conn, 0, offsetof(struct conn, in));
  struct worker* worker = server->loop->data;
  uv_tcp_init(server->loop, &conn->tcp);
  conn->tcp.data = conn;
  conn->worker = worker;
  conn->next = worker->conns;
  if (worker->conns != NULL)
    worker->conns->prev = conn;
  worker->conns = conn;
  worker->accepted++;
  uv_stream_t* stream = (uv_stream_t*) &conn->tcp;
  if (uv_accept(server, stream) != 0 ||
      uv_read_start(stream, conn_alloc, conn_read) != 0)
    hang_up(conn);
}

static void on_deadline(uv_timer_t* timer) {
  struct worker* worker = timer->data;

  for (struct conn* conn = worker->conns; conn != NULL; conn = conn->next)
    hang_up(conn);
}

/* When the loop starts, on its thread. */
static void worker_init(uv_loop_t* loop, unsigned index) {
  struct worker* worker = &workers[index];

  loop->data = worker;
  uv_timer_init(loop, &worker->deadline);
  worker->deadline.data = worker;
}

/* An end function: from now on each answer is the connection's last. Clients
 * that ask for nothing have until the deadline. */
static void end_worker(uv_loop_t* loop, void* arg) {
  struct worker* worker = loop->data;

  (void) arg;
  worker->is_ending = 1;
  if (worker->conns != NULL)
    uv_timer_start(&worker->deadline, on_deadline, DRAIN_MS, 0);
  else
    uv_close((uv_handle_t*) &worker->deadline, NULL);
}

/* When the loops have ended: how many connections and answers each had. */
static void print_workers(unsigned count) {
  for (unsigned i = 0; i < count; i++)
    printf("loop %u: %lu connections, %lu answers\n", i, workers[i].accepted,
           workers[i].answered);
}

#endif /* LOOPS_HTTP_H_ */
