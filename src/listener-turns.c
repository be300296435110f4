/* SPDX-License-Identifier: MIT */
/* UVX_BALANCE_TURNS: loop 0 accepts, and hands connections over in turn.
 *
 *   loop 0: a server accepts -> takes the connection out -> a parcel is posted
 *   target: its fed server reports the connection -> uv_accept() -> the empty
 *           parcel is posted back, and the next one that arrived is reported
 *
 * A target that does not accept has parcels out. With PARCELS_MAX it is passed
 * over; if all have, the connection stays where it is and loop 0 stops
 * accepting until a parcel is back.
 *
 * Without memory for a parcel the connection is closed and loop 0 reports it.
 */
#include "listener.h"
#include "observe/callback.h"
#include "os/listener.h"
#include "util/alloc.h"

/* Connections that a loop has been given and has not accepted. */
#define PARCELS_MAX 128

static struct uv__server* server_of(uv_tcp_t* tcp) {
  return container_of(tcp, struct uv__server, tcp);
}

static uv_loop_t* loop_zero(const struct uv__server* server) {
  return server->branch->listener->loops->slots[0].loop;
}

/* ---- on the target's loop ---- */

static void on_back(uvx_post_t* post);

/* The parcel must be empty and in no list. */
static void send_back(struct uv__parcel* parcel) {
  /* Fails only to wake loop 0, whose poller has then failed. */
  (void) uvx_post(loop_zero(parcel->target), &parcel->post, on_back);
}

static struct uv__parcel* first_parcel(const struct uv__server* server) {
  return uv__queue_entry(uv__queue_first(&server->waiting), struct uv__parcel,
                         link);
}

/* A parcel must wait, and no connection be reported yet. */
static void report_first(struct uv__server* server) {
  struct uv__parcel* parcel = first_parcel(server);
  uv_os_sock_t sock = parcel->sock;

  server->is_reported = 1;
  parcel->sock = UV__NO_SOCK; /* the handle has it */
  uv__listener_os_feed(&server->tcp, sock);
}

static void on_next(uvx_post_t* post) {
  struct uv__server* server = post->data;

  server->is_next_posted = 0;
  if (server->is_open && !server->is_reported &&
      !uv__queue_empty(&server->waiting))
    report_first(server);
  uv__listener_settle(server->branch);
}

void uv__listener_taken(uv_tcp_t* tcp) {
  struct uv__server* server = server_of(tcp);
  struct uv__parcel* parcel = first_parcel(server);

  uv__queue_remove(&parcel->link);
  server->is_reported = 0;
  send_back(parcel);
  if (uv__queue_empty(&server->waiting) || server->is_next_posted)
    return;
  server->is_next_posted = 1;
  server->branch->pending++;
  server->next_post.data = server;
  (void) uvx_post(tcp->loop, &server->next_post, on_next);
}

static void on_parcel(uvx_post_t* post) {
  struct uv__parcel* parcel = container_of(post, struct uv__parcel, post);
  struct uv__server* server = parcel->target;

  if (!server->is_open) {
    uv__listener_os_close(parcel->sock);
    send_back(parcel);
    return;
  }
  uv__queue_push_back(&server->waiting, &parcel->link);
  if (!server->is_reported && !server->is_next_posted)
    report_first(server);
}

void uv__turns_close(struct uv__server* server) {
  while (!uv__queue_empty(&server->waiting)) {
    struct uv__parcel* parcel = first_parcel(server);
    uv__queue_remove(&parcel->link);
    if (parcel->sock != UV__NO_SOCK)
      uv__listener_os_close(parcel->sock);
    send_back(parcel);
  }
}

/* ---- on loop 0 ---- */

/* The next target with room, or NULL. */
static struct uv__server* next_target(uvx_listener_t* listener) {
  unsigned count = listener->loops->count;

  for (unsigned i = 0; i < count; i++) {
    unsigned turn = (listener->turn + i) % count;
    struct uv__server* server = &listener->servers[turn];
    if (server->out < PARCELS_MAX) {
      listener->turn = (turn + 1) % count;
      return server;
    }
  }
  return NULL;
}

static struct uv__parcel* parcel_get(uvx_listener_t* listener) {
  if (uv__queue_empty(&listener->free))
    return uv__malloc(sizeof(struct uv__parcel));
  struct uv__queue* link = uv__queue_pop_front(&listener->free);
  return uv__queue_entry(link, struct uv__parcel, link);
}

/* Reports an error of accepting on loop 0's server that the program sees. */
static void report_error(uvx_listener_t* listener, int err) {
  struct uv__server* server = &listener->servers[0];

  if (server->is_open)
    uv__call_connection((uv_stream_t*) &server->tcp, err);
}

/* A connection waits at the server. */
static void hand_over(struct uv__server* server) {
  uvx_listener_t* listener = server->branch->listener;
  struct uv__server* target = next_target(listener);
  uv_os_fd_t fd;

  server->is_stalled = target == NULL;
  if (target == NULL)
    return;
  struct uv__parcel* parcel = parcel_get(listener);
  if (parcel == NULL) {
    (void) uvx_reject((uv_stream_t*) &server->tcp); /* cannot fail: one waits */
    report_error(listener, UV_ENOMEM);
    return;
  }
  int err = uvx_accept_fd((uv_stream_t*) &server->tcp, &fd);
  assert(err == 0); /* one waits */
  (void) err;
  parcel->target = target;
  parcel->sock = (uv_os_sock_t) fd;
  target->out++;
  (void) uvx_post(target->branch->slot->loop, &parcel->post, on_parcel);
}

void uv__turns_on_connection(uv_stream_t* stream, int status) {
  struct uv__server* server = server_of((uv_tcp_t*) stream);

  if (status == 0)
    hand_over(server);
  else
    report_error(server->branch->listener, status);
}

static void on_back(uvx_post_t* post) {
  struct uv__parcel* parcel = container_of(post, struct uv__parcel, post);
  uvx_listener_t* listener = parcel->target->branch->listener;

  parcel->target->out--;
  uv__queue_push_front(&listener->free, &parcel->link);
  for (struct uv__server* server = listener->branches[0].servers;
       server != NULL; server = server->next)
    if (server->is_stalled && server->is_open)
      hand_over(server);
}

void uv__turns_free(uvx_listener_t* listener) {
  while (!uv__queue_empty(&listener->free)) {
    struct uv__queue* link = uv__queue_pop_front(&listener->free);
    uv__free(uv__queue_entry(link, struct uv__parcel, link));
  }
}
