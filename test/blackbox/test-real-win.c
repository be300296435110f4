/* SPDX-License-Identifier: MIT */
/* What only Windows itself shows: Wine has no sleep, its sockets never lack
 * buffers, and it has no base providers but its own. Under Wine these tests say
 * so; docs/internals/windows.md lists the code they are about. */
#include "test.h"

#include <io.h>
#include <stdlib.h>
#include <string.h>

static uv_loop_t loop;

/* --- sleep (src/win/resume.c) -------------------------------------------- */

#define SLEEP_SECONDS 20
#define TIMER_SECONDS 10

typedef BOOLEAN(WINAPI* suspend_fn)(BOOLEAN, BOOLEAN, BOOLEAN);

static void on_timer(uv_timer_t* timer) {
  *(int*) timer->data += 1;
}

static void suspend(void) {
  HMODULE powrprof =
      LoadLibraryExW(L"powrprof.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
  HANDLE alarm = CreateWaitableTimerW(NULL, TRUE, NULL);
  LARGE_INTEGER due;
  suspend_fn set_state;

  ASSERT_NOT_NULL(powrprof);
  ASSERT_NOT_NULL(alarm);
  set_state = (suspend_fn) (void*) GetProcAddress(powrprof, "SetSuspendState");
  ASSERT_NOT_NULL(set_state);
  due.QuadPart = -(LONGLONG) SLEEP_SECONDS * 10000000;
  ASSERT_NE(0, SetWaitableTimer(alarm, &due, 0, NULL, NULL, TRUE));
  ASSERT_NE(0, set_state(FALSE, FALSE, FALSE));
  CloseHandle(alarm);
  FreeLibrary(powrprof);
}

static void suspend_thread(void* arg) {
  (void) arg;
  uv_sleep(100); /* the loop waits by then; if not, nothing is shown */
  suspend();
}

TEST_IMPL(loop_timer_is_not_late_after_sleep) {
  uv_timer_t timer;
  uv_thread_t thread;
  int fired = 0;

  if (test_on_wine())
    SKIP("Wine has no sleep to resume from");
  if (getenv("UV_TEST_SUSPEND") == NULL)
    SKIP("puts the machine to sleep: only if UV_TEST_SUSPEND is set");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  timer.data = &fired;
  ASSERT_OK(uv_timer_start(&timer, on_timer, TIMER_SECONDS * 1000, 0));
  uint64_t before = uv_hrtime();
  ASSERT_OK(uv_thread_create(&thread, suspend_thread, NULL));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(1, fired);
  ASSERT_LT(uv_hrtime() - before, UINT64_C(1000000000) * (SLEEP_SECONDS + 5));
  ASSERT_OK(uv_thread_join(&thread));
  uv_close((uv_handle_t*) &timer, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* --- WSAENOBUFS (src/win/tcp-write.c) ------------------------------------ */

#define LARGE_BYTES ((size_t) 512 * 1024 * 1024)

static size_t arrived;
static int writes_done;

static void on_write(uv_write_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  writes_done++;
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  ASSERT_GE(nread, 0);
  arrived += (size_t) nread;
  if (arrived == LARGE_BYTES)
    uv_close((uv_handle_t*) stream, NULL);
}

TEST_IMPL(tcp_write_without_buffers_is_overlapped) {
  uv_os_sock_t socks[2];
  uv_tcp_t ends[2];
  uv_write_t req;

  if (test_on_wine())
    SKIP("Wine's sockets never answer WSAENOBUFS");
  char* data = calloc(1, LARGE_BYTES);
  if (data == NULL)
    SKIP("no half a gigabyte of memory");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, socks, 0, 0));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(uv_tcp_init(&loop, &ends[i]));
    ASSERT_OK(uv_tcp_open(&ends[i], socks[i]));
  }
  uv_buf_t buf = uv_buf_init(data, (unsigned) LARGE_BYTES);
  ASSERT_OK(uv_write(&req, (uv_stream_t*) &ends[0], &buf, 1, on_write));
  ASSERT_OK(uv_read_start((uv_stream_t*) &ends[1], test_alloc, on_read));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(1, writes_done);
  ASSERT_EQ(LARGE_BYTES, arrived);
  uv_close((uv_handle_t*) &ends[0], NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_OK(uv_loop_close(&loop));
  free(data);
  return 0;
}

/* --- base providers (src/win/poll-handle.c) ------------------------------ */

#define PROVIDERS_MAX 64

/* The first base provider of IPv4 streams that is not the one that socket() has
 * chosen, or NULL. What is layered has a chain of more than one entry. */
static WSAPROTOCOL_INFOW* foreign_provider(SOCKET common) {
  static WSAPROTOCOL_INFOW infos[PROVIDERS_MAX];
  WSAPROTOCOL_INFOW own;
  int len = sizeof(own);
  DWORD bytes = sizeof(infos);

  ASSERT_OK(
      getsockopt(common, SOL_SOCKET, SO_PROTOCOL_INFOW, (char*) &own, &len));
  int count = WSAEnumProtocolsW(NULL, infos, &bytes);
  for (int i = 0; i < count; i++)
    if (infos[i].ProtocolChain.ChainLen == 1 &&
        infos[i].iAddressFamily == AF_INET &&
        infos[i].iSocketType == SOCK_STREAM &&
        memcmp(&infos[i].ProviderId, &own.ProviderId, sizeof(GUID)) != 0)
      return &infos[i];
  return NULL;
}

static void on_poll(uv_poll_t* poll, int status, int events) {
  ASSERT_OK(status);
  ASSERT_EQ(UV_READABLE, events);
  uv_close((uv_handle_t*) poll, NULL);
}

TEST_IMPL(poll_socket_of_another_provider) {
  struct sockaddr_in addr = test_loopback();
  int len = sizeof(addr);
  uv_poll_t poll;

  if (test_on_wine())
    SKIP("Wine has no base providers but its own");
  ASSERT_OK(uv_loop_init(&loop)); /* starts Winsock */
  SOCKET client = socket(AF_INET, SOCK_STREAM, 0);
  WSAPROTOCOL_INFOW* provider = foreign_provider(client);
  if (provider == NULL)
    SKIP("no base provider but the system's own is installed");
  SOCKET server =
      WSASocketW(FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO,
                 provider, 0, WSA_FLAG_OVERLAPPED);
  ASSERT_NE(INVALID_SOCKET, server);
  ASSERT_OK(bind(server, (struct sockaddr*) &addr, len));
  ASSERT_OK(listen(server, 1));
  ASSERT_OK(getsockname(server, (struct sockaddr*) &addr, &len));
  ASSERT_OK(uv_poll_init_socket(&loop, &poll, server));
  ASSERT_OK(uv_poll_start(&poll, UV_READABLE, on_poll));
  ASSERT_OK(connect(client, (struct sockaddr*) &addr, len));
  uv_run(&loop, UV_RUN_DEFAULT);
  closesocket(client);
  closesocket(server);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

/* --- 32 bits on 64 (src/win/sysinfo.c) ----------------------------------- */

TEST_IMPL(sysinfo_machine_is_not_the_programs) {
  uv_utsname_t name;
  BOOL is_wow64 = FALSE;

  if (!IsWow64Process(GetCurrentProcess(), &is_wow64) || !is_wow64)
    SKIP("not a program of 32 bits on a Windows of 64");
  ASSERT_OK(uv_os_uname(&name));
  ASSERT(strcmp(name.machine, "x86_64") == 0 ||
         strcmp(name.machine, "arm64") == 0);
  return 0;
}

/* --- the console (src/win/tty.c, src/win/tty-screen.c) -------------------- */

static HANDLE console(const WCHAR* name) {
  return CreateFileW(name, GENERIC_READ | GENERIC_WRITE,
                     FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0,
                     NULL);
}

/* Where the console refuses terminal input, the mode is raw instead. */
TEST_IMPL(tty_raw_vt_is_never_refused) {
  HANDLE input = console(L"CONIN$"); /* the handle's, then */
  DWORD before;
  DWORD mode;
  uv_tty_t tty;

  if (input == INVALID_HANDLE_VALUE || !GetConsoleMode(input, &before))
    SKIP("no console");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tty_init(&loop, &tty, _open_osfhandle((intptr_t) input, 0), 1));
  ASSERT_OK(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW_VT));
  ASSERT_NE(0, GetConsoleMode(input, &mode));
  ASSERT_EQ(0, mode & (ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT));
  ASSERT_OK(uv_tty_reset_mode());
  ASSERT_NE(0, GetConsoleMode(input, &mode));
  ASSERT_EQ(before, mode);
  uv_close((uv_handle_t*) &tty, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static void write_text(uv_tty_t* tty, const char* text) {
  uv_buf_t buf = uv_buf_init((char*) text, (unsigned int) strlen(text));
  ASSERT_EQ((int) buf.len, uv_try_write((uv_stream_t*) tty, &buf, 1));
}

/* A position that was saved in the last row of the buffer, where the screen
 * cannot move further down, is restored there. */
TEST_IMPL(tty_cursor_restored_in_the_last_row) {
  HANDLE output = console(L"CONOUT$"); /* the handle's, then */
  CONSOLE_SCREEN_BUFFER_INFO before;
  CONSOLE_SCREEN_BUFFER_INFO after;
  uv_tty_t tty;
  COORD last;

  if (output == INVALID_HANDLE_VALUE ||
      !GetConsoleScreenBufferInfo(output, &before))
    SKIP("no console");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tty_init(&loop, &tty, _open_osfhandle((intptr_t) output, 0), 0));
  uv_tty_set_vterm_state(UV_TTY_UNSUPPORTED); /* escape sequences are ours */
  last.X = 3;
  last.Y = (SHORT) (before.dwSize.Y - 1);
  ASSERT_NE(0, SetConsoleCursorPosition(output, last));
  write_text(&tty, "\033[s");
  write_text(&tty, "\033[1;1H");
  write_text(&tty, "\033[u");
  ASSERT_NE(0, GetConsoleScreenBufferInfo(output, &after));
  ASSERT_EQ(last.X, after.dwCursorPosition.X);
  ASSERT_EQ(last.Y, after.dwCursorPosition.Y);
  ASSERT_NE(0, SetConsoleCursorPosition(output, before.dwCursorPosition));
  uv_close((uv_handle_t*) &tty, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
