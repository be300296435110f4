/* SPDX-License-Identifier: MIT */
/* Where a program is.
 *
 * A name with a directory is looked for there, relative to the child's own
 * directory; a bare name in the child's directory (unless the user has turned
 * that off, see NeedCurrentDirectoryForExePathW) and then along %PATH%. A name
 * with an extension is tried as it is first, every name with .com and .exe.
 */
#include "win/process-impl.h"
#include "alloc.h"

#include <wchar.h>

/* A piece of a string. */
struct piece {
  const WCHAR* at;
  size_t len;
};

static const struct piece nothing = { L"", 0 };

static int is_separator(WCHAR unit) {
  return unit == L'\\' || unit == L'/';
}

static int has_drive(struct piece path) {
  return path.len >= 2 && path.at[1] == L':';
}

static int same_drive(struct piece a, struct piece b) {
  return has_drive(a) && has_drive(b) &&
         CompareStringOrdinal(a.at, 1, b.at, 1, TRUE) == CSTR_EQUAL;
}

static struct piece drop(struct piece piece, size_t units) {
  return (struct piece) { piece.at + units, piece.len - units };
}

/* The part of `cwd` that a directory is relative to. */
static struct piece base_of(struct piece dir, struct piece cwd) {
  int rooted = dir.len > 0 && is_separator(dir.at[0]);

  if (rooted && dir.len > 1 && is_separator(dir.at[1]))
    return nothing; /* \\server\share */
  if (rooted)       /* of the current drive */
    return has_drive(cwd) ? (struct piece) { cwd.at, 2 } : nothing;
  if (has_drive(dir) && dir.len > 2 && is_separator(dir.at[2]))
    return nothing; /* C:\ */
  if (has_drive(dir) && !same_drive(dir, cwd))
    return nothing; /* C:x: the system knows that drive's directory */
  return cwd;
}

static WCHAR* put(WCHAR* at, struct piece piece) {
  wmemcpy(at, piece.at, piece.len);
  return at + piece.len;
}

static WCHAR* put_separator(const WCHAR* start, WCHAR* at) {
  int is_needed = at > start && !is_separator(at[-1]) && at[-1] != L':';

  if (is_needed)
    *at++ = L'\\';
  return at;
}

/* cwd\dir\name.ext, to be freed, or NULL. */
static WCHAR* build(struct piece cwd,
                    struct piece dir,
                    struct piece name,
                    struct piece ext) {
  struct piece base = base_of(dir, cwd);
  size_t units = base.len + dir.len + name.len + ext.len + 4;
  WCHAR* path = uv__malloc_array(units, sizeof(*path));
  if (path == NULL)
    return NULL;

  /* The drive is in the base already. */
  if (base.len > 0 && has_drive(dir))
    dir = drop(dir, 2);
  WCHAR* at = put(path, base);
  if (dir.len > 0 && !is_separator(dir.at[0]))
    at = put_separator(path, at);
  at = put(at, dir);
  at = put_separator(path, at);
  at = put(at, name);
  if (ext.len > 0) {
    if (at[-1] != L'.')
      *at++ = L'.';
    at = put(at, ext);
  }
  *at = L'\0';
  return path;
}

static int is_file(const WCHAR* path) {
  DWORD attributes = GetFileAttributesW(path);
  return attributes != INVALID_FILE_ATTRIBUTES &&
         !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/* Tries a directory: 0, UV_ENOENT or UV_ENOMEM. */
static int try_dir(struct piece cwd,
                   struct piece dir,
                   struct piece name,
                   int as_it_is,
                   WCHAR** out) {
  static const struct piece extensions[] = {
    { L"", 0 }, { L"com", 3 }, { L"exe", 3 }
  };

  for (size_t i = as_it_is ? 0 : 1; i < ARRAY_SIZE(extensions); i++) {
    WCHAR* path = build(cwd, dir, name, extensions[i]);
    if (path == NULL)
      return UV_ENOMEM;
    if (is_file(path)) {
      *out = path;
      return 0;
    }
    uv__free(path);
  }
  return UV_ENOENT;
}

/* Takes the next entry off %PATH%. Quotes keep a ; from separating and are not
 * part of the entry. 0 at the end. */
static int next_entry(const WCHAR** path, struct piece* entry) {
  const WCHAR* at = *path;

  while (*at == L';')
    at++;
  if (*at == L'\0')
    return 0;

  WCHAR quote = *at == L'"' || *at == L'\'' ? *at : L'\0';
  const WCHAR* start = quote == L'\0' ? at : at + 1;
  const WCHAR* end =
      quote == L'\0' ? at + wcscspn(at, L";") : wcschr(start, quote);
  if (end == NULL) /* not closed: it is a character like any other */
    end = start + wcscspn(start, L";");
  *entry = (struct piece) { start, (size_t) (end - start) };
  *path = end + wcscspn(end, L";");
  return 1;
}

static int search(const struct uv__program_query* query,
                  struct piece cwd,
                  struct piece name,
                  int has_extension,
                  WCHAR** out) {
  const WCHAR* path = query->path == NULL ? L"" : query->path;
  struct piece entry;
  int err = UV_ENOENT;

  if (NeedCurrentDirectoryForExePathW(query->file))
    err = try_dir(cwd, nothing, name, has_extension, out);
  while (err == UV_ENOENT && next_entry(&path, &entry))
    if (entry.len > 0)
      err = try_dir(cwd, entry, name, has_extension, out);
  return err;
}

int uv__program_find(const struct uv__program_query* query, WCHAR** out) {
  struct piece file = { query->file, wcslen(query->file) };
  struct piece cwd = { query->cwd, wcslen(query->cwd) };
  size_t dir_len = file.len;

  while (dir_len > 0 && !is_separator(file.at[dir_len - 1]) &&
         file.at[dir_len - 1] != L':')
    dir_len--;
  struct piece dir = { file.at, dir_len };
  struct piece name = drop(file, dir_len);
  /* Neither is a file, and nothing is to be appended to it. */
  if (name.len == 0 || (name.len == 1 && name.at[0] == L'.'))
    return UV_ENOENT;

  const WCHAR* dot = wcsrchr(name.at, L'.');
  int has_extension = dot != NULL && dot[1] != L'\0';
  if (dir.len > 0)
    return try_dir(cwd, dir, name, has_extension || query->exact_name, out);
  return search(query, cwd, name, has_extension, out);
}
