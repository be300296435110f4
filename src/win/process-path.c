/* SPDX-License-Identifier: MIT */
/* Finding a program. Pure: file lookups go through a function of the query, so
 * that this is tested on every system.
 *
 * A name with a directory is looked up there, relative to the child's working
 * directory; a bare name in the child's working directory (unless the user has
 * disabled that) and then along %PATH%. A name with an extension is first tried
 * as it is; then every name is tried with .com and .exe.
 */
#include "win/process-path.h"
#include "util/alloc.h"
#include "util/base.h"

#include <string.h>

/* A part of a string. */
struct piece {
  const uint16_t* at;
  size_t len;
};

static const uint16_t no_units[1];
static const struct piece nothing = { no_units, 0 };

static size_t text_length(const uint16_t* text) {
  size_t len = 0;
  while (text[len] != 0)
    len++;
  return len;
}

/* Distance to `unit` or to the end. */
static size_t length_until(const uint16_t* text, uint16_t unit) {
  size_t len = 0;
  while (text[len] != 0 && text[len] != unit)
    len++;
  return len;
}

static int is_separator(uint16_t unit) {
  return unit == '\\' || unit == '/';
}

static int has_drive(struct piece path) {
  return path.len >= 2 && path.at[1] == ':';
}

static int same_drive(struct piece a, struct piece b) {
  /* Upper and lower case differ by one bit. */
  return has_drive(a) && has_drive(b) && (a.at[0] | 0x20) == (b.at[0] | 0x20);
}

static struct piece drop_units(struct piece piece, size_t units) {
  return (struct piece) { piece.at + units, piece.len - units };
}

/* The part of `cwd` that a directory is relative to. */
static struct piece base_of(struct piece dir, struct piece cwd) {
  int rooted = dir.len > 0 && is_separator(dir.at[0]);

  if (rooted && dir.len > 1 && is_separator(dir.at[1]))
    return nothing; /* \\server\share */
  if (rooted)       /* on the current drive */
    return has_drive(cwd) ? (struct piece) { cwd.at, 2 } : nothing;
  if (has_drive(dir) && dir.len > 2 && is_separator(dir.at[2]))
    return nothing; /* C:\ */
  if (has_drive(dir) && !same_drive(dir, cwd))
    return nothing; /* C:x: only the system knows that drive's directory */
  return cwd;
}

static uint16_t* put_piece(uint16_t* at, struct piece piece) {
  memcpy(at, piece.at, piece.len * sizeof(*at));
  return at + piece.len;
}

static uint16_t* put_separator(const uint16_t* start, uint16_t* at) {
  int is_needed = at > start && !is_separator(at[-1]) && at[-1] != ':';

  if (is_needed)
    *at++ = '\\';
  return at;
}

/* cwd\dir\name.ext, freed by the caller, or NULL. */
static uint16_t* build_path(struct piece cwd,
                            struct piece dir,
                            struct piece name,
                            struct piece ext) {
  struct piece base = base_of(dir, cwd);
  size_t units = base.len + dir.len + name.len + ext.len + 4;
  uint16_t* path = uv__malloc_array(units, sizeof(*path));
  if (path == NULL)
    return NULL;

  /* The base already contains the drive. */
  if (base.len > 0 && has_drive(dir))
    dir = drop_units(dir, 2);
  uint16_t* at = put_piece(path, base);
  if (dir.len > 0 && !is_separator(dir.at[0]))
    at = put_separator(path, at);
  at = put_piece(at, dir);
  at = put_separator(path, at);
  at = put_piece(at, name);
  if (ext.len > 0) {
    if (at[-1] != '.')
      *at++ = '.';
    at = put_piece(at, ext);
  }
  *at = '\0';
  return path;
}

/* Tries one directory: 0, UV_ENOENT or UV_ENOMEM. */
static int try_dir(const struct uv__program_query* query,
                   struct piece dir,
                   struct piece name,
                   int as_it_is,
                   uint16_t** out) {
  static const uint16_t com[] = { 'c', 'o', 'm' };
  static const uint16_t exe[] = { 'e', 'x', 'e' };
  const struct piece extensions[] = { nothing, { com, 3 }, { exe, 3 } };
  struct piece cwd = { query->cwd, text_length(query->cwd) };

  for (size_t i = as_it_is ? 0 : 1; i < ARRAY_SIZE(extensions); i++) {
    uint16_t* path = build_path(cwd, dir, name, extensions[i]);
    if (path == NULL)
      return UV_ENOMEM;
    if (query->is_file(path)) {
      *out = path;
      return 0;
    }
    uv__free(path);
  }
  return UV_ENOENT;
}

/* Takes the next entry of %PATH%; returns 0 at the end. A quoted ; does not
 * separate entries, and quotes are not part of an entry. */
static int next_entry(const uint16_t** path, struct piece* entry) {
  const uint16_t* at = *path;

  while (*at == ';')
    at++;
  if (*at == '\0')
    return 0;

  uint16_t quote = *at == '"' || *at == '\'' ? *at : '\0';
  const uint16_t* start = quote == '\0' ? at : at + 1;
  uint16_t closing = quote == '\0' ? ';' : quote;
  const uint16_t* end = start + length_until(start, closing);
  /* An unclosed quote is an ordinary character. */
  if (quote != '\0' && *end == '\0')
    end = start + length_until(start, ';');
  *entry = (struct piece) { start, (size_t) (end - start) };
  *path = end + length_until(end, ';');
  return 1;
}

static int search_program(const struct uv__program_query* query,
                          struct piece name,
                          int has_extension,
                          uint16_t** out) {
  const uint16_t* path = query->path == NULL ? no_units : query->path;
  struct piece entry;
  int err = UV_ENOENT;

  if (query->search_cwd)
    err = try_dir(query, nothing, name, has_extension, out);
  while (err == UV_ENOENT && next_entry(&path, &entry))
    if (entry.len > 0)
      err = try_dir(query, entry, name, has_extension, out);
  return err;
}

static int has_extension(struct piece name) {
  size_t dot = name.len;

  while (dot > 0 && name.at[dot - 1] != '.')
    dot--;
  return dot > 0 && dot < name.len;
}

int uv__program_find(const struct uv__program_query* query, uint16_t** out) {
  struct piece file = { query->file, text_length(query->file) };
  size_t dir_len = file.len;

  while (dir_len > 0 && !is_separator(file.at[dir_len - 1]) &&
         file.at[dir_len - 1] != ':')
    dir_len--;
  struct piece dir = { file.at, dir_len };
  struct piece name = drop_units(file, dir_len);
  /* Neither can be a file, with or without an extension. */
  if (name.len == 0 || (name.len == 1 && name.at[0] == '.'))
    return UV_ENOENT;

  if (dir.len > 0)
    return try_dir(query, dir, name, has_extension(name) || query->exact_name,
                   out);
  return search_program(query, name, has_extension(name), out);
}
