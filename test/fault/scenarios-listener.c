/* SPDX-License-Identifier: MIT */
/* Listeners of managed loops: whatever is refused, connections are served, or
 * an error says why not, and everything can be freed. */
#include "scenarios.h"

#include "uv/ext.h"

enum { LOOPS = 3, CLIENTS = 7 };

static uvx_loops_t* loops;
static uvx_listener_t* listener;
static struct sockaddr_in address;
static uv_tcp_t clients[CLIENTS];
static uv_connect_t connects[CLIENTS];
static uv_tcp_t conns[2 * CLIENTS];
static int clients_begun;
static int clients_ended;
static int conns_begun; /* atomic; so is the next */
static int first_err;

/* Records the error and ends the scenario. */
static int note(int err) {
  int none = 0;

  if (err == 0)
    return 0;
  __atomic_compare_exchange_n(&first_err, &none, err, 0, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  uvx_loops_shutdown(loops);
  return err;
}

static void on_conn(uv_stream_t* server, int status) {
  if (note(status) != 0)
    return;
  int i = __atomic_fetch_add(&conns_begun, 1, __ATOMIC_RELAXED);
  SC_CHECK(i < 2 * CLIENTS);
  if (note(uv_tcp_init(server->loop, &conns[i])) != 0)
    return;
  note(uv_accept(server, (uv_stream_t*) &conns[i]));
  uv_close((uv_handle_t*) &conns[i], NULL);
}

static void on_closed(void* arg) {
  (void) arg;
  uvx_loops_shutdown(loops);
}

static void next_client(uv_loop_t* loop);

static void on_client_closed(uv_handle_t* handle) {
  clients_ended++;
  if (first_err != 0)
    return;
  if (clients_begun < CLIENTS)
    next_client(handle->loop);
  else if (uvx_listener_close(listener, on_closed, NULL) != 0)
    sc_bug("a listener that cannot be closed");
}

static void on_client_data(uv_stream_t* stream, ssize_t n, const uv_buf_t* b) {
  (void) b;
  if (n < 0 && !uv_is_closing((uv_handle_t*) stream))
    uv_close((uv_handle_t*) stream, on_client_closed);
}

static void on_client(uv_connect_t* req, int status) {
  if (note(status) == 0)
    note(uv_read_start(req->handle, sc_alloc, on_client_data));
}

static void next_client(uv_loop_t* loop) {
  int i = clients_begun++;

  if (note(uv_tcp_init(loop, &clients[i])) != 0)
    return;
  note(uv_tcp_connect(&connects[i], &clients[i],
                      (const struct sockaddr*) &address, on_client));
}

static void on_begin(uv_loop_t* loop, void* arg) {
  (void) arg;
  next_client(loop);
}

static void close_one(uv_handle_t* handle, void* arg) {
  (void) arg;
  for (int i = 0; i < CLIENTS; i++)
    if (handle == (uv_handle_t*) &clients[i] && !uv_is_closing(handle))
      uv_close(handle, on_client_closed);
}

static void on_stop(uv_loop_t* loop, void* arg) {
  (void) arg;
  uv_walk(loop, close_one, NULL);
}

/* A loop whose poller failed may have handles left. */
static void free_loops(void) {
  for (int i = 0; i < 100 && uvx_loops_free(loops) == UV_EBUSY; i++) {
    if (i == 99)
      sc_bug("loops that cannot be freed");
    fault_pause();
    for (unsigned k = 0; k < LOOPS; k++) {
      on_stop(uvx_loops_get(loops, k), NULL);
      (void) uv_run(uvx_loops_get(loops, k), UV_RUN_NOWAIT);
    }
    fault_resume();
  }
}

static void serve(enum uvx_balance balance) {
  uvx_loops_options_t options = { .size = sizeof(options),
                                  .count = LOOPS,
                                  .flags = UVX_LOOPS_NO_SIGNALS };
  uvx_listen_options_t listen_options = { .size = sizeof(listen_options),
                                          .addr =
                                              (const struct sockaddr*) &address,
                                          .balance = balance,
                                          .backlog = 16,
                                          .cb = on_conn };
  int len = sizeof(address);

  clients_begun = clients_ended = conns_begun = first_err = 0;
  address = sc_loopback(0);
  if (sc_try(uvx_loops_new(&loops, &options)) != 0)
    return;
  int err = uvx_loops_on_start(loops, uvx_loops_get(loops, 0), on_begin, NULL);
  if (err == 0)
    err = uvx_loops_on_end(loops, NULL, on_stop, NULL);
  if (err == 0)
    err = uvx_loops_listen(loops, &listen_options, &listener);
  if (sc_try(err) == 0) {
    SC_CHECK(uvx_listener_getsockname(listener, (struct sockaddr*) &address,
                                      &len) == 0);
    sc_try(uvx_loops_run(loops));
    sc_try(first_err);
    SC_CHECK(sc.err != 0 || clients_ended == CLIENTS);
  }
  free_loops();
}

void scenario_listener(void) {
  serve(UVX_BALANCE_KERNEL);
  if (sc.err == 0)
    serve(UVX_BALANCE_SHARED);
  if (sc.err == 0)
    serve(UVX_BALANCE_TURNS);
  sc.goal = 1;
}
