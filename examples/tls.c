/* SPDX-License-Identifier: MIT */
/* TLS with OpenSSL: an echo server, and a client that checks it.
 *
 *   tls serve CERT KEY         prints the port it has; ends with SIGINT
 *   tls connect PORT CA        sends SIZE bytes to "localhost" and compares
 *
 * Files in PEM. Exit status 0: all was closed in the end, and the client has
 * got back what it sent.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tls-stream.h"

#define SIZE (4u << 20)
#define QUEUE_HIGH (256u * 1024u) /* do not cause more writes above */
#define QUEUE_LOW (64u * 1024u)

struct peer {
  uv_tcp_t tcp; /* first: a pointer to one is a pointer to the other */
  struct tls tls;
  uv_connect_t connect;
  size_t sent;
  size_t received;
  size_t wrong; /* of these */
};

static SSL_CTX* context;
static int is_done; /* the client */

static struct peer* peer_of(struct tls* tls) {
  return (struct peer*) tls->stream;
}

static size_t queued(struct tls* tls) {
  return uv_stream_get_write_queue_size(tls->stream);
}

static void peer_closed(uv_handle_t* handle) {
  tls_free(&((struct peer*) handle)->tls);
  free(handle);
}

static void peer_close(struct tls* tls) {
  if (!uv_is_closing((uv_handle_t*) tls->stream))
    uv_close((uv_handle_t*) tls->stream, peer_closed);
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  struct tls* tls = req->handle->data;

  if (status != 0 || tls_is_over(tls)) /* otherwise on_end() does it */
    peer_close(tls);
}

static void on_end(struct tls* tls, int err) {
  if (err != 0) {
    fprintf(stderr, "tls: %s\n", uv_strerror(err));
    ERR_print_errors_fp(stderr);
  }
  if (err != 0 || tls->is_ending || tls_end(tls, on_shutdown) != 0)
    peer_close(tls);
}

/* ---- the server ---- */

static void server_ready(struct tls* tls) {
  (void) tls;
}

static void server_data(struct tls* tls, const char* data, size_t len) {
  if (tls_write(tls, data, len) != 0)
    peer_close(tls);
  else if (queued(tls) > QUEUE_HIGH)
    uv_read_stop(tls->stream);
}

static void server_sent(struct tls* tls) {
  if (queued(tls) <= QUEUE_LOW)
    (void) uv_read_start(tls->stream, tls_alloc, tls_read); /* if it stopped */
}

static void on_connection(uv_stream_t* listener, int status) {
  struct peer* peer = status == 0 ? calloc(1, sizeof(*peer)) : NULL;
  SSL* ssl = peer != NULL ? SSL_new(context) : NULL;
  if (ssl == NULL) {
    free(peer);
    return;
  }
  uv_stream_t* stream = (uv_stream_t*) &peer->tcp;
  uv_tcp_init(listener->loop, &peer->tcp);
  peer->tls = (struct tls) { .on_ready = server_ready,
                             .on_data = server_data,
                             .on_sent = server_sent,
                             .on_end = on_end };
  SSL_set_accept_state(ssl);
  int err = uv_accept(listener, stream);
  if (tls_start(&peer->tls, stream, ssl) != 0 || err != 0)
    peer_close(&peer->tls);
}

static void close_any(uv_handle_t* handle, void* listener) {
  if (handle->type == UV_TCP && handle != listener)
    peer_close(handle->data);
  else if (!uv_is_closing(handle))
    uv_close(handle, NULL);
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  uv_walk(handle->loop, close_any, handle->data);
}

