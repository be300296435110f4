/* SPDX-License-Identifier: MIT */
/* Pipe servers.
 *
 *   bind: creates the first instance of the name -> listen: several instances,
 *   each with a UV_ACCEPT request -> a client connects -> queued, connection_cb
 *   -> uv_accept(): the client takes the instance, a new one is created
 *
 * A slot without an instance, because the system has no memory for one, is
 * tried again with every uv_accept(). When no slot is left, the callback gets
 * the error, and the next iteration tries again, as for TCP.
 */
#include "win/pipe.h"
#include "observe/callback.h"
#include "util/alloc.h"
#include "win/loop.h"

#include <string.h>

/* Connections that can be established before the loop accepts them. */
#define INSTANCES_DEFAULT 4

/* More than a process has handles for. */
#define INSTANCES_MAX 4096

static HANDLE new_instance(const WCHAR* name, DWORD first) {
  /* WRITE_DAC is for uv_pipe_chmod(). */
  return CreateNamedPipeW(
      name, PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | WRITE_DAC | first,
      PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT, PIPE_UNLIMITED_INSTANCES,
      UV__PIPE_BUFFER_SIZE, UV__PIPE_BUFFER_SIZE, 0, NULL);
}

/* The errors that other systems return. */
static int bind_error(DWORD sys_error) {
  switch (sys_error) {
  case ERROR_ACCESS_DENIED: /* owned by somebody else */
    return UV_EADDRINUSE;
  case ERROR_PATH_NOT_FOUND:
  case ERROR_INVALID_NAME:
    return UV_EACCES;
  default:
    return uv_translate_sys_error((int) sys_error);
  }
}

int uv__pipe_os_bind(uv_pipe_t* pipe, const struct uv__pipe_name* name) {
  WCHAR* wide = NULL;

  if (pipe->flags & (UV__BOUND | UV__PIPE_CONN))
    return UV_EINVAL;
  if (pipe->name != NULL)
    return UV_EINVAL; /* already connecting */
  int err = uv__pipe_wide_name(name, &wide);
  if (err != 0)
    return err;

  int count = pipe->pipe.serv.pending_instances;
  if (count <= 0 || count > INSTANCES_MAX)
    count = INSTANCES_DEFAULT;
  uv_pipe_accept_t* reqs = uv__calloc((size_t) count, sizeof(*reqs));
  if (reqs == NULL) {
    err = UV_ENOMEM;
    goto err_free;
  }
  HANDLE first = new_instance(wide, FILE_FLAG_FIRST_PIPE_INSTANCE);
  if (first == INVALID_HANDLE_VALUE) {
    err = bind_error(GetLastError());
    goto err_free;
  }

  for (int i = 0; i < count; i++) {
    uv__req_init_own(&reqs[i], UV_ACCEPT, pipe);
    reqs[i].pipeHandle = i == 0 ? first : INVALID_HANDLE_VALUE;
  }
  pipe->pipe.serv.pending_instances = count;
  pipe->pipe.serv.accept_reqs = reqs;
  pipe->pipe.serv.pending_accepts = NULL;
  pipe->name = wide;
  pipe->flags |= UV__PIPE_SERVER | UV__BOUND;
  return 0;

err_free:
  uv__free(reqs);
  uv__free(wide);
  return err;
}

void uv_pipe_pending_instances(uv_pipe_t* pipe, int count) {
  /* bind fixes the number of requests; a connection has none. */
  if (!(pipe->flags & (UV__PIPE_SERVER | UV__PIPE_CONN)) && count > 0)
    pipe->pipe.serv.pending_instances = count;
}

static void drop_instance(uv_pipe_accept_t* req) {
  if (req->pipeHandle != INVALID_HANDLE_VALUE)
    CloseHandle(req->pipeHandle);
  req->pipeHandle = INVALID_HANDLE_VALUE;
}

