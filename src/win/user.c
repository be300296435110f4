/* SPDX-License-Identifier: MIT */
/* The current user and the user's directories. Context: any.
 *
 * Windows identifies users by name only: ids are -1, and other users and groups
 * are not supported.
 */
#include "os/system.h"
#include "util/alloc.h"
#include "util/out-string.h"
#include "win/error.h"
#include "win/wide.h"

#include <lmcons.h>
#include <string.h>
#include <userenv.h>

/* The profile directory; the caller frees it. */
static int profile_get(WCHAR** out) {
  HANDLE token;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_READ, &token))
    return uv__last_error();

  DWORD units = 0;
  WCHAR* path = NULL;
  int err = 0;
  GetUserProfileDirectoryW(token, NULL, &units); /* fails, sets the size */
  if (units == 0)
    err = uv__last_error();
  if (err == 0) {
    path = uv__malloc_array(units, sizeof(*path));
    err = path == NULL ? UV_ENOMEM : 0;
  }
  if (err == 0 && !GetUserProfileDirectoryW(token, path, &units))
    err = uv__last_error();
  CloseHandle(token);

  if (err != 0) {
    uv__free(path);
    return err;
  }
  *out = path;
  return 0;
}

/* "C:\" keeps its separator, other directories lose theirs. */
static size_t trimmed_len(const char* path) {
  size_t len = strlen(path);
  int is_root = len == 3 && path[1] == ':';

  if (len > 1 && !is_root && (path[len - 1] == '\\' || path[len - 1] == '/'))
    len--;
  return len;
}

int uv_os_homedir(char* buffer, size_t* size) {
  int err = uv_os_getenv("USERPROFILE", buffer, size);
  if (err == 0 && *size < 3)
    return UV_ENOENT; /* empty, or no path at all */
  if (err != UV_ENOENT)
    return err;

  uv_passwd_t pwd;
  err = uv_os_get_passwd(&pwd);
  if (err != 0)
    return err;
  err = uv__out_string_put(pwd.homedir, strlen(pwd.homedir), buffer, size);
  uv_os_free_passwd(&pwd);
  return err;
}

/* The directory for temporary files in UTF-8; the caller frees it. */
static int tmpdir_get(char** out) {
  DWORD units = GetTempPathW(0, NULL);
  if (units == 0)
    return uv__last_error();

  /* One more than requested: some versions forget the NUL. */
  WCHAR* path = uv__malloc_array((size_t) units + 1, sizeof(*path));
  if (path == NULL)
    return UV_ENOMEM;

  int err = 0;
  DWORD len = GetTempPathW(units + 1, path);
  if (len == 0)
    err = uv__last_error();
  else if (len > units)
    err = UV_EIO; /* changed in between */
  else
    err = uv__wide_to_utf8(path, len, out);
  uv__free(path);
  return err;
}

int uv__os_tmpdir(char* buffer, size_t* size) {
  char* path;
  int err = tmpdir_get(&path);
  if (err != 0)
    return err;

  size_t len = trimmed_len(path);
  err = len < 3 ? UV_ENOENT : uv__out_string_put(path, len, buffer, size);
  uv__free(path);
  return err;
}

int uv_os_get_passwd(uv_passwd_t* pwd) {
  if (pwd == NULL)
    return UV_EINVAL;

  WCHAR name[UNLEN + 1];
  DWORD name_units = ARRAY_SIZE(name);
  if (!GetUserNameW(name, &name_units))
    return uv__last_error();

  WCHAR* profile = NULL;
  int err = profile_get(&profile);
  if (err != 0)
    return err;

  char* homedir;
  err = uv__wide_to_utf8(profile, -1, &homedir);
  uv__free(profile);
  if (err != 0)
    return err;
  homedir[trimmed_len(homedir)] = '\0';

  char* username;
  err = uv__wide_to_utf8(name, -1, &username);
  if (err != 0) {
    uv__free(homedir);
    return err;
  }

  pwd->username = username;
  pwd->homedir = homedir;
  pwd->shell = NULL;
  pwd->uid = (unsigned long) -1;
  pwd->gid = (unsigned long) -1;
  return 0;
}

void uv_os_free_passwd(uv_passwd_t* pwd) {
  if (pwd == NULL)
    return;
  uv__free(pwd->homedir);
  uv__free(pwd->username);
  pwd->homedir = NULL;
  pwd->username = NULL;
}

/* Other users and groups: not supported. */

int uv_os_get_group(uv_group_t* grp, uv_uid_t gid) {
  (void) gid;
  (void) grp;
  return UV_ENOTSUP;
}

int uv_os_get_passwd2(uv_passwd_t* pwd, uv_uid_t uid) {
  (void) uid;
  (void) pwd;
  return UV_ENOTSUP;
}

void uv_os_free_group(uv_group_t* grp) {
  (void) grp; /* never returned to the caller */
}
