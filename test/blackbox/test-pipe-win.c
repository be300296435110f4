/* SPDX-License-Identifier: MIT */
/* Pipes on Windows have no half-closed state: when a shutdown completes, and
 * what the peer can still read. Also what a failed connect leaves. Method: both
 * ends in one loop. */
#include "test.h"

#include <tlhelp32.h>

static uv_loop_t loop;
static uv_pipe_t server;
static uv_pipe_t client;
static uv_pipe_t accepted;
static uv_connect_t connect_req;
static uv_write_t write_req;
static uv_shutdown_t shutdown_req;
static int is_accepted;
static int shutdown_status = 1;
static size_t received;
static int ends;

static void on_connection(uv_stream_t* stream, int status) {
  ASSERT_OK(status);
  ASSERT_OK(uv_pipe_init(&loop, &accepted, 0));
  ASSERT_OK(uv_accept(stream, (uv_stream_t*) &accepted));
  is_accepted = 1;
}

static void on_connect(uv_connect_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
}

static void on_written(uv_write_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  shutdown_status = status;
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread < 0) {
    ASSERT_ERR(UV_EOF, nread);
    uv_close((uv_handle_t*) stream, NULL);
    ends++;
    return;
  }
  ASSERT_EQ(1, shutdown_status); /* not before */
  received += (size_t) nread;
}

static void connect_client(void) {
  const char* name = test_pipe_name("shutdown");

  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_bind(&server, name));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, 1, on_connection));
  uv_pipe_connect(&connect_req, &client, name, on_connect);
  while (!is_accepted)
    uv_run(&loop, UV_RUN_ONCE);
  uv_close((uv_handle_t*) &server, NULL);
}

static void connect_pipes(void) {
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &client, 0));
  connect_client();
}

/* Issue 15: the queue is shorter as soon as the system has the data, which Node
 * looks at. */
