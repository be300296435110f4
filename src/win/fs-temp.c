/* SPDX-License-Identifier: MIT */
/* Directories and files with unique names: mkdtemp and mkstemp.
 *
 * The last six characters of the template are replaced, both in the path for
 * the system and in the request's own copy, which the program reads.
 */
#include "win/fs.h"
#include "os/random.h"

#include <fcntl.h>
#include <io.h>
#include <string.h>

#define MARK "XXXXXX"
#define MARK_LEN 6

/* With 32 letters per position, collisions are unlikely, but somebody who fills
 * a directory on purpose must not keep us busy forever. */
#define TRIES_MAX 1000

static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";

/* The end of the template (XXXXXX); NULL if it has none. */
static char* mark_of(uv_fs_t* req) {
  size_t len = strlen(req->path);
  char* text = (char*) req->path; /* the request's own, see fs-ops.c */

  if (len < MARK_LEN || strcmp(text + len - MARK_LEN, MARK) != 0)
    return NULL;
  return text + len - MARK_LEN;
}

/* Puts a new name in both places: 0 or UV_E*. */
static int put_name(uv_fs_t* req, char* mark) {
  WCHAR* wide = req->file.pathw + wcslen(req->file.pathw) - MARK_LEN;
  unsigned char random[MARK_LEN];

  int err = uv__random_os_fill(random, sizeof(random));
  if (err != 0)
    return err;

  for (size_t i = 0; i < MARK_LEN; i++) {
    mark[i] = letters[random[i] % (sizeof(letters) - 1)];
    wide[i] = (WCHAR) mark[i];
  }
  return 0;
}

static ssize_t make_dir(uv_fs_t* req) {
  return CreateDirectoryW(req->file.pathw, NULL) ? 0 : uv__fs_fail_last(req);
}

static ssize_t make_file(uv_fs_t* req) {
  HANDLE file = CreateFileW(req->file.pathw, GENERIC_READ | GENERIC_WRITE,
                            UV__FS_SHARE_ALL, NULL, CREATE_NEW,
                            FILE_ATTRIBUTE_NORMAL, NULL);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail_last(req);

  int fd = uv_open_osfhandle(file);
  if (fd >= 0)
    return fd;
  CloseHandle(file);
  (void) DeleteFileW(req->file.pathw); /* nobody will learn its name */
  return uv__fs_fail(req, ERROR_TOO_MANY_OPEN_FILES);
}

/* Without a template the path becomes empty; after any other failure it is the
 * last name that was tried. */
static ssize_t make_temp(uv_fs_t* req) {
  char* mark = mark_of(req);
  if (mark == NULL) {
    *(char*) req->path = '\0';
    return uv__fs_fail(req, ERROR_INVALID_PARAMETER);
  }

  for (int i = 0; i < TRIES_MAX; i++) {
    int err = put_name(req, mark);
    if (err != 0)
      return uv__fs_fail_as(req, ERROR_GEN_FAILURE, err);

    ssize_t result =
        req->fs_type == UV_FS_MKDTEMP ? make_dir(req) : make_file(req);
    if (result != UV_EEXIST) {
      if (result >= 0)
        req->sys_errno_ = 0;
      return result;
    }
  }
  return UV_EEXIST;
}

ssize_t uv__fs_mkdtemp(uv_fs_t* req) {
  return make_temp(req);
}

ssize_t uv__fs_mkstemp(uv_fs_t* req) {
  return make_temp(req);
}
