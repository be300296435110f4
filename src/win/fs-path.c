/* SPDX-License-Identifier: MIT */
/* Paths on their way to the system.
 *
 * Most are converted and left alone. Those that the classic interface would
 * refuse for their length (MAX_PATH; for directories room for an 8.3 name less)
 * are made absolute and get the prefix "\\?\", which also ends the treatment of
 * dots and slashes: so that is done before. Context: any.
 */
#include "win/fs.h"
#include "alloc.h"
#include "win/wide.h"

#include <string.h>

/* CreateDirectoryW()'s limit, the lowest of all; with the NUL. */
#define CLASSIC_UNITS_MAX (MAX_PATH - 12)

/* What a counted string of the kernel holds. */
#define UNITS_MAX 32767

/* The longest prefix: "\\?\UNC" in front of the second slash of "\\server". */
#define PREFIX_UNITS 8

int uv__fs_has_drive_root(const WCHAR* path, size_t len) {
  if (len < 3 || path[1] != L':' || !uv__fs_is_slash(path[2]))
    return 0;
  return (path[0] >= L'a' && path[0] <= L'z') ||
         (path[0] >= L'A' && path[0] <= L'Z');
}

int uv__fs_path_init_raw(struct uv__fs_path* path, const char* text) {
  ssize_t units = uv__wide_size(text);
  if (units < 0)
    return (int) units;

  path->text = text;
  path->full = NULL;
  path->units = (size_t) units;
  return 0;
}

/* "\\?\..." and "\\.\..." are left alone. */
static int is_verbatim_or_device(const char* text) {
  return text[0] == '\\' && text[1] == '\\' &&
         (text[2] == '?' || text[2] == '.') && text[3] == '\\';
}

/* Puts the prefix before an absolute path that has PREFIX_UNITS free in front
 * of it. Returns where it starts now. */
static WCHAR* add_prefix(WCHAR* path) {
  static const WCHAR unc[] = L"\\\\?\\UNC";
  size_t len = UV__FS_VERBATIM_LEN;

  if (uv__fs_is_slash(path[0]) && uv__fs_is_slash(path[1])) {
    if (path[2] == L'?' || path[2] == L'.')
      return path; /* was written with the other slashes */
    len = ARRAY_SIZE(unc) - 1;
    path++; /* of the two slashes one remains */
  }
  path -= len;
  memcpy(path, unc, len * sizeof(*path));
  return path;
}

/* Without the prefix: 0 or UV_E*. `path->full` keeps its block. */
static int make_absolute(struct uv__fs_path* path, const WCHAR* wide) {
  DWORD units = GetFullPathNameW(wide, 0, NULL, NULL);
  if (units == 0)
    return uv__last_error();

  WCHAR* block = uv__malloc_array(PREFIX_UNITS + units, sizeof(*block));
  if (block == NULL)
    return UV_ENOMEM;

  WCHAR* at = block + PREFIX_UNITS;
  DWORD len = GetFullPathNameW(wide, units, at, NULL);
  if (len == 0 || len >= units) { /* the directory changed meanwhile */
    uv__free(block);
    return UV_ENAMETOOLONG;
  }

  WCHAR* from = add_prefix(at);
  path->units = wcslen(from) + 1;
  memmove(block, from, path->units * sizeof(*block));
  path->full = block;
  return 0;
}

int uv__fs_path_init(struct uv__fs_path* path, const char* text) {
  int err = uv__fs_path_init_raw(path, text);
  if (err != 0)
    return err;
  if (path->units <= CLASSIC_UNITS_MAX || path->units > UNITS_MAX ||
      is_verbatim_or_device(text))
    return 0; /* or the system will say what is wrong with it */

  WCHAR* wide;
  err = uv__wide_from_utf8(text, &wide);
  if (err != 0)
    return err;

  err = make_absolute(path, wide);
  uv__free(wide);
  if (err != 0)
    uv__fs_path_close(path);
  return err;
}

void uv__fs_path_put(const struct uv__fs_path* path, WCHAR* to) {
  if (path->full != NULL)
    memcpy(to, path->full, path->units * sizeof(*to));
  else
    uv_wtf8_to_utf16(path->text, (uint16_t*) to, path->units);
}

void uv__fs_path_close(struct uv__fs_path* path) {
  uv__free(path->full);
  path->full = NULL;
}
