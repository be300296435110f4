/* SPDX-License-Identifier: MIT */
/* Poll handles: readiness of a socket.
 *
 * An AFD poll request completes once, so it is resubmitted after each
 * completion while the handle is started. A request that covers too few events,
 * or is no longer wanted, is cancelled: its completion is still to come and is
 * ignored. There are two slots for requests, so that a new one need not wait
 * for that; if both are in use, the first completion frees a slot.
 *
 * A slot is idle, submitted, or cancelled (submitted and dead). While the
 * callback runs, its slot counts as cancelled.
 */
#include "observe/callback.h"
#include "win/afd.h"
#include "win/fd.h"
#include "win/poll-handle.h"

#define SLOTS 2

struct slot {
  uv_req_t* req;
  AFD_POLL_INFO* info;
  unsigned char* requested; /* requested uv_poll_event bits; 0: idle */
  unsigned char* dead;      /* cancelled */
};

static const struct {
  int uv;
  unsigned int afd;
} event_map[] = {
  { UV_READABLE,
    UV__AFD_RECEIVE | UV__AFD_ACCEPT | UV__AFD_DISCONNECT | UV__AFD_ABORT },
  { UV_WRITABLE, UV__AFD_SEND | UV__AFD_CONNECT_FAIL | UV__AFD_ABORT },
  { UV_DISCONNECT, UV__AFD_DISCONNECT | UV__AFD_ABORT },
  { UV_PRIORITIZED, UV__AFD_URGENT },
};

static unsigned int to_afd(int events) {
  unsigned int result = UV__AFD_LOCAL_CLOSE;
  for (size_t i = 0; i < ARRAY_SIZE(event_map); i++)
    if (events & event_map[i].uv)
      result |= event_map[i].afd;
  return result;
}

static int from_afd(unsigned int events) {
  int result = 0;
  for (size_t i = 0; i < ARRAY_SIZE(event_map); i++)
    if (events & event_map[i].afd)
      result |= event_map[i].uv;
  return result;
}

static struct slot slot_at(uv_poll_t* handle, int i) {
  struct slot first = { &handle->poll_req_1, &handle->afd_poll_info_1,
                        &handle->submitted_events_1, &handle->mask_events_1 };
  struct slot second = { &handle->poll_req_2, &handle->afd_poll_info_2,
                         &handle->submitted_events_2, &handle->mask_events_2 };
  return i == 0 ? first : second;
}

static unsigned int slots_taken(const uv_poll_t* handle) {
  return (handle->submitted_events_1 != 0) + (handle->submitted_events_2 != 0);
}

static int is_slow(const uv_poll_t* handle) {
  return handle->peer_socket == INVALID_SOCKET;
}

static void cancel_slot(uv_poll_t* handle, const struct slot* slot) {
  *slot->dead = 1;
  if (is_slow(handle))
    uv__poll_slow_cancel(slot->info);
  else
    uv__afd_cancel(handle->loop, slot->req);
}

static int submit_to_afd(uv_poll_t* handle,
                         const struct slot* slot,
                         unsigned int events) {
  int type;
  int len = sizeof(type);

  int err = uv__afd_poll(handle->loop, handle->peer_socket, events, slot->info,
                         slot->req);
  if (err == 0 || slots_taken(handle) > 0)
    return err;
  /* A socket without an AFD base: some layered providers implement everything
   * themselves (none on Wine). Excludes sockets that are closed.
   * https://learn.microsoft.com/windows/win32/winsock/winsock-ioctls
   * (SIO_BASE_HANDLE) */
  if (getsockopt(handle->socket, SOL_SOCKET, SO_TYPE, (char*) &type, &len) == 0)
    handle->peer_socket = INVALID_SOCKET;
  return err;
}

static int poll_submit(uv_poll_t* handle, const struct slot* slot) {
  unsigned int events = to_afd(handle->events);
  int err = 0;

  if (!is_slow(handle))
    err = submit_to_afd(handle, slot, events);
  if (is_slow(handle))
    err = uv__poll_slow(handle->socket, events, slot->info, slot->req);
  if (err == 0)
    *slot->requested = handle->events;
  return err;
}