static int serve(uv_loop_t* loop, const char* cert, const char* key) {
  static uv_tcp_t listener;
  static uv_signal_t sigint;
  struct sockaddr_in addr;
  int len = sizeof(addr);

  if (SSL_CTX_use_certificate_chain_file(context, cert) != 1 ||
      SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
    return UV_EINVAL;
  uv_tcp_init(loop, &listener);
  sigint.data = &listener;
  int err = uv_ip4_addr("127.0.0.1", 0, &addr);
  if (err == 0)
    err = uv_tcp_bind(&listener, (const struct sockaddr*) &addr, 0);
  if (err == 0)
    err = uv_listen((uv_stream_t*) &listener, 128, on_connection);
  if (err == 0)
    err = uv_tcp_getsockname(&listener, (struct sockaddr*) &addr, &len);
  if (err == 0)
    err = uv_signal_init(loop, &sigint);
  if (err == 0)
    err = uv_signal_start(&sigint, on_signal, SIGINT);
  printf("port %d\n", ntohs(addr.sin_port));
  fflush(stdout);
  return err;
}

/* ---- the client ---- */

static char byte_at(size_t offset) {
  return (char) (offset * 7 + offset / 251);
}

/* Sends until enough is queued; called again when it is less. */
static void client_send(struct tls* tls) {
  struct peer* peer = peer_of(tls);
  char data[8192];

  while (peer->sent < SIZE && queued(tls) <= QUEUE_HIGH) {
    for (size_t i = 0; i < sizeof(data); i++)
      data[i] = byte_at(peer->sent + i);
    peer->sent += sizeof(data);
    if (tls_write(tls, data, sizeof(data)) != 0) {
      peer_close(tls);
      return;
    }
  }
}

static void client_data(struct tls* tls, const char* data, size_t len) {
  struct peer* peer = peer_of(tls);

  for (size_t i = 0; i < len; i++)
    peer->wrong += data[i] != byte_at(peer->received + i);
  peer->received += len;
  if (peer->received == SIZE && tls_end(tls, on_shutdown) != 0)
    peer_close(tls);
}

static void client_end(struct tls* tls, int err) {
  struct peer* peer = peer_of(tls);

  if (err == 0 && peer->received == SIZE && peer->wrong == 0) {
    printf("%s, %u bytes there and back\n", SSL_get_version(tls->ssl), SIZE);
    is_done = 1;
  }
  on_end(tls, err);
}

static void on_connected(uv_connect_t* req, int status) {
  struct peer* peer = (struct peer*) req->handle;
  SSL* ssl = SSL_new(context);

  peer->tls = (struct tls) { .on_ready = client_send,
                             .on_data = client_data,
                             .on_sent = client_send,
                             .on_end = client_end };
  if (ssl != NULL) {
    SSL_set_connect_state(ssl);
    SSL_set_tlsext_host_name(ssl, "localhost"); /* what we ask for... */
    SSL_set1_host(ssl, "localhost");            /* ...and insist on */
  }
  int err = tls_start(&peer->tls, req->handle, ssl);
  if (status != 0 || err != 0)
    client_end(&peer->tls, status != 0 ? status : err);
}

static int ask(uv_loop_t* loop, const char* port, const char* authority) {
  struct peer* peer = calloc(1, sizeof(*peer));
  struct sockaddr_in addr;

  if (peer == NULL ||
      SSL_CTX_load_verify_locations(context, authority, NULL) != 1)
    return UV_EINVAL;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  uv_tcp_init(loop, &peer->tcp);
  int err = uv_ip4_addr("127.0.0.1", atoi(port), &addr);
  return err != 0
             ? err
             : uv_tcp_connect(&peer->connect, &peer->tcp,
                              (const struct sockaddr*) &addr, on_connected);
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  int err = UV_EINVAL;

  signal(SIGPIPE, SIG_IGN); /* libuv needs this where a peer may be gone */
  context = SSL_CTX_new(TLS_method());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (argc == 4 && strcmp(argv[1], "serve") == 0)
    err = serve(loop, argv[2], argv[3]);
  else if (argc == 4 && strcmp(argv[1], "connect") == 0)
    err = ask(loop, argv[2], argv[3]);
  if (err != 0) {
    fprintf(stderr, "tls: %s\n", uv_strerror(err));
    return 1;
  }
  uv_run(loop, UV_RUN_DEFAULT);
  SSL_CTX_free(context);
  return uv_loop_close(loop) != 0 ||
         (strcmp(argv[1], "connect") == 0 && !is_done);
}
