/* SPDX-License-Identifier: MIT */
/* Symbolic links, junctions, WSL links and app execution aliases, all stored as
 * reparse points of different kinds:
 *
 *   tag (4 bytes), size of the data after the header (2), reserved (2), then
 *     symbolic link   offset and length of the substitute name, offset and
 *                     length of the print name (2 each), flags (4), names
 *     junction        the same without flags
 *     WSL             version (4), UTF-8 text
 *     app             number of strings (4), NUL-terminated strings
 *
 * Offsets and lengths are in bytes; offsets are relative to the first name.
 */
#include "win/reparse.h"
#include "util/base.h"

#include <string.h>

#define TAG_MOUNT_POINT 0xA0000003u
#define TAG_SYMLINK 0xA000000Cu
#define TAG_LX_SYMLINK 0xA000001Du
#define TAG_APP 0x8000001Bu

#define HEADER_SIZE 8
#define SYMLINK_NAMES_AT (HEADER_SIZE + 12)
#define JUNCTION_NAMES_AT (HEADER_SIZE + 8)
#define STRINGS_AT (HEADER_SIZE + 4)

/* The version of WSL links that hold UTF-8 text. */
#define LX_SYMLINK_UTF8 2

/* Index of the target among the strings of an app execution alias. */
#define APP_TARGET 2

/* NT paths start with "\??\" where Win32 paths have "\\?\". */
static const uint16_t nt_prefix[] = { '\\', '?', '?', '\\' };
static const uint16_t nt_share[] = {
  '\\', '?', '?', '\\', 'U', 'N', 'C', '\\'
};
#define NT_PREFIX_LEN 4

static unsigned get16(const unsigned char* at) {
  return at[0] | (unsigned) at[1] << 8;
}

static uint32_t get32(const unsigned char* at) {
  return get16(at) | (uint32_t) get16(at + 2) << 16;
}

static void put16(unsigned char* at, size_t value) {
  at[0] = (unsigned char) (value & 0xFF);
  at[1] = (unsigned char) (value >> 8 & 0xFF);
}

static void put32(unsigned char* at, uint32_t value) {
  put16(at, value & 0xFFFF);
  put16(at + 2, value >> 16);
}

static int is_slash(uint16_t unit) {
  return unit == '\\' || unit == '/';
}

int uv__reparse_has_root(const uint16_t* path, size_t len) {
  if (len < 3 || path[1] != ':' || !is_slash(path[2]))
    return 0;
  return (path[0] >= 'a' && path[0] <= 'z') ||
         (path[0] >= 'A' && path[0] <= 'Z');
}

uint32_t uv__reparse_tag(const void* data) {
  return get32(data);
}

/* ---- parsing ---- */

/* A reparse point whose length has been checked. */
struct point {
  unsigned char* bytes;
  size_t size;
};

static int starts_with(const uint16_t* text,
                       size_t len,
                       const uint16_t* with,
                       size_t with_len) {
  return len >= with_len && memcmp(text, with, with_len * sizeof(*with)) == 0;
}

/* The substitute name, located by the header; NULL if it is out of bounds. */
static uint16_t* real_name(struct point point, size_t names_at, size_t* len) {
  if (point.size < names_at)
    return NULL;
  size_t room = point.size - names_at;
  size_t offset = get16(point.bytes + HEADER_SIZE);
  size_t length = get16(point.bytes + HEADER_SIZE + 2);

  if (offset > room || length > room - offset)
    return NULL;
  if (offset % sizeof(uint16_t) != 0 || length % sizeof(uint16_t) != 0)
    return NULL;
  *len = length / sizeof(uint16_t);
  return (uint16_t*) (void*) (point.bytes + names_at + offset);
}

/* Relative targets are stored as they are, absolute ones as NT paths:
 * "\??\C:\dir", "\??\UNC\server\share". */
static enum uv__reparse_result parse_symlink(struct point point,
                                             struct uv__reparse_target* out) {
  size_t len = 0;
  uint16_t* name = real_name(point, SYMLINK_NAMES_AT, &len);

  if (name == NULL)
    return UV__REPARSE_BROKEN;
  if (starts_with(name, len, nt_share, ARRAY_SIZE(nt_share))) {
    name += NT_PREFIX_LEN + 2;
    len -= NT_PREFIX_LEN + 2;
    name[0] = '\\'; /* was the C */
  } else if (starts_with(name, len, nt_prefix, NT_PREFIX_LEN) &&
             uv__reparse_has_root(name + NT_PREFIX_LEN, len - NT_PREFIX_LEN)) {
    name += NT_PREFIX_LEN;
    len -= NT_PREFIX_LEN;
  } else if (starts_with(name, len, nt_prefix, NT_PREFIX_LEN)) {
    name[1] = '\\'; /* "\\?\Volume{...}\" can be opened */
  }
  out->text = name;
  out->len = len;
  return UV__REPARSE_LINK;
}

/* Junctions. Mounted volumes have the same format; only their target differs,
 * and they count as directories. */
