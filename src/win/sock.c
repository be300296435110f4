/* SPDX-License-Identifier: MIT */
/* See sock.h. Context: any. */
#include "win/sock.h"
#include "os/handle-class.h"
#include "os/addr.h"
#include "win/error.h"

#include <string.h>

#include <iphlpapi.h>

/* Winsock is started once and stays until the process ends. */

static uv_once_t startup_once = UV_ONCE_INIT;
static int startup_error;

static void start_up(void) {
  WSADATA data;
  int sys_error = WSAStartup(MAKEWORD(2, 2), &data);

  startup_error = sys_error == 0 ? 0 : uv_translate_sys_error(sys_error);
}

int uv__winsock_startup(void) {
  uv_once(&startup_once, start_up);
  return startup_error;
}

static int set_nonblocking(SOCKET sock) {
  u_long on = 1;
  return ioctlsocket(sock, FIONBIO, &on) == 0 ? 0 : uv__wsa_error();
}

int uv__sock_open(int family, int type, SOCKET* out) {
  SOCKET sock = WSASocketW(family, type, 0, NULL, 0,
                           WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
  if (sock == INVALID_SOCKET)
    return uv__wsa_error();

  int err = set_nonblocking(sock);
  if (err != 0) {
    closesocket(sock);
    return err;
  }
  *out = sock;
  return 0;
}

int uv__sock_import(const WSAPROTOCOL_INFOW* info, SOCKET* out) {
  WSAPROTOCOL_INFOW copy = *info;

  *out = WSASocketW(FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO,
                    &copy, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
  return *out == INVALID_SOCKET ? uv__wsa_error() : 0;
}

int uv__sock_adopt(SOCKET sock) {
  int err = set_nonblocking(sock);
  if (err != 0)
    return err;

  /* Sockets of some layered providers are not handles; leave them as they
   * are. */
  (void) SetHandleInformation((HANDLE) sock, HANDLE_FLAG_INHERIT, 0);
  return 0;
}

int uv__sock_set(SOCKET sock, int level, int option, int value) {
  if (sock == INVALID_SOCKET)
    return UV_EBADF;
  if (setsockopt(sock, level, option, (const char*) &value, sizeof(value)) != 0)
    return uv__wsa_error();
  return 0;
}

static int protocol_info(SOCKET sock, WSAPROTOCOL_INFOW* info) {
  int len = sizeof(*info);
  if (getsockopt(sock, SOL_SOCKET, SO_PROTOCOL_INFOW, (char*) info, &len) != 0)
    return uv__wsa_error();
  return 0;
}

int uv__sock_family(SOCKET sock) {
  WSAPROTOCOL_INFOW info;
  int err = protocol_info(sock, &info);
  return err != 0 ? err : info.iAddressFamily;
}

int uv__sock_bind_any(SOCKET sock, int family) {
  union uv__ip_addr addr;

  memset(&addr, 0, sizeof(addr));
  addr.any.sa_family = (ADDRESS_FAMILY) family;
  if (bind(sock, &addr.any, (int) uv__addr_os_len(&addr.any)) != 0)
    return uv__wsa_error();
  return 0;
}

typedef int(WSAAPI name_fn)(SOCKET sock, struct sockaddr* name, int* len);

static int query_name(name_fn* ask,
                      SOCKET sock,
                      struct sockaddr* name,
                      int* namelen) {
  if (sock == INVALID_SOCKET)
    return UV_EBADF;

  return ask(sock, name, namelen) == 0 ? 0 : uv__wsa_error();
}

int uv__sock_local_name(SOCKET sock, struct sockaddr* name, int* namelen) {
  return query_name(getsockname, sock, name, namelen);
}

int uv__sock_peer_name(SOCKET sock, struct sockaddr* name, int* namelen) {
  return query_name(getpeername, sock, name, namelen);
}

unsigned int uv__sock_state_flags(SOCKET sock, unsigned int connected) {
  struct sockaddr_storage name;
  int len = sizeof(name);
  unsigned int past = 0;

  if (uv__sock_local_name(sock, (struct sockaddr*) &name, &len) == 0)
    past |= UV__BOUND;
  len = sizeof(name);
  if (uv__sock_peer_name(sock, (struct sockaddr*) &name, &len) == 0)
    past |= UV__BOUND | connected;
  return past;
}

int uv__sock_extension(SOCKET sock, GUID id, void* out, size_t out_size) {
  DWORD bytes;

  if (WSAIoctl(sock, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof(id), out,
               (DWORD) out_size, &bytes, NULL, NULL) != 0)
    return uv__wsa_error();
  return 0;
}

int uv__sock_skip_port(SOCKET sock) {
  WSAPROTOCOL_INFOW info;
  UCHAR modes =
      FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE;

  if (protocol_info(sock, &info) != 0)
    return 0;
  if (!(info.dwServiceFlags1 & XP1_IFS_HANDLES))
    return 0;
  return SetFileCompletionNotificationModes((HANDLE) sock, modes) != 0;
}

static SOCKET socket_of(const uv_handle_t* handle) {
  if (handle->type == UV_TCP)
    return ((const uv_tcp_t*) handle)->socket;
  return ((const uv_udp_t*) handle)->socket;
}

int uv__handle_os_buffer_size(uv_handle_t* handle, int option, int* value) {
  if (handle->type == UV_NAMED_PIPE)
    return UV_ENOTSUP; /* its size was fixed at creation */
  if (uv__is_closing(handle))
    return UV_EBADF;

  SOCKET sock = socket_of(handle);
  if (sock == INVALID_SOCKET)
    return UV_ENOTSOCK; /* UV_EBADF on unix, both as in libuv */
  if (*value != 0)
    return uv__sock_set(sock, SOL_SOCKET, option, *value);

  int len = sizeof(*value);
  if (getsockopt(sock, SOL_SOCKET, option, (char*) value, &len) != 0)
    return uv__wsa_error();
  return 0;
}

unsigned int uv__addr_os_len(const struct sockaddr* addr) {
  if (addr->sa_family == AF_INET)
    return sizeof(struct sockaddr_in);
  if (addr->sa_family == AF_INET6)
    return sizeof(struct sockaddr_in6);
  return 0;
}

/* On Windows, zones are usually numbers. */
uint32_t uv__addr_os_scope(const char* zone) {
  uint32_t number = uv__addr_scope_number(zone);
  return number != 0 ? number : if_nametoindex(zone);
}
