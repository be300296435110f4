/* SPDX-License-Identifier: MIT */
/* Pipe clients.
 *
 *   connect: opens the name -> UV_CONNECT is pended
 *   all instances busy -> a thread waits for one and opens it -> UV_CONNECT
 *
 * The request holds the new OS handle until its handler gives it to the pipe.
 * If the pipe has been closed meanwhile, the OS handle is closed too.
 */
#include "win/pipe.h"
#include "observe/callback.h"
#include "util/alloc.h"
#include "win/system-work.h"

#include <string.h>
#include <wchar.h>

/* How long to wait for a server without a free instance. */
#define BUSY_TIMEOUT_MS 30000

/* Another client may take a free instance first. */
#define BUSY_TRIES_MAX 1000

struct access_mode {
  DWORD access;
  unsigned int flags;
};

/* Tried in this order: the server decides which access is allowed. */
static const struct access_mode access_modes[] = {
  { GENERIC_READ | GENERIC_WRITE, UV__READABLE | UV__WRITABLE },
  { GENERIC_READ | FILE_WRITE_ATTRIBUTES, UV__READABLE },
  { GENERIC_WRITE | FILE_READ_ATTRIBUTES, UV__WRITABLE },
};

/* Opens the name; on failure GetLastError() has the error. Context: any. */
static HANDLE open_name(const WCHAR* name, DWORD* flags) {
  for (size_t i = 0; i < ARRAY_SIZE(access_modes); i++) {
    HANDLE handle = CreateFileW(name, access_modes[i].access, 0, NULL,
                                OPEN_EXISTING, FILE_FLAG_OVERLAPPED, NULL);
    if (handle != INVALID_HANDLE_VALUE) {
      *flags = access_modes[i].flags;
      return handle;
    }
    if (GetLastError() != ERROR_ACCESS_DENIED)
      break;
  }
  return INVALID_HANDLE_VALUE;
}

/* Tries once and stores the result in the request. */
static DWORD try_open(uv_connect_t* req, const WCHAR* name) {
  DWORD flags = 0;
  HANDLE handle = open_name(name, &flags);
  DWORD sys_error = handle == INVALID_HANDLE_VALUE ? GetLastError() : 0;

  uv__req_set_error(req, sys_error);
  req->u.connect.pipeHandle = handle;
  req->u.connect.duplex_flags = flags;
  return sys_error;
}

/* Context: system thread pool. Owns its copy of the name. */
static void CALLBACK wait_and_open(PTP_CALLBACK_INSTANCE instance, void* arg) {
  uv_connect_t* req = arg;
  uv_loop_t* loop = req->handle->loop;
  WCHAR* name = req->u.connect.name;
  DWORD sys_error = ERROR_PIPE_BUSY;

  (void) instance;
  for (int i = 0; i < BUSY_TRIES_MAX && sys_error == ERROR_PIPE_BUSY; i++) {
    if (WaitNamedPipeW(name, BUSY_TIMEOUT_MS)) {
      sys_error = try_open(req, name);
    } else {
      sys_error = GetLastError();
      uv__req_set_error(req, sys_error);
      req->u.connect.pipeHandle = INVALID_HANDLE_VALUE;
    }
  }
  uv__free(name);
  req->u.connect.name = NULL;
  uv__req_post(loop, req);
}

static int wait_on_thread(uv_connect_t* req, const WCHAR* name) {
  size_t size = (wcslen(name) + 1) * sizeof(*name);
  WCHAR* copy = uv__malloc(size);
  if (copy == NULL)
    return UV_ENOMEM;

  memcpy(copy, name, size);
  req->u.connect.name = copy;
  int err = uv__system_work(wait_and_open, req);
  if (err != 0)
    uv__free(copy);
  return err;
}

static void connect_begin(uv_pipe_t* pipe, uv_connect_t* req) {
  req->handle = uv__pipe_stream(pipe);
  memset(&req->u, 0, sizeof(req->u));
  req->u.connect.pipeHandle = INVALID_HANDLE_VALUE;
  uv__req_start(pipe->loop, req, UV_CONNECT);
  uv__activity_begin(pipe, &pipe->activecnt);
  pipe->reqs_pending++;
}

void uv__pipe_os_connect_fail(uv_connect_t* req, uv_pipe_t* pipe, int err) {
  if (uv__is_closing(uv__base(pipe)))
    return; /* a closing handle takes no more requests */

  connect_begin(pipe, req);
  uv__req_set_error(req, ERROR_INVALID_PARAMETER);
  req->u.connect.pipeHandle = INVALID_HANDLE_VALUE;
  req->u.connect.duplex_flags = (DWORD) err; /* negative: not attempted */
  uv__req_pend(pipe->loop, req);
}

int uv__pipe_os_connect(uv_connect_t* req,
                        uv_pipe_t* pipe,
                        const struct uv__pipe_name* name) {
  WCHAR* wide = NULL;

  if (pipe->flags & UV__PIPE_SERVER)
    return UV_EINVAL;
  if (pipe->flags & UV__PIPE_CONN) { /* as in libuv on Windows */
    uv__pipe_os_connect_fail(req, pipe, UV_EBUSY);
    return 0;
  }
  int err = uv__pipe_wide_name(name, &wide);
  if (err != 0)
    return err;
  if (pipe->name != NULL) {
    uv__free(wide);
    return UV_EALREADY;
  }

  pipe->name = wide;
  connect_begin(pipe, req);
  DWORD sys_error = try_open(req, wide);
  if (sys_error == ERROR_SUCCESS)
    pipe->flags |= UV__PIPE_REACHED;
  if (sys_error == ERROR_PIPE_BUSY) {
    err = wait_on_thread(req, wide);
    if (err == 0)
      return 0;
    uv__req_set_error(req, ERROR_NOT_ENOUGH_MEMORY);
    req->u.connect.pipeHandle = INVALID_HANDLE_VALUE;
  }
  uv__req_pend(pipe->loop, req);
  return 0;
}

/* Determines the result; on success the pipe is open. */
static int connect_finish(uv_pipe_t* pipe, uv_connect_t* req) {
  HANDLE handle = req->u.connect.pipeHandle;
  DWORD flags = req->u.connect.duplex_flags;
  int err;

  /* A failure keeps its error, also if the pipe was closed meanwhile. */
  if (handle == INVALID_HANDLE_VALUE)
    return (int) flags < 0 ? (int) flags : uv__req_error(req);
  err = UV_ECANCELED;
  if (!uv__is_closing(uv__base(pipe)))
    err = uv__pipe_adopt(pipe, handle, flags, UV__PIPE_CREATED);
  if (err != 0)
    CloseHandle(handle);
  return err;
}

void uv__pipe_connect_done(uv_handle_t* handle, uv_req_t* base) {
  uv_pipe_t* pipe = (uv_pipe_t*) handle;
  uv_connect_t* req = (uv_connect_t*) base;
  int was_tried = (int) req->u.connect.duplex_flags >= 0;
  int err = connect_finish(pipe, req);

  pipe->flags &= ~UV__PIPE_REACHED;
  if (err != 0 && was_tried) {
    uv__free(pipe->name); /* the caller may try again */
    pipe->name = NULL;
  }
  uv__req_unregister(pipe->loop);
  uv__activity_end(pipe, &pipe->activecnt);
  uv__req_set_reported(req);
  if (req->cb != NULL)
    uv__call_connect(req, err);
  uv__req_finished(pipe, &pipe->reqs_pending);
}
