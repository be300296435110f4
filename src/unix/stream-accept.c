/* SPDX-License-Identifier: MIT */
/* Listening, and accepting connections.
 *
 * One connection is accepted per readiness event, so that processes sharing the
 * socket share the load. It waits in accepted_fd; if the callback does not
 * uv_accept() it, POLLIN interest is dropped until uv_accept() is called.
 * Without a callback there is no interest: connections wait in the backlog
 * until another uv_listen() brings one. A paused server has a handler of its
 * own, which drops the interest, so that others need not test for the pause.
 *
 * When the process is out of descriptors, a pending connection would keep the
 * socket readable for ever. The loop therefore holds a descriptor in reserve:
 * it is closed to accept the connection and hang up on it, then reopened.
 * Without the reserve the callback gets the error.
 */
#include "os/stream.h"
#include "observe/callback.h"
#include "unix/fd.h"
#include "unix/sock.h"
#include "unix/stream.h"
#include "unix/wake-fd.h"

#include <fcntl.h>
#include <sys/socket.h>

/* Opens no file, which a sandbox may forbid while the loop runs: duplicates the
 * wake fd. kqueue may need no wake fd, and a kqueue itself is not inherited by
 * a forked child; then an unconnected socket serves. */
static void open_reserve(uv_loop_t* loop) {
  if (loop->emfile_fd != -1)
    return;
  int self_fd = uv__wake_fd_get(loop);
  int fd = self_fd != -1 ? uv__fd_dup(self_fd)
                         : uv__sock_open(AF_UNIX, SOCK_STREAM, 0);
  fd = uv__fd_above_stdio(fd);
  if (fd >= 0)
    loop->emfile_fd = fd; /* otherwise the next accept tries again */
}

static int ready_to_listen(uv_stream_t* stream) {
  if (stream->type == UV_TCP)
    return uv__tcp_ready_to_listen((uv_tcp_t*) stream);

  /* Only a connected pipe can pass descriptors; only a bound one can listen. */
  if (uv__stream_fd(stream) == -1 || ((uv_pipe_t*) stream)->ipc)
    return UV_EINVAL;
  return 0;
}

/* Waits for the next connection, if there is a callback to report it to. */
static void await_connection(uv_stream_t* server) {
  if (server->connection_cb == NULL)
    uv__io_stop(server->loop, &server->io_watcher, POLLIN);
  else if (server->accepted_fd == -1)
    uv__io_start(server->loop, &server->io_watcher, POLLIN);
}

static int is_paused(const uv_stream_t* server) {
  return uv__io_kind(&server->io_watcher) == UV__IO_SERVER_PAUSED;
}

int uv__stream_os_listen(uv_stream_t* stream,
                         int backlog,
                         uv_connection_cb cb) {
  int err = ready_to_listen(stream);
  if (err != 0)
    return err;
  if (listen(uv__stream_fd(stream), backlog) != 0)
    return uv__errno();

  open_reserve(stream->loop);
  stream->connection_cb = cb;
  stream->flags |= UV__LISTENING;
  if (!is_paused(stream))
    uv__io_set_kind(&stream->io_watcher, UV__IO_SERVER);
  await_connection(stream);
  uv__handle_start(uv__base(stream));
  return 0;
}

static int is_out_of_fds(int err) {
  return err == UV_EMFILE || err == UV_ENFILE;
}

/* Closes one pending connection. UV_EAGAIN if that worked. */
static int shed_one(uv_loop_t* loop, int server_fd, int err) {
  if (loop->emfile_fd == -1)
    return err;

  uv__fd_close(loop->emfile_fd);
  loop->emfile_fd = -1;
  int fd = uv__sock_accept(server_fd);
  if (fd >= 0)
    uv__fd_close(fd);
  open_reserve(loop);

  /* Another thread may have taken the descriptor first. */
  return is_out_of_fds(fd) ? err : UV_EAGAIN;
}

