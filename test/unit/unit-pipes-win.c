/* SPDX-License-Identifier: MIT */
/* Pipe servers when the system has no memory for another instance of the pipe,
 * which Wine always has. */
#include "replace-win.h"

#include <stdio.h>

#define CLIENTS 5

static uv_loop_t loop;
static uv_pipe_t server;
static uv_pipe_t clients[CLIENTS];
static uv_pipe_t accepted[CLIENTS];
static int naccepted;
static int shortages;     /* errors that the server was told of */
static int is_short;      /* no instance can be created */
static int accepts_later; /* connections wait for the test */

static HANDLE WINAPI answer_CreateNamedPipeW(const WCHAR* name,
                                             DWORD open_mode,
                                             DWORD pipe_mode,
                                             DWORD instances,
                                             DWORD out_size,
                                             DWORD in_size,
                                             DWORD timeout,
                                             SECURITY_ATTRIBUTES* security) {
  if (!is_short)
    return REAL("kernel32", CreateNamedPipeW)(name, open_mode, pipe_mode,
                                              instances, out_size, in_size,
                                              timeout, security);
  SetLastError(ERROR_NO_SYSTEM_RESOURCES);
  return INVALID_HANDLE_VALUE;
}
REPLACE(CreateNamedPipeW, 32);

static void accept_one(void) {
  CHECK(naccepted < CLIENTS);
  CHECK_EQ(0, uv_pipe_init(&loop, &accepted[naccepted], 0));
  CHECK_EQ(0, uv_accept((uv_stream_t*) &server,
                        (uv_stream_t*) &accepted[naccepted]));
  naccepted++;
}

static int waiting;

static void on_connection(uv_stream_t* stream, int status) {
  CHECK(stream == (uv_stream_t*) &server);
  if (status != 0) {
    CHECK_EQ(UV_ENOMEM, status);
    shortages++;
  } else if (accepts_later) {
    waiting++;
  } else {
    accept_one();
  }
}

static int connects;

static void on_connect(uv_connect_t* req, int status) {
  (void) req;
  CHECK_EQ(0, status);
  connects++;
}

static void connect_client(int i, const char* name) {
  static uv_connect_t reqs[CLIENTS];

  CHECK_EQ(0, uv_pipe_init(&loop, &clients[i], 0));
  uv_pipe_connect(&reqs[i], &clients[i], name, on_connect);
}

/* Four connections wait; each uv_accept() needs a new instance and gets none.
 * The server hears of it, and takes a client that comes later. */
UNIT_TEST(pipe_server_outlives_a_shortage) {
  char name[64];

  snprintf(name, sizeof(name), "\\\\.\\pipe\\uv-shortage-%d",
           (int) uv_os_getpid());
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_pipe_init(&loop, &server, 0));
  CHECK_EQ(0, uv_pipe_bind(&server, name));
  CHECK_EQ(0, uv_listen((uv_stream_t*) &server, 1, on_connection));
  accepts_later = 1;
  for (int i = 0; i < CLIENTS - 1; i++)
    connect_client(i, name);
  while (waiting < CLIENTS - 1 || connects < CLIENTS - 1)
    uv_run(&loop, UV_RUN_ONCE);

  is_short = 1;
  for (int i = 0; i < CLIENTS - 1; i++)
    accept_one();
  for (int i = 0; i < 3; i++)
    uv_run(&loop, UV_RUN_NOWAIT);
  CHECK(shortages > 0);

  is_short = 0;
  accepts_later = 0;
  uv_run(&loop, UV_RUN_NOWAIT);
  connect_client(CLIENTS - 1, name);
  while (naccepted < CLIENTS || connects < CLIENTS)
    uv_run(&loop, UV_RUN_ONCE);

  uv_close((uv_handle_t*) &server, NULL);
  for (int i = 0; i < CLIENTS; i++) {
    uv_close((uv_handle_t*) &clients[i], NULL);
    uv_close((uv_handle_t*) &accepted[i], NULL);
  }
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, uv_loop_close(&loop));
}
