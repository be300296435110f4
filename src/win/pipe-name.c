/* SPDX-License-Identifier: MIT */
/* Names of pipes, and access rights.
 *
 * Names behave as on other systems: a server and the connections it accepted
 * have the name as their local name, a client as its peer's.
 */
#include "win/pipe.h"
#include "util/alloc.h"
#include "util/out-string.h"
#include "win/wide.h"
#include "win/winapi.h"

#include <aclapi.h>
#include <string.h>
#include <wchar.h>

/* FILE_INFORMATION_CLASS. */
#define FILE_NAME_INFORMATION_CLASS 9

#define NAME_UNITS_MAX 512

static const WCHAR prefix[] = L"\\\\.\\pipe";

/* FILE_NAME_INFORMATION with a buffer. */
struct name_info {
  ULONG length; /* bytes */
  WCHAR name[NAME_UNITS_MAX];
};

int uv__pipe_wide_name(const struct uv__pipe_name* name, WCHAR** out) {
  if (name->is_abstract)
    return UV_EINVAL; /* abstract names exist on Linux only */
  if (name->is_exact && name->len > MAX_PIPENAME_LEN)
    return UV_EINVAL;

  char* copy = uv__strndup(name->text, name->len);
  if (copy == NULL)
    return UV_ENOMEM;
  int err = uv__wide_from_utf8(copy, out);
  uv__free(copy);
  return err;
}

/* Returns the name known to the system; an anonymous pipe has none. */
static int put_system_name(uv_pipe_t* pipe, char* buffer, size_t* size) {
  struct name_info info;
  struct uv__io_status status;
  WCHAR text[ARRAY_SIZE(prefix) + NAME_UNITS_MAX];

  if (uv__pipe_has_threads(pipe))
    uv__pipe_thread_stop_read(pipe);
  LONG result = uv__winapi()->NtQueryInformationFile(
      pipe->handle, &status, &info, sizeof(info), FILE_NAME_INFORMATION_CLASS);
  if (result != STATUS_SUCCESS) {
    *size = 0; /* as in libuv, also on unix */
    return uv__status_error(result);
  }

  size_t units = uv__min_size(info.length / sizeof(WCHAR), NAME_UNITS_MAX);
  if (units == 0)
    return uv__out_string_put("", 0, buffer, size);
  size_t at = ARRAY_SIZE(prefix) - 1;
  memcpy(text, prefix, sizeof(prefix));
  if (info.name[0] != L'\\')
    text[at++] = L'\\';
  memcpy(text + at, info.name, units * sizeof(WCHAR));
  return uv__wide_put(text, (ssize_t) (at + units), buffer, size);
}

static int put_name(uv_pipe_t* pipe, char* buffer, size_t* size) {
  if (pipe->name != NULL)
    return uv__wide_put(pipe->name, (ssize_t) wcslen(pipe->name), buffer, size);
  if (pipe->handle == INVALID_HANDLE_VALUE)
    return UV_EBADF;
  return put_system_name(pipe, buffer, size);
}

static int has_no_handle(const uv_pipe_t* pipe) {
  return pipe->name == NULL && pipe->handle == INVALID_HANDLE_VALUE;
}

int uv__pipe_os_getsockname(const uv_pipe_t* pipe, char* buffer, size_t* size) {
  if (has_no_handle(pipe))
    return UV_EBADF;

  if (pipe->flags & UV__BOUND)
    return put_name((uv_pipe_t*) pipe, buffer, size);
  return uv__out_string_put("", 0, buffer, size);
}

int uv__pipe_os_getpeername(const uv_pipe_t* pipe, char* buffer, size_t* size) {
  if (has_no_handle(pipe))
    return UV_EBADF;

  if (pipe->flags & UV__PIPE_SERVER)
    return UV_ENOTCONN;
  if (!(pipe->flags & (UV__PIPE_CONN | UV__PIPE_REACHED)))
    return UV_EBADF; /* still connecting, or refused */
  if (pipe->flags & UV__BOUND)
    return uv__out_string_put("", 0, buffer, size);
  return put_name((uv_pipe_t*) pipe, buffer, size);
}

/* Access rights to grant to everybody. */
static DWORD mode_to_access(int mode) {
  DWORD access = 0;

  if (mode & UV_READABLE)
    access |= FILE_GENERIC_READ | FILE_WRITE_ATTRIBUTES;
  if (mode & UV_WRITABLE)
    access |= FILE_GENERIC_WRITE | FILE_READ_ATTRIBUTES;
  return access;
}

/* Adds an entry to the pipe's access control list. Returns the Win32 error. */
static DWORD grant_access(HANDLE handle, DWORD access, PSID who) {
  PACL old_list = NULL;
  PACL new_list = NULL;
  PSECURITY_DESCRIPTOR descriptor = NULL;
  EXPLICIT_ACCESSW entry;

  DWORD sys_error =
      GetSecurityInfo(handle, SE_KERNEL_OBJECT, DACL_SECURITY_INFORMATION, NULL,
                      NULL, &old_list, NULL, &descriptor);
  if (sys_error != ERROR_SUCCESS)
    return sys_error;

  memset(&entry, 0, sizeof(entry));
  entry.grfAccessPermissions = access;
  entry.grfAccessMode = GRANT_ACCESS;
  entry.grfInheritance = NO_INHERITANCE;
  entry.Trustee.TrusteeForm = TRUSTEE_IS_SID;
  entry.Trustee.TrusteeType = TRUSTEE_IS_WELL_KNOWN_GROUP;
  entry.Trustee.ptstrName = (WCHAR*) who;
  sys_error = SetEntriesInAclW(1, &entry, old_list, &new_list);
  if (sys_error == ERROR_SUCCESS)
    sys_error =
        SetSecurityInfo(handle, SE_KERNEL_OBJECT, DACL_SECURITY_INFORMATION,
                        NULL, NULL, new_list, NULL);
  LocalFree(new_list);
  LocalFree(descriptor);
  return sys_error;
}

int uv__pipe_os_chmod(uv_pipe_t* pipe, int mode) {
  SID_IDENTIFIER_AUTHORITY world = { SECURITY_WORLD_SID_AUTHORITY };
  PSID everyone = NULL;

  if (!AllocateAndInitializeSid(&world, 1, SECURITY_WORLD_RID, 0, 0, 0, 0, 0, 0,
                                0, &everyone))
    return uv__last_error();
  DWORD sys_error =
      grant_access(uv__pipe_handle(pipe), mode_to_access(mode), everyone);
  FreeSid(everyone);
  return sys_error == ERROR_SUCCESS ? 0
                                    : uv_translate_sys_error((int) sys_error);
}
