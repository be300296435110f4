/* SPDX-License-Identifier: MIT */
/* TLS over any uv_stream_t, with OpenSSL. For tls.c.
 *
 * OpenSSL reads and writes one end of a BIO pair, which is memory; the other
 * end, `wire`, holds what goes over the stream. Neither side ever waits.
 */
#ifndef TLS_STREAM_H_
#define TLS_STREAM_H_

#include <stdlib.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <uv.h>

struct tls {
  uv_stream_t* stream; /* its data field is this */
  SSL* ssl;
  BIO* wire;
  uv_shutdown_t shutdown;
  int is_ready;  /* the handshake is over */
  int is_ending; /* tls_end() was called */
  void (*on_ready)(struct tls* tls);
  void (*on_data)(struct tls* tls, const char* data, size_t len);
  void (*on_sent)(struct tls* tls);         /* the queue is shorter now */
  void (*on_end)(struct tls* tls, int err); /* 0: the peer says goodbye */
};

struct tls_chunk {
  uv_write_t write;
  char data[];
};

/* Has the peer said goodbye? */
static int tls_is_over(struct tls* tls) {
  return (SSL_get_shutdown(tls->ssl) & SSL_RECEIVED_SHUTDOWN) != 0;
}

static void tls_fail(struct tls* tls, int err) {
  if (!uv_is_closing((uv_handle_t*) tls->stream))
    tls->on_end(tls, err);
}

static void tls_written(uv_write_t* req, int status) {
  struct tls* tls = req->handle->data;

  free(req); /* the chunk, which it is the first member of */
  if (status != 0)
    tls_fail(tls, status);
  else if (tls->is_ready && !tls->is_ending)
    tls->on_sent(tls);
}

/* Moves what OpenSSL has for the peer from the pair to the stream. */
static int tls_flush(struct tls* tls) {
  size_t len;

  while ((len = BIO_ctrl_pending(tls->wire)) > 0) {
    struct tls_chunk* chunk = malloc(sizeof(*chunk) + len);
    if (chunk == NULL)
      return UV_ENOMEM;
    int n = BIO_read(tls->wire, chunk->data, (int) len);
    uv_buf_t buf = uv_buf_init(chunk->data, (unsigned int) n);
    int err = uv_write(&chunk->write, tls->stream, &buf, 1, tls_written);
    if (err != 0) {
      free(chunk);
      return err;
    }
  }
  return 0;
}

/* 0 if OpenSSL only wants to be called again, when bytes have come or gone. */
static int tls_result(struct tls* tls, int result) {
  switch (SSL_get_error(tls->ssl, result)) {
  case SSL_ERROR_WANT_READ:
  case SSL_ERROR_WANT_WRITE:
    return 0;
  case SSL_ERROR_ZERO_RETURN:
    return UV_EOF;
  default:
    return UV_EPROTO; /* ERR_print_errors_fp() knows more */
  }
}

/* Everything that can go on goes on: handshake, reading, sending. */
static void tls_pump(struct tls* tls) {
  char data[16384]; /* as large as a record */
  int n = 1;

  ERR_clear_error();
  if (!tls->is_ready) {
    n = SSL_do_handshake(tls->ssl);
    tls->is_ready = n == 1;
    if (tls->is_ready)
      tls->on_ready(tls);
  }
  while (tls->is_ready && !uv_is_closing((uv_handle_t*) tls->stream)) {
    n = SSL_read(tls->ssl, data, sizeof(data));
    if (n <= 0)
      break;
    if (!tls->is_ending)
      tls->on_data(tls, data, (size_t) n);
  }
  if (uv_is_closing((uv_handle_t*) tls->stream))
    return;
  int err = n <= 0 ? tls_result(tls, n) : 0;
  int sent = tls_flush(tls); /* also the alert that tells the peer why */
  if (err == 0)
    err = sent;
  if (err != 0)
    tls_fail(tls, err == UV_EOF ? 0 : err);
}

/* Bytes are read straight into the pair. tls_pump() has emptied it. */
static void tls_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct tls* tls = handle->data;
  int room = BIO_nwrite0(tls->wire, &buf->base);

  (void) suggested;
  buf->len = room > 0 ? (unsigned int) room : 0;
}

static void tls_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct tls* tls = stream->data;
  char* place;

  (void) buf;
  if (nread > 0) {
    BIO_nwrite(tls->wire, &place, (int) nread);
    tls_pump(tls);
  } else if (nread < 0 && !tls_is_over(tls)) { /* it may be an attack */
    tls_fail(tls, nread == UV_EOF ? UV_ECONNABORTED : (int) nread);
  }
}

/* For a connected stream. `ssl` is from SSL_new(), and is freed by
 * tls_free(); the callbacks are set. */
static int tls_start(struct tls* tls, uv_stream_t* stream, SSL* ssl) {
  BIO* inside;

  tls->stream = stream;
  tls->ssl = ssl;
  stream->data = tls;
  if (ssl == NULL || BIO_new_bio_pair(&inside, 0, &tls->wire, 0) != 1)
    return UV_ENOMEM;
  SSL_set_bio(ssl, inside, inside);
  SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE |
                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  int err = uv_read_start(stream, tls_alloc, tls_read);
  if (err == 0)
    tls_pump(tls); /* a client speaks first */
  return err;
}

/* Encrypts and queues all of it; uv_stream_get_write_queue_size() says how much
 * waits. After on_ready(). */
static int tls_write(struct tls* tls, const char* data, size_t len) {
  int err = 0;

  ERR_clear_error();
  while (len > 0 && err == 0) {
    int n = SSL_write(tls->ssl, data, (int) len);
    if (n > 0) {
      data += n;
      len -= (size_t) n;
    } else {
      err = tls_result(tls, n); /* 0: the pair is full */
    }
    if (err == 0)
      err = tls_flush(tls);
  }
  return err;
}

/* Says goodbye, behind what is queued; cb when it is sent. */
static int tls_end(struct tls* tls, uv_shutdown_cb cb) {
  tls->is_ending = 1;
  ERR_clear_error();
  SSL_shutdown(tls->ssl);
  int err = tls_flush(tls);
  return err != 0 ? err : uv_shutdown(&tls->shutdown, tls->stream, cb);
}

/* In the callback of uv_close(). */
static void tls_free(struct tls* tls) {
  SSL_free(tls->ssl); /* and its end of the pair */
  BIO_free(tls->wire);
}

#endif /* TLS_STREAM_H_ */
