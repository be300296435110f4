/* SPDX-License-Identifier: MIT */
/* The helpers of test.h on Windows. */
#include "test.h"

#include <stdio.h>

int test_open_handles(void) {
  DWORD count = 0;

  ASSERT(GetProcessHandleCount(GetCurrentProcess(), &count));
  return (int) count;
}

int test_on_wine(void) {
  return GetProcAddress(GetModuleHandleA("ntdll.dll"), "wine_get_version") !=
         NULL;
}

void test_close_socket(uv_os_sock_t sock) {
  ASSERT_EQ(0, closesocket(sock));
}

/* Pipes have one name space for all processes. */
const char* test_pipe_name(const char* name) {
  static char names[4][128];
  static unsigned next;
  char* full = names[next++ % 4];

  snprintf(full, sizeof(names[0]), "\\\\.\\pipe\\uv-test-%d-%s", uv_os_getpid(),
           name);
  return full;
}

void test_stream_pair(uv_loop_t* loop, test_stream_t* a, test_stream_t* b) {
  uv_os_sock_t fds[2];

  ASSERT_OK(
      uv_socketpair(SOCK_STREAM, 0, fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  ASSERT_OK(uv_tcp_init(loop, a));
  ASSERT_OK(uv_tcp_init(loop, b));
  ASSERT_OK(uv_tcp_open(a, fds[0]));
  ASSERT_OK(uv_tcp_open(b, fds[1]));

  /* About as much room as a socket pair of unix has. */
  for (int i = 0; i < 2; i++) {
    uv_handle_t* handle = (uv_handle_t*) (i == 0 ? a : b);
    int size = 64 * 1024;
    ASSERT_OK(uv_send_buffer_size(handle, &size));
    ASSERT_OK(uv_recv_buffer_size(handle, &size));
  }
}