static enum uv__reparse_result parse_junction(struct point point,
                                              struct uv__reparse_target* out) {
  size_t len = 0;
  const uint16_t* name = real_name(point, JUNCTION_NAMES_AT, &len);

  if (name == NULL)
    return UV__REPARSE_BROKEN;
  if (!starts_with(name, len, nt_prefix, NT_PREFIX_LEN) ||
      !uv__reparse_has_root(name + NT_PREFIX_LEN, len - NT_PREFIX_LEN))
    return UV__REPARSE_OTHER;
  out->text = name + NT_PREFIX_LEN;
  out->len = len - NT_PREFIX_LEN;
  return UV__REPARSE_LINK;
}

static enum uv__reparse_result parse_lx(struct point point,
                                        struct uv__reparse_target* out) {
  if (point.size < STRINGS_AT)
    return UV__REPARSE_BROKEN;
  if (get32(point.bytes + HEADER_SIZE) != LX_SYMLINK_UTF8)
    return UV__REPARSE_OTHER;
  out->bytes = (const char*) point.bytes + STRINGS_AT;
  out->len = point.size - STRINGS_AT;
  return UV__REPARSE_LINK;
}

static enum uv__reparse_result parse_app(struct point point,
                                         struct uv__reparse_target* out) {
  if (point.size < STRINGS_AT)
    return UV__REPARSE_BROKEN;
  const uint16_t* at = (const void*) (point.bytes + STRINGS_AT);
  size_t left = (point.size - STRINGS_AT) / sizeof(*at);

  if (get32(point.bytes + HEADER_SIZE) <= APP_TARGET)
    return UV__REPARSE_OTHER;
  for (int i = 0;; i++) {
    size_t len = 0;
    while (len < left && at[len] != 0)
      len++;
    if (len == left)
      return UV__REPARSE_BROKEN;
    if (i == APP_TARGET) {
      out->text = at;
      out->len = len;
      return uv__reparse_has_root(at, len) ? UV__REPARSE_LINK
                                           : UV__REPARSE_OTHER;
    }
    at += len + 1;
    left -= len + 1;
  }
}

enum uv__reparse_result uv__reparse_parse(void* data,
                                          size_t size,
                                          struct uv__reparse_target* target) {
  struct point point = { data, size };

  if (size < HEADER_SIZE || get16(point.bytes + 4) > size - HEADER_SIZE)
    return UV__REPARSE_BROKEN;
  point.size = HEADER_SIZE + get16(point.bytes + 4);
  target->text = NULL;
  target->bytes = NULL;
  target->len = 0;
  switch (uv__reparse_tag(data)) {
  case TAG_SYMLINK:
    return parse_symlink(point, target);
  case TAG_MOUNT_POINT:
    return parse_junction(point, target);
  case TAG_LX_SYMLINK:
    return parse_lx(point, target);
  case TAG_APP:
    return parse_app(point, target);
  }
  return UV__REPARSE_OTHER;
}

/* ---- building ---- */

/* Copies an absolute path with single backslashes; returns the length. A
 * trailing one is kept: a drive root needs it. */
static size_t put_path(uint16_t* to, const uint16_t* path, size_t len) {
  size_t used = 0;

  for (size_t i = 0; i < len; i++) {
    uint16_t unit = is_slash(path[i]) ? '\\' : path[i];
    if (unit != '\\' || used == 0 || to[used - 1] != '\\')
      to[used++] = unit;
  }
  return used;
}

size_t uv__reparse_junction(void* data, const uint16_t* path, size_t len) {
  unsigned char* bytes = data;
  uint16_t* real = (uint16_t*) (void*) (bytes + JUNCTION_NAMES_AT);
  size_t room = (UV__REPARSE_SIZE_MAX - JUNCTION_NAMES_AT) / sizeof(*real);

  /* The path is stored twice, once with the prefix, each with a NUL. */
  if (len > (room - NT_PREFIX_LEN - 2) / 2)
    return 0;
  memcpy(real, nt_prefix, sizeof(nt_prefix));
  len = put_path(real + NT_PREFIX_LEN, path, len);
  size_t real_len = NT_PREFIX_LEN + len;
  uint16_t* shown = real + real_len + 1;
  shown[-1] = 0;
  memcpy(shown, real + NT_PREFIX_LEN, len * sizeof(*real));
  shown[len] = 0;

  size_t names_size = (real_len + 1 + len + 1) * sizeof(*real);
  put32(bytes, TAG_MOUNT_POINT);
  put16(bytes + 4, JUNCTION_NAMES_AT - HEADER_SIZE + names_size);
  put16(bytes + 6, 0);
  put16(bytes + HEADER_SIZE, 0);
  put16(bytes + HEADER_SIZE + 2, real_len * sizeof(*real));
  put16(bytes + HEADER_SIZE + 4, (real_len + 1) * sizeof(*real));
  put16(bytes + HEADER_SIZE + 6, len * sizeof(*real));
  return JUNCTION_NAMES_AT + names_size;
}
