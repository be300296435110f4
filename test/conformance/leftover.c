/* SPDX-License-Identifier: MIT */

/* leftover.c - A suite of its own, for the driver of tests under Wine.
 *
 * Its tests leave UDP sockets behind, or not. See test/conformance/leftover.
 */

#include <winsock2.h>
#include <windows.h>

#include <stdio.h>
#include <string.h>

#define PORT 9123
#define BOUND "uv-leftover-bound"

static int bind_socket(void) {
  WSADATA data;
  if (WSAStartup(MAKEWORD(2, 2), &data) != 0) {
    return 1;
  }
  struct sockaddr_in address = { .sin_family = AF_INET };
  address.sin_port = htons(PORT);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  SOCKET fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (bind(fd, (struct sockaddr*) &address, sizeof(address)) != 0) {
    printf("bind: %d\n", WSAGetLastError());
    return 1;
  }
  return 0;
}

/* The process that outlives its test. */
static int hold_socket(const char* milliseconds) {
  DWORD wait = 0;
  sscanf(milliseconds, "%lu", &wait);
  if (bind_socket() != 0) {
    return 1;
  }
  SetEvent(OpenEventA(EVENT_MODIFY_STATE, FALSE, BOUND));
  Sleep(wait);
  return 0;
}

/* Starts it. Its name is another, so that the driver does not end it. */
static int start_holder(const char* milliseconds) {
  char command[64];
  snprintf(command, sizeof(command), "holder.exe hold %s", milliseconds);
  HANDLE bound = CreateEventA(NULL, TRUE, FALSE, BOUND);
  STARTUPINFOA startup = { .cb = sizeof(startup) };
  PROCESS_INFORMATION process;
  if (!CreateProcessA(NULL, command, NULL, NULL, FALSE, DETACHED_PROCESS, NULL,
                      NULL, &startup, &process)) {
    printf("CreateProcess: %lu\n", GetLastError());
    return 1;
  }
  return WaitForSingleObject(bound, 10000) != WAIT_OBJECT_0;
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "--list") == 0) {
    puts("socket_bound\nsocket_kept_briefly\nsocket_free\nsocket_kept\n"
         "socket_free_again");
    return 0;
  }
  if (strcmp(name, "hold") == 0 && argc > 2) {
    return hold_socket(argv[2]);
  }
  if (strcmp(name, "socket_kept_briefly") == 0) {
    return start_holder("700");
  }
  if (strcmp(name, "socket_kept") == 0) {
    return start_holder("60000");
  }
  return bind_socket();
}