/* The next connection or UV_E*. */
static int take_connection(uv_stream_t* server) {
  int fd = uv__sock_accept(uv__stream_fd(server));

  if (is_out_of_fds(fd))
    return shed_one(server->loop, uv__stream_fd(server), fd);
  if (fd >= 0)
    open_reserve(server->loop);
  return fd;
}

static void connection_report(uv_stream_t* server, int status) {
  if (server->connection_cb != NULL)
    uv__call_connection(server, status);
}

void uv__server_io(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  uv_stream_t* server = container_of(w, uv_stream_t, io_watcher);
  int refused = w->events == 0 && (events & POLLERR) != 0;

  /* A connect was also attempted on it, and its callback is pending. */
  if (server->connect_req != NULL) {
    uv__stream_io(loop, w, events);
    return;
  }
  if (server->accepted_fd == -1) {
    int fd = take_connection(server);
    if (fd == UV_EAGAIN && refused)
      fd = uv__stream_poll_error(server);
    if (fd == UV_EAGAIN || fd == UV_ECONNABORTED)
      return; /* gone before it was accepted */
    if (fd < 0) {
      connection_report(server, fd);
      return;
    }
    server->accepted_fd = fd;
    connection_report(server, 0);
  }

  if (server->accepted_fd != -1)
    uv__io_stop(loop, w, POLLIN);
}

void uv__server_paused_io(uv_loop_t* loop, uv__io_t* w, unsigned events) {
  uv_stream_t* server = container_of(w, uv_stream_t, io_watcher);

  if (server->connect_req != NULL)
    uv__stream_io(loop, w, events); /* as in uv__server_io() */
  else
    uv__io_stop(loop, w, POLLIN);
}

void uv__stream_os_listen_pause(uv_stream_t* server, int paused) {
  uv__io_t* w = &server->io_watcher;

  uv__io_set_kind(w, paused ? UV__IO_SERVER_PAUSED : UV__IO_SERVER);
  if (paused)
    uv__io_stop(server->loop, w, POLLIN);
  else
    await_connection(server);
}

/* Opens a connection that we accepted, or a received descriptor of unknown
 * type. */
static int open_client(const uv_stream_t* server, uv_stream_t* client, int fd) {
  if (!(server->flags & (UV__LISTENING | UV__STREAM_FED)))
    return uv__stream_adopt(client, fd);
  unsigned kind = server->flags & (UV__STREAM_SOCKET | UV__STREAM_MESSAGES);
  return uv__stream_open(client, fd,
                         UV__READABLE | UV__WRITABLE | UV__CONNECTED | kind);
}

static int hand_over(uv_stream_t* server, uv_stream_t* client, int fd) {
  int err = client->type == UV_UDP ? uv_udp_open((uv_udp_t*) client, fd)
                                   : open_client(server, client, fd);
  if (err != 0)
    uv__fd_close(fd);
  return err;
}

/* accepted_fd was delivered or dropped: continues with the next one. */
static void accept_next(uv_stream_t* server) {
  server->accepted_fd = uv__ipc_next_fd(server);
  if (server->flags & UV__LISTENING)
    await_connection(server);
}

int uv__stream_os_accept(uv_stream_t* server, uv_stream_t* client) {
  int fd = server->accepted_fd;

  if (fd == -1)
    return UV_EAGAIN;
  if (uv__is_closing(uv__base(client)))
    return UV_EINVAL;
  if (client->type != UV_TCP && client->type != UV_NAMED_PIPE &&
      client->type != UV_UDP)
    return UV_EINVAL;

  int err = hand_over(server, client, fd);
  accept_next(server);
  return err;
}

int uv__stream_os_accept_fd(uv_stream_t* server, uv_os_fd_t* fd) {
  if (server->accepted_fd == -1)
    return UV_EAGAIN;
  *fd = server->accepted_fd;
  accept_next(server);
  return 0;
}

int uv__stream_os_reject(uv_stream_t* server) {
  int fd;
  int err = uv__stream_os_accept_fd(server, &fd);

  if (err == 0)
    uv__fd_close(fd);
  return err;
}
