/* SPDX-License-Identifier: MIT */
/* Taking sockets off completion ports.
 * https://learn.microsoft.com/windows-hardware/drivers/ddi/ntifs/
 * ns-ntifs-_file_completion_information
 */
#include "win/detach.h"
#include "win/overlapped.h"
#include "win/sock.h"
#include "win/winapi.h"

#define CANCEL_WAIT_MS 1000

static int works;
static uv_once_t works_once = UV_ONCE_INIT;

int uv__detach(SOCKET sock) {
  struct uv__file_completion_info none = { NULL, NULL };
  struct uv__io_status status;

  LONG result = uv__winapi()->NtSetInformationFile(
      (HANDLE) sock, &status, &none, sizeof(none),
      UV__FILE_REPLACE_COMPLETION_INFORMATION);
  return result == STATUS_SUCCESS ? 0 : uv__status_error(result);
}

/* Attaches a new socket to one port, detaches it, and attaches it to a second
 * one. */
static void works_try(void) {
  HANDLE ports[2];
  SOCKET sock;

  if (uv__winsock_startup() != 0 ||
      uv__sock_open(AF_INET, SOCK_STREAM, &sock) != 0)
    return;
  for (int i = 0; i < 2; i++)
    ports[i] = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);
  if (ports[0] != NULL && ports[1] != NULL)
    works = CreateIoCompletionPort((HANDLE) sock, ports[0], 0, 0) != NULL &&
            uv__detach(sock) == 0 &&
            CreateIoCompletionPort((HANDLE) sock, ports[1], 0, 0) != NULL;
  closesocket(sock);
  for (int i = 0; i < 2; i++)
    if (ports[i] != NULL)
      CloseHandle(ports[i]);
}

int uv__detach_works(void) {
  uv_once(&works_once, works_try);
  return works;
}

int uv__detach_cancel(SOCKET sock, void* request) {
  const uv_req_t* req = (const uv_req_t*) request;

  /* Fails if it has ended already. */
  (void) CancelIoEx((HANDLE) sock, &((uv_req_t*) request)->u.io.overlapped);
  for (int ms = 0; ms < CANCEL_WAIT_MS; ms++) {
    if (HasOverlappedIoCompleted(&req->u.io.overlapped))
      return 0;
    Sleep(ms == 0 ? 0 : 1);
  }
  return UV_EBUSY;
}
