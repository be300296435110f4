/* SPDX-License-Identifier: MIT */
/* Conversion of paths for system calls.
 *
 * Most paths are only converted. Those longer than the Win32 limit (MAX_PATH;
 * for directories, less room for an 8.3 name) are made absolute and get the
 * prefix "\\?\". The prefix disables the normalisation of dots and slashes, so
 * that is done first. Context: any.
 */
#include "win/fs.h"
#include "util/alloc.h"
#include "win/wide.h"

#include <string.h>

/* Limit of CreateDirectoryW(), the lowest of all; including the NUL. */
#define CLASSIC_UNITS_MAX (MAX_PATH - 12)

/* Limit of a UNICODE_STRING. */
#define UNITS_MAX 32767

/* The longest prefix: "\\?\UNC" before the second backslash of "\\server". */
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

/* "\\?\..." and "\\.\..." are not changed. */
static int is_verbatim_or_device(const char* text) {
  return text[0] == '\\' && text[1] == '\\' &&
         (text[2] == '?' || text[2] == '.') && text[3] == '\\';
}

/* Prepends the prefix to an absolute path with PREFIX_UNITS free units in front
 * of it. Returns the new start. */
static WCHAR* add_prefix(WCHAR* path) {
  static const WCHAR unc[] = L"\\\\?\\UNC";
  size_t len = UV__FS_VERBATIM_LEN;

  if (uv__fs_is_slash(path[0]) && uv__fs_is_slash(path[1])) {
    if (path[2] == L'?' || path[2] == L'.')
      return path; /* was written with forward slashes */
    len = ARRAY_SIZE(unc) - 1;
    path++; /* one of the two slashes remains */
  }
  path -= len;
  memcpy(path, unc, len * sizeof(*path));
  return path;
}

/* Does not add the prefix: 0 or UV_E*. `path->full` owns the block. */
static int make_absolute(struct uv__fs_path* path, const WCHAR* wide) {
  DWORD units = GetFullPathNameW(wide, 0, NULL, NULL);
  if (units == 0)
    return uv__last_error();

  WCHAR* block = uv__malloc_array(PREFIX_UNITS + units, sizeof(*block));
  if (block == NULL)
    return UV_ENOMEM;

  WCHAR* at = block + PREFIX_UNITS;
  DWORD len = GetFullPathNameW(wide, units, at, NULL);
  if (len == 0 || len >= units) { /* the current directory changed */
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
    return 0; /* unchanged; if it is too long, the system call fails */

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
