/* SPDX-License-Identifier: MIT */
/* The server: an echo that ends when the other side does. It reports its ports
 * on descriptor 3 and exits when its input ends. */
#include "soak.h"

#include <unistd.h>

struct peer {
  uv_tcp_t tcp;
  uv_shutdown_t shutdown;
};

struct echo {
  uv_write_t req;
  unsigned len;
  char bytes[];
};

static uv_tcp_t listeners[LISTENERS];
static uv_pipe_t input;
static long long accepted;
static int peers;
static int peers_most;
static long long bytes_read;
static long long bytes_echoed;
static long long bytes_dropped; /* the peer was gone */

static void on_peer_closed(uv_handle_t* handle) {
  peers--;
  free(handle->data);
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
  if (status == 0) {
    bytes_echoed += echo->len;
  } else {
    bytes_dropped += echo->len;
    close_peer(req->handle->data);
  }
  free(echo);
}

static void on_peer_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  struct peer* peer = s->data;

  if (n == 0)
    return;
  if (n < 0) {
    if (n == UV_EOF && uv_shutdown(&peer->shutdown, s, on_peer_shutdown) == 0)
      owed++;
    else
      close_peer(peer);
    return;
  }
  bytes_read += n;
  struct echo* echo = malloc(sizeof(*echo) + (size_t) n);
  REQUIRE(echo != NULL);
  echo->len = (unsigned) n;
  echo->req.data = echo;
  memcpy(echo->bytes, buf->base, (size_t) n);
  uv_buf_t out = uv_buf_init(echo->bytes, (unsigned) n);
  if (uv_write(&echo->req, s, &out, 1, on_echo) == 0) {
    owed++;
  } else {
    bytes_dropped += n;
    free(echo);
    close_peer(peer);
  }
}

static void on_connection(uv_stream_t* listener, int status) {
  REQUIRE(status == 0);
  struct peer* peer = malloc(sizeof(*peer));
  REQUIRE(peer != NULL);
  REQUIRE(uv_tcp_init(&loop, &peer->tcp) == 0);
  peer->tcp.data = peer;
  peers++;
  if (peers > peers_most)
    peers_most = peers;
  accepted++;
  REQUIRE(uv_accept(listener, (uv_stream_t*) &peer->tcp) == 0);
  REQUIRE(uv_read_start((uv_stream_t*) &peer->tcp, soak_alloc, on_peer_read) ==
          0);
}

static unsigned short listen_on(uv_tcp_t* listener) {
  struct sockaddr_in addr;
  int len = sizeof(addr);

  REQUIRE(uv_ip4_addr("127.0.0.1", 0, &addr) == 0);
  REQUIRE(uv_tcp_init(&loop, listener) == 0);
  REQUIRE(uv_tcp_bind(listener, (struct sockaddr*) &addr, 0) == 0);
  REQUIRE(uv_listen((uv_stream_t*) listener, 4096, on_connection) == 0);
  REQUIRE(uv_tcp_getsockname(listener, (struct sockaddr*) &addr, &len) == 0);
  return ntohs(addr.sin_port);
}

static void on_input(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  if (n >= 0)
    return;
  REQUIRE(n == UV_EOF);
  uv_close((uv_handle_t*) s, NULL);
  for (int i = 0; i < LISTENERS; i++)
    uv_close((uv_handle_t*) &listeners[i], NULL);
  measure_stop();
}

int server_main(void) {
  unsigned short ports[LISTENERS];
  int failed = 0;
  int total = 2;

  measure_init();
  REQUIRE(uv_loop_init(&loop) == 0);
  for (int i = 0; i < LISTENERS; i++)
    ports[i] = listen_on(&listeners[i]);
  REQUIRE(uv_pipe_init(&loop, &input, 0) == 0);
  REQUIRE(uv_pipe_open(&input, dup(0)) == 0);
  REQUIRE(uv_read_start((uv_stream_t*) &input, soak_alloc, on_input) == 0);
  measure_start();
  REQUIRE(write(3, ports, sizeof(ports)) == (ssize_t) sizeof(ports));

  REQUIRE(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  REQUIRE(uv_loop_close(&loop) == 0);
  printf("# server: %lld connections, %d at once, %lld bytes read, %lld "
         "echoed, %lld dropped with their connections\n",
         accepted, peers_most, bytes_read, bytes_echoed, bytes_dropped);
  failed += verdict(owed == 0 && peers == 0, "server: every callback came");
  failed += verdict(bytes_read == bytes_echoed + bytes_dropped,
                    "server: every byte read was echoed or its peer was gone");
  failed += measure_report("server", peers_most + LISTENERS + 16, &total);
  printf("# server: %d of %d\n", total - failed, total);
  fflush(NULL);
  return failed;
}