/* Starts waiting for a client; returns the Win32 error if that fails. */
static DWORD await_client(uv_pipe_t* server, uv_pipe_accept_t* req) {
  if (req->pipeHandle == INVALID_HANDLE_VALUE)
    req->pipeHandle = new_instance(server->name, 0);
  if (req->pipeHandle == INVALID_HANDLE_VALUE)
    return GetLastError();
  if (uv__loop_attach(server->loop, req->pipeHandle) != 0)
    return GetLastError();

  if (ConnectNamedPipe(req->pipeHandle, uv__req_overlapped(req)))
    return ERROR_SUCCESS;
  DWORD sys_error = GetLastError();
  switch (sys_error) {
  case ERROR_IO_PENDING:
    return ERROR_SUCCESS;
  case ERROR_PIPE_CONNECTED:
  case ERROR_NO_DATA: /* connected and closed: a connection at its end */
    uv__req_set_bytes(req, 0);
    uv__req_pend(server->loop, req);
    return ERROR_SUCCESS;
  default:
    return sys_error;
  }
}

/* Returns the Win32 error if there is no instance. */
static DWORD accept_submit(uv_pipe_t* server, uv_pipe_accept_t* req) {
  DWORD sys_error = await_client(server, req);

  if (sys_error == ERROR_SUCCESS)
    server->reqs_pending++;
  else
    drop_instance(req);
  return sys_error;
}

static int has_instance(const uv_pipe_t* server) {
  for (int i = 0; i < server->pipe.serv.pending_instances; i++)
    if (server->pipe.serv.accept_reqs[i].pipeHandle != INVALID_HANDLE_VALUE)
      return 1;
  return 0;
}

/* Keeps accepting, with all slots that can have an instance; if none can, the
 * callback gets the error. */
static void accept_continue(uv_pipe_t* server) {
  uv_pipe_accept_t* reqs = server->pipe.serv.accept_reqs;
  DWORD sys_error = ERROR_SUCCESS;

  for (int i = 0; i < server->pipe.serv.pending_instances; i++) {
    if (reqs[i].pipeHandle == INVALID_HANDLE_VALUE)
      sys_error = accept_submit(server, &reqs[i]);
    if (sys_error != ERROR_SUCCESS)
      break;
  }
  if (sys_error == ERROR_SUCCESS || has_instance(server))
    return;
  server->reqs_pending++;
  uv__req_set_error(&reqs[0], sys_error);
  uv__req_pend(server->loop, &reqs[0]);
}

int uv__pipe_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb) {
  uv_pipe_t* pipe = (uv_pipe_t*) stream;

  (void) backlog; /* see uv_pipe_pending_instances() */
  if (stream->flags & UV__PIPE_CONN)
    return UV_EINVAL;
  if (!(stream->flags & UV__PIPE_SERVER))
    return UV_EINVAL;

  int first_time = !(stream->flags & UV__LISTENING);
  stream->flags |= UV__LISTENING;
  stream->connection_cb = cb;
  if (!first_time)
    return 0;

  uv__activity_begin(stream, &stream->activecnt);
  /* The first has an instance since uv_pipe_bind(). If it cannot wait, it is a
   * slot like the others. */
  (void) accept_submit(pipe, &pipe->pipe.serv.accept_reqs[0]);
  accept_continue(pipe);
  return 0;
}

/* Connections are accepted in order of arrival. */
static void queue_connection(uv_pipe_t* server, uv_pipe_accept_t* req) {
  uv_pipe_accept_t** last = &server->pipe.serv.pending_accepts;

  while (*last != NULL)
    last = &(*last)->next_pending;
  req->next_pending = NULL;
  *last = req;
}

/* Is it worth trying again? */
static int is_shortage(int err) {
  return err == UV_EMFILE || err == UV_ENFILE || err == UV_ENOBUFS ||
         err == UV_ENOMEM || err == UV_EBUSY;
}

/* An instance was lost before it had a client, or there is none. */
static void accept_failed(uv_pipe_t* server, uv_pipe_accept_t* req) {
  int err = uv__req_error(req);
  int had_instance = req->pipeHandle != INVALID_HANDLE_VALUE;

  drop_instance(req);
  if (had_instance || is_shortage(err))
    accept_continue(server);
  if (server->connection_cb != NULL)
    uv__call_connection(uv__pipe_stream(server), err);
}

/* What the server has not announced yet, because it is paused: queued_bytes of
 * the request. */
enum { ANNOUNCED, HELD_BACK, ANNOUNCE_PENDED };