TEST_IMPL(pipe_write_that_is_taken_leaves_the_queue) {
  uv_buf_t buf = uv_buf_init((char*) "hello", 5);
  uv_stream_t* writer = (uv_stream_t*) &client;

  connect_pipes();
  ASSERT_OK(uv_write(&write_req, writer, &buf, 1, on_written));
  ASSERT_EQ(0, uv_stream_get_write_queue_size(writer));
  ASSERT_EQ(5, uv_write_nwritten(&write_req));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(0, uv_stream_get_write_queue_size(writer));
  ASSERT_EQ(5, uv_write_nwritten(&write_req));
  uv_close((uv_handle_t*) &client, NULL);
  uv_close((uv_handle_t*) &accepted, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* Writes, shuts down, and lets the loop do everything it can without the peer.
 */
static void write_and_shut_down(uv_pipe_t* writer) {
  uv_buf_t buf = uv_buf_init((char*) "hello", 5);

  ASSERT_OK(uv_write(&write_req, (uv_stream_t*) writer, &buf, 1, on_written));
  ASSERT_OK(uv_shutdown(&shutdown_req, (uv_stream_t*) writer, on_shutdown));
  for (int i = 0; i < 20; i++) {
    uv_run(&loop, UV_RUN_NOWAIT);
    uv_sleep(2);
  }
}

static void shutdown_waits(uv_pipe_t* writer, uv_pipe_t* reader) {
  write_and_shut_down(writer);
  ASSERT_EQ(1, shutdown_status); /* nobody has read yet */
  ASSERT_OK(uv_read_start((uv_stream_t*) reader, test_alloc, on_read));
  while (shutdown_status == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_EQ(0, shutdown_status);
  ASSERT_EQ(5, received);
  test_close_loop(&loop);
}

TEST_IMPL(pipe_shutdown_waits_for_the_reader) {
  connect_pipes();
  shutdown_waits(&accepted, &client);
  return 0;
}

TEST_IMPL(pipe_shutdown_of_the_client_waits_for_the_reader) {
  connect_pipes();
  shutdown_waits(&client, &accepted);
  return 0;
}

/* Closed before anybody has read: what was written is not lost. */
TEST_IMPL(pipe_close_while_a_shutdown_waits) {
  connect_pipes();
  write_and_shut_down(&accepted);
  uv_close((uv_handle_t*) &accepted, NULL);
  while (shutdown_status == 1)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_ERR(UV_ECANCELED, shutdown_status);
  shutdown_status = 1;
  ASSERT_OK(uv_read_start((uv_stream_t*) &client, test_alloc, on_read));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(5, received);
  ASSERT_EQ(1, ends);
  test_close_loop(&loop);
  return 0;
}

static int is_closed;

static void on_close(uv_handle_t* handle) {
  (void) handle;
  is_closed = 1;
}

static void close_and_wait(uv_pipe_t* pipe) {
  is_closed = 0;
  uv_close((uv_handle_t*) pipe, on_close);
  while (!is_closed)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_ERR(UV_ECANCELED, shutdown_status);
}

/* Issue 30: the thread of the shutdown kept the pipe open. */
TEST_IMPL(pipe_close_of_a_waiting_shutdown_is_seen_by_the_peer) {
  uv_buf_t buf = uv_buf_init((char*) "hello", 5);

  connect_pipes();
  write_and_shut_down(&accepted);
  ASSERT_EQ(1, shutdown_status);
  close_and_wait(&accepted);
  ASSERT_ERR(UV_EPIPE,
             uv_write(&write_req, (uv_stream_t*) &client, &buf, 1, on_written));
  test_close_loop(&loop);
  return 0;
}

static int thread_count(void) {
  HANDLE list = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
  THREADENTRY32 entry = { .dwSize = sizeof(entry) };
  int count = 0;

  ASSERT(list != INVALID_HANDLE_VALUE);
  for (BOOL ok = Thread32First(list, &entry); ok;
       ok = Thread32Next(list, &entry))
    count += entry.th32OwnerProcessID == GetCurrentProcessId();
  CloseHandle(list);
  ASSERT_GT(count, 0);
  return count;
}

#define SHUTDOWNS 10

/* Peers that never read. A thread of the pool may still be idle afterwards. */
TEST_IMPL(pipe_closes_of_waiting_shutdowns_leave_no_threads) {
  uv_file fds[SHUTDOWNS][2];
  uv_fs_t req;
  int before = 0;

  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < SHUTDOWNS; i++) {
    shutdown_status = 1;
    ASSERT_OK(uv_pipe(fds[i], UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
    ASSERT_OK(uv_pipe_init(&loop, &client, 0));
    ASSERT_OK(uv_pipe_open(&client, fds[i][1]));
    write_and_shut_down(&client);
    ASSERT_EQ(1, shutdown_status);
    if (i == 0)
      before = thread_count();
    close_and_wait(&client);
  }
  ASSERT_LE(thread_count(), before + 1);
  for (int i = 0; i < SHUTDOWNS; i++)
    ASSERT_OK(uv_fs_close(NULL, &req, fds[i][0], NULL));
  test_close_loop(&loop);
  return 0;
}

/* The functions of a libuv.dll that the program is not linked to. */
static struct {
  int (*loop_init)(uv_loop_t*);
  int (*loop_close)(uv_loop_t*);
  int (*run)(uv_loop_t*, uv_run_mode);
  int (*pipe)(uv_file*, int, int);
  int (*pipe_init)(uv_loop_t*, uv_pipe_t*, int);
  int (*pipe_open)(uv_pipe_t*, uv_file);
  int (*write)(uv_write_t*,
               uv_stream_t*,
               const uv_buf_t*,
               unsigned int,
               uv_write_cb);
  int (*shutdown)(uv_shutdown_t*, uv_stream_t*, uv_shutdown_cb);
  void (*close)(uv_handle_t*, uv_close_cb);
  void (*library_shutdown)(void);
} dll;

#define DLL_FUNCTION(name)                                                     \
 { "uv_" #name, (FARPROC*) (void*) &dll.name }

static int load_dll(const char* file) {
  static const struct {
    const char* name;
    FARPROC* function;
  } rows[] = { DLL_FUNCTION(loop_init), DLL_FUNCTION(loop_close),
               DLL_FUNCTION(run),       DLL_FUNCTION(pipe),
               DLL_FUNCTION(pipe_init), DLL_FUNCTION(pipe_open),
               DLL_FUNCTION(write),     DLL_FUNCTION(shutdown),
               DLL_FUNCTION(close),     DLL_FUNCTION(library_shutdown) };
  HMODULE module = GetModuleHandleA(file) == NULL ? LoadLibraryA(file) : NULL;

  if (module == NULL)
    return 0;
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    *rows[i].function = GetProcAddress(module, rows[i].name);
    ASSERT_NOT_NULL(*rows[i].function);
  }
  return 1;
}

static void shut_down_in_dll(uv_file writer) {
  uv_buf_t buf = uv_buf_init((char*) "hello", 5);
  uv_stream_t* stream = (uv_stream_t*) &client;

  ASSERT_OK(dll.loop_init(&loop));
  ASSERT_OK(dll.pipe_init(&loop, &client, 0));
  ASSERT_OK(dll.pipe_open(&client, writer));
  ASSERT_OK(dll.write(&write_req, stream, &buf, 1, on_written));
  ASSERT_OK(dll.shutdown(&shutdown_req, stream, on_shutdown));
  for (int i = 0; i < 20; i++) {
    dll.run(&loop, UV_RUN_NOWAIT);
    uv_sleep(2);
  }
  ASSERT_EQ(1, shutdown_status);
  dll.close((uv_handle_t*) &client, on_close);
  while (!is_closed)
    dll.run(&loop, UV_RUN_ONCE);
  ASSERT_OK(dll.loop_close(&loop));
  dll.library_shutdown();
}

/* On the thread whose code is gone; Wine would start a debugger. */
static LONG WINAPI end_with_failure(EXCEPTION_POINTERS* fault) {
  (void) fault;
  TerminateProcess(GetCurrentProcess(), 1);
  return EXCEPTION_EXECUTE_HANDLER;
}

/* Issue 30: when the peer was gone, the thread of the shutdown went on in code
 * that was not there any more. */
TEST_IMPL(pipe_library_is_unloaded_after_a_waiting_shutdown) {
  const char* file = "libuv.dll";
  uv_file fds[2];
  uv_fs_t req;

  if (!load_dll(file))
    SKIP("no libuv.dll beside the program, or it is linked to it");
  SetUnhandledExceptionFilter(end_with_failure);
  ASSERT_OK(dll.pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  shut_down_in_dll(fds[1]);
  ASSERT(FreeLibrary(GetModuleHandleA(file)));
  while (GetModuleHandleA(file) != NULL)
    uv_sleep(1); /* until the thread has left it */
  ASSERT_OK(uv_fs_close(NULL, &req, fds[0], NULL));
  uv_sleep(50); /* for a thread that would still be there */
  return 0;
}

/* An OVERLAPPED of somebody else, and what is around it there. */
static struct {
  unsigned char before[256];
  OVERLAPPED overlapped;
  unsigned char after[256];
} theirs;

static void read_theirs(HANDLE pipe) {
  char nothing;

  memset(&theirs, 0xEE, sizeof(theirs));
  memset(&theirs.overlapped, 0, sizeof(theirs.overlapped));
  ASSERT(!ReadFile(pipe, &nothing, 0, NULL, &theirs.overlapped));
  ASSERT_EQ(ERROR_IO_PENDING, GetLastError());
}

static void write_one(void) {
  static uv_buf_t buf = { 1, (char*) "x" };

  ASSERT_OK(uv_write(&write_req, (uv_stream_t*) &client, &buf, 1, on_written));
}

static size_t reads;

static void on_read_x(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  (void) buf;
  ASSERT_EQ(1, nread);
  reads++;
}

/* Issue 30: two processes have the same standard input; the requests of both
 * are reported to the port of the first. */
TEST_IMPL(pipe_ignores_packets_of_other_processes) {
  uv_file fds[2];
  HANDLE other;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  ASSERT(DuplicateHandle(GetCurrentProcess(), uv_get_osfhandle(fds[0]),
                         GetCurrentProcess(), &other, 0, FALSE,
                         DUPLICATE_SAME_ACCESS));
  ASSERT_OK(uv_pipe_init(&loop, &accepted, 0));
  ASSERT_OK(uv_pipe_open(&accepted, fds[0]));
  ASSERT_OK(uv_pipe_init(&loop, &client, 0));
  ASSERT_OK(uv_pipe_open(&client, fds[1]));

  read_theirs(other);
  ASSERT_OK(uv_read_start((uv_stream_t*) &accepted, test_alloc, on_read_x));
  write_one();
  while (reads == 0 || !HasOverlappedIoCompleted(&theirs.overlapped))
    uv_run(&loop, UV_RUN_ONCE);
  uv_run(&loop, UV_RUN_NOWAIT);

  /* Theirs goes on when ours is closed. */
  read_theirs(other);
  uv_close((uv_handle_t*) &accepted, NULL);
  uv_run(&loop, UV_RUN_NOWAIT);
  write_one();
  while (!HasOverlappedIoCompleted(&theirs.overlapped))
    uv_run(&loop, UV_RUN_NOWAIT);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(1, reads);
  CloseHandle(other);
  test_close_loop(&loop);
  return 0;
}

#define LARGE (256 * 1024)

static uv_write_t order_reqs[2];
static int written;

static void on_written_in_order(uv_write_t* req, int status) {
  ASSERT_OK(status);
  ASSERT_PTR_EQ(&order_reqs[written], req);
  written++;
}

/* The first waits for a reader, which has read it before the second is written
 * inside the call, but after the loop has looked. */
TEST_IMPL(pipe_writes_are_reported_in_order) {
  static char data[LARGE];
  uv_buf_t large = uv_buf_init(data, sizeof(data));
  uv_buf_t one = uv_buf_init(data, 1);
  uv_file fds[2];
  uv_fs_t req;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe(fds, 0, UV_NONBLOCK_PIPE));
  ASSERT_OK(uv_pipe_init(&loop, &client, 0));
  ASSERT_OK(uv_pipe_open(&client, fds[1]));
  uv_stream_t* stream = (uv_stream_t*) &client;
  ASSERT_OK(uv_write(&order_reqs[0], stream, &large, 1, on_written_in_order));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(0, written);
  for (int left = LARGE; left > 0;) {
    int n = uv_fs_read(NULL, &req, fds[0], &large, 1, -1, NULL);
    ASSERT_GT(n, 0);
    left -= n;
  }
  ASSERT_OK(uv_write(&order_reqs[1], stream, &one, 1, on_written_in_order));
  while (written < 2)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_OK(uv_fs_close(NULL, &req, fds[0], NULL));
  test_close_loop(&loop);
  return 0;
}

static int failed_connects;

static void on_refused(uv_connect_t* req, int status) {
  (void) req;
  ASSERT_ERR(UV_ENOENT, status);
  failed_connects++;
}

static void init_refused(uv_pipe_t* pipe) {
  int before = failed_connects;

  ASSERT_OK(uv_pipe_init(&loop, pipe, 0));
  uv_pipe_connect(&connect_req, pipe, test_pipe_name("nobody"), on_refused);
  while (failed_connects == before)
    uv_run(&loop, UV_RUN_ONCE);
}

/* In libuv such a handle is UV_EBUSY to both. */
TEST_IMPL(pipe_is_usable_after_a_failed_connect) {
  uv_pipe_t opened;
  uv_file fds[2];
  uv_fs_t req;

  ASSERT_OK(uv_loop_init(&loop));
  init_refused(&client);
  connect_client();
  ASSERT(uv_is_writable((uv_stream_t*) &client));

  init_refused(&opened);
  ASSERT_OK(uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  ASSERT_OK(uv_pipe_open(&opened, fds[1]));
  ASSERT(uv_is_writable((uv_stream_t*) &opened));
  ASSERT_OK(uv_fs_close(NULL, &req, fds[0], NULL));
  test_close_loop(&loop);
  return 0;
}
