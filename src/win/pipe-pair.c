/* SPDX-License-Identifier: MIT */
/* Creates both ends of a pipe: uv_pipe() and the standard streams of children.
 * It is a named pipe with a unique name, because anonymous ones cannot be
 * overlapped; there is only one instance, so nobody else can connect.
 */
#include "win/pipe.h"
#include "util/atomic.h"

#include <stdio.h>
#include <string.h>

/* Attempts to find an unused name. */
#define NAME_TRIES_MAX 64

#define NAME_UNITS 80

struct pair_options {
  DWORD server_access; /* PIPE_ACCESS_* | FILE_FLAG_OVERLAPPED */
  DWORD client_access; /* GENERIC_* */
  DWORD client_flags;  /* 0 or FILE_FLAG_OVERLAPPED */
  BOOL inherit;        /* can children inherit the client's end? */
};

/* App containers may create pipes only under LOCAL; elsewhere it is a name like
 * any other. */
static void make_name(WCHAR name[NAME_UNITS]) {
  static unsigned int count;
  LARGE_INTEGER ticks;

  QueryPerformanceCounter(&ticks);
  swprintf(name, NAME_UNITS, L"\\\\.\\pipe\\LOCAL\\uv-%lx-%x-%llx",
           GetCurrentProcessId(), uv__fetch_add(&count, 1),
           (unsigned long long) ticks.QuadPart);
}

static HANDLE open_server(WCHAR name[NAME_UNITS], DWORD access) {
  for (int i = 0; i < NAME_TRIES_MAX; i++) {
    make_name(name);
    HANDLE server = CreateNamedPipeW(
        name, access | FILE_FLAG_FIRST_PIPE_INSTANCE,
        PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT |
            PIPE_REJECT_REMOTE_CLIENTS,
        1, UV__PIPE_BUFFER_SIZE, UV__PIPE_BUFFER_SIZE, 0, NULL);
    if (server != INVALID_HANDLE_VALUE)
      return server;
    DWORD sys_error = GetLastError();
    if (sys_error != ERROR_ACCESS_DENIED && sys_error != ERROR_PIPE_BUSY)
      break;
  }
  return INVALID_HANDLE_VALUE;
}

/* Sets the last error on failure. */
static int make_pair(const struct pair_options* options,
                     HANDLE* server,
                     HANDLE* client) {
  SECURITY_ATTRIBUTES attributes = { sizeof(attributes), NULL,
                                     options->inherit };
  WCHAR name[NAME_UNITS];

  HANDLE server_end = open_server(name, options->server_access);
  if (server_end == INVALID_HANDLE_VALUE)
    return uv__last_error();
  HANDLE client_end = CreateFileW(name, options->client_access, 0, &attributes,
                                  OPEN_EXISTING, options->client_flags, NULL);
  int err = client_end == INVALID_HANDLE_VALUE ? uv__last_error() : 0;

  /* The client is connected, so this returns at once; Wine counts the pipe as
   * connected only after this call. */
  if (err == 0 && !(options->server_access & FILE_FLAG_OVERLAPPED))
    (void) ConnectNamedPipe(server_end, NULL);
  if (err != 0) {
    CloseHandle(server_end);
    return err;
  }
  *server = server_end;
  *client = client_end;
  return 0;
}

static DWORD overlapped_if(int flags) {
  return flags & UV_NONBLOCK_PIPE ? FILE_FLAG_OVERLAPPED : 0;
}

int uv_pipe(uv_file fds[2], int read_flags, int write_flags) {
  struct pair_options options = {
    .server_access = PIPE_ACCESS_INBOUND | overlapped_if(read_flags),
    .client_access = GENERIC_WRITE | FILE_READ_ATTRIBUTES,
    .client_flags = overlapped_if(write_flags),
    .inherit = FALSE,
  };
  HANDLE ends[2];

  int err = make_pair(&options, &ends[0], &ends[1]);
  if (err != 0)
    return err;
  int reader = uv_open_osfhandle(ends[0]);
  int writer = reader == -1 ? -1 : uv_open_osfhandle(ends[1]);
  if (writer != -1) {
    fds[0] = reader;
    fds[1] = writer;
    return 0;
  }

  CloseHandle(ends[1]);
  if (reader == -1) {
    CloseHandle(ends[0]);
  } else {
    uv_fs_t req;
    uv_fs_close(NULL, &req, reader, NULL);
    uv_fs_req_cleanup(&req);
  }
  return UV_EMFILE;
}

int uv__pipe_open_stdio(uv_pipe_t* pipe,
                        unsigned int flags,
                        HANDLE* child_end) {
  struct pair_options options = {
    .server_access = FILE_FLAG_OVERLAPPED,
    .client_access = FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES,
    /* Children with an IPC pipe read and write at the same time. */
    .client_flags =
        pipe->ipc ? FILE_FLAG_OVERLAPPED : overlapped_if((int) flags),
    .inherit = TRUE,
  };
  unsigned int ours = 0;
  HANDLE server = INVALID_HANDLE_VALUE;
  HANDLE client = INVALID_HANDLE_VALUE;

  if (flags & UV_READABLE_PIPE) {
    options.server_access |= PIPE_ACCESS_OUTBOUND;
    options.client_access |= GENERIC_READ;
    ours |= UV__WRITABLE;
  }
  if (flags & UV_WRITABLE_PIPE) {
    options.server_access |= PIPE_ACCESS_INBOUND;
    options.client_access |= GENERIC_WRITE;
    ours |= UV__READABLE;
  }
  if (ours == 0)
    return UV_EINVAL;

  int err = make_pair(&options, &server, &client);
  if (err != 0)
    return err;
  err = uv__pipe_adopt(pipe, server, ours, UV__PIPE_CREATED);
  if (err != 0) {
    CloseHandle(server);
    CloseHandle(client);
    return err;
  }
  *child_end = client;
  return 0;
}