static void announce_client(uv_pipe_t* server, uv_pipe_accept_t* req) {
  req->u.io.queued_bytes = HELD_BACK;
  if (server->flags & UV__PAUSED)
    return;
  req->u.io.queued_bytes = ANNOUNCED;
  if (server->connection_cb != NULL)
    uv__call_connection(uv__pipe_stream(server), 0);
}

void uv__pipe_accept_done(uv_handle_t* handle, uv_req_t* base) {
  uv_pipe_t* server = (uv_pipe_t*) handle;
  uv_pipe_accept_t* req = (uv_pipe_accept_t*) base;

  if (uv__is_closing(handle)) {
    drop_instance(req);
  } else if (req->u.io.queued_bytes == ANNOUNCE_PENDED) {
    announce_client(server, req);
  } else if (uv__req_succeeded(req)) {
    queue_connection(server, req);
    announce_client(server, req);
  } else {
    accept_failed(server, req);
  }
  uv__req_finished(server, &server->reqs_pending);
}

/* Can the handle become a connection? */
static int check_client(const uv_stream_t* client) {
  if (client->type != UV_NAMED_PIPE || uv__is_closing(uv__base(client)))
    return UV_EINVAL;
  return client->flags & (UV__PIPE_CONN | UV__PIPE_SERVER) ? UV_EBUSY : 0;
}

/* Removes the oldest connection that was announced: its slot is free, its
 * handle the caller's. INVALID_HANDLE_VALUE if there is none. */
static HANDLE announced_take(uv_pipe_t* server) {
  uv_pipe_accept_t* req = server->pipe.serv.pending_accepts;

  if (req == NULL || req->u.io.queued_bytes != ANNOUNCED)
    return INVALID_HANDLE_VALUE;
  HANDLE instance = req->pipeHandle;
  server->pipe.serv.pending_accepts = req->next_pending;
  req->next_pending = NULL;
  req->pipeHandle = INVALID_HANDLE_VALUE;
  return instance;
}

static int is_ipc_connection(const uv_pipe_t* pipe) {
  return (pipe->flags & UV__PIPE_CONN) && pipe->ipc;
}

int uv__pipe_accept(uv_stream_t* stream, uv_stream_t* client) {
  uv_pipe_t* server = (uv_pipe_t*) stream;

  if (is_ipc_connection(server))
    return uv__ipc_accept(server, client);
  if (!(stream->flags & UV__PIPE_SERVER))
    return UV_EINVAL;
  HANDLE instance = announced_take(server);
  if (instance == INVALID_HANDLE_VALUE)
    return UV_EAGAIN;

  int err = check_client(client);
  if (err == 0)
    err = uv__pipe_adopt((uv_pipe_t*) client, instance,
                         UV__READABLE | UV__WRITABLE | UV__BOUND,
                         UV__PIPE_ATTACHED);
  if (err != 0)
    CloseHandle(instance);
  if (!uv__is_closing(uv__base(server)))
    accept_continue(server);
  return err;
}

int uv__pipe_reject(uv_stream_t* stream) {
  uv_pipe_t* server = (uv_pipe_t*) stream;

  if (is_ipc_connection(server))
    return uv__ipc_reject(server);
  if (!(stream->flags & UV__PIPE_SERVER))
    return UV_EAGAIN;
  HANDLE instance = announced_take(server);
  if (instance == INVALID_HANDLE_VALUE)
    return UV_EAGAIN;
  CloseHandle(instance);
  accept_continue(server);
  return 0;
}

void uv__pipe_listen_pause(uv_stream_t* stream, int is_paused) {
  uv_pipe_t* server = (uv_pipe_t*) stream;
  uv_pipe_accept_t* req = server->pipe.serv.pending_accepts;

  stream->flags &= ~UV__PAUSED;
  if (is_paused) {
    stream->flags |= UV__PAUSED;
    return;
  }
  for (; req != NULL; req = req->next_pending) {
    if (req->u.io.queued_bytes != HELD_BACK)
      continue;
    req->u.io.queued_bytes = ANNOUNCE_PENDED;
    server->reqs_pending++;
    uv__req_pend(server->loop, req);
  }
}

void uv__pipe_server_close(uv_pipe_t* pipe) {
  for (int i = 0; i < pipe->pipe.serv.pending_instances; i++)
    drop_instance(&pipe->pipe.serv.accept_reqs[i]);
  pipe->pipe.serv.pending_accepts = NULL;
}