/* Adjusts the pending requests to handle->events. 0 or UV_E*. */
static int poll_update(uv_poll_t* handle) {
  int idle = -1;

  for (int i = 0; i < SLOTS; i++) {
    struct slot slot = slot_at(handle, i);
    if (*slot.requested == 0) {
      idle = i;
      continue;
    }
    if (*slot.dead)
      continue;
    /* Extra events do no harm: unwanted ones are not reported. */
    if (handle->events != 0 && (handle->events & ~*slot.requested) == 0)
      return 0;
    cancel_slot(handle, &slot);
  }
  if (handle->events == 0 || idle < 0)
    return 0;

  struct slot slot = slot_at(handle, idle);
  return poll_submit(handle, &slot);
}

/* INVALID_SOCKET if there is no such descriptor. */
uv_os_sock_t uv__poll_os_socket(int fd) {
  return (SOCKET) uv__fd_handle(fd);
}

int uv__poll_os_init(uv_loop_t* loop, uv_poll_t* handle, uv_os_sock_t socket) {
  u_long on = 1;
  SOCKET base;

  (void) loop;
  if (ioctlsocket(socket, FIONBIO, &on) != 0)
    return uv__wsa_error();
  if (uv__afd_base_socket(socket, &base) != 0)
    base = INVALID_SOCKET;

  handle->socket = socket;
  handle->peer_socket = base;
  handle->events = 0;
  for (int i = 0; i < SLOTS; i++) {
    struct slot slot = slot_at(handle, i);
    uv__req_init_own(slot.req, UV_POLL_REQ, handle);
    *slot.requested = 0;
    *slot.dead = 0;
  }
  return 0;
}

int uv__poll_os_check(const uv_poll_t* handle) {
  (void) handle; /* several handles may watch one socket */
  return 0;
}

int uv__poll_os_start(uv_poll_t* handle, int events) {
  handle->events = (unsigned char) events;
  int err = poll_update(handle);
  if (err != 0)
    (void) uv_poll_stop(handle); /* cannot fail */
  return err;
}

void uv__poll_os_stop(uv_poll_t* handle) {
  handle->events = 0;
  (void) poll_update(handle); /* submits nothing: cannot fail */
}

static void poll_fail(uv_poll_t* handle, int err) {
  (void) uv_poll_stop(handle); /* cannot fail */
  uv__call_poll(handle, err, 0);
}

static void poll_report(uv_poll_t* handle, const struct slot* slot) {
  int err = uv__req_sock_error(slot->req);
  unsigned int reported = uv__afd_result(slot->info, slot->req);

  if (err != 0) {
    poll_fail(handle, err);
    return;
  }
  if (reported & UV__AFD_LOCAL_CLOSE) {
    /* The program closed the socket: stop silently. */
    (void) uv_poll_stop(handle);
    return;
  }
  int events = from_afd(reported) & handle->events;
  if (events != 0)
    uv__call_poll(handle, 0, events);
}

void uv__poll_handle_done(uv_handle_t* base, uv_req_t* req) {
  uv_poll_t* handle = (uv_poll_t*) base;
  struct slot slot = slot_at(handle, req == &handle->poll_req_1 ? 0 : 1);
  int was_dead = *slot.dead;

  *slot.dead = 1;
  if (!was_dead)
    poll_report(handle, &slot);
  *slot.requested = 0;
  *slot.dead = 0;

  if (uv__is_closing(base)) {
    if (slots_taken(handle) == 0)
      uv__handle_close_later_done(base);
    return;
  }
  int err = poll_update(handle);
  if (err != 0)
    poll_fail(handle, err);
}

enum uv__close_result uv__poll_handle_close(uv_handle_t* base) {
  uv_poll_t* handle = (uv_poll_t*) base;

  (void) uv_poll_stop(handle); /* cannot fail */
  return uv__close_when_idle(slots_taken(handle));
}

int uv__poll_handle_fileno(const uv_handle_t* base, uv_os_fd_t* fd) {
  *fd = (HANDLE) ((const uv_poll_t*) base)->socket;
  return 0;
}
