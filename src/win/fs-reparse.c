/* SPDX-License-Identifier: MIT */
/* What links say: symbolic links, junctions, the links of WSL and of apps from
 * the store, all kept in reparse points of different kinds ([MS-FSCC] 2.1.2).
 *
 * The data comes from a disk: every offset and length is checked against what
 * was read. Context: any.
 */
#include "win/fs-impl.h"
#include "alloc.h"
#include "win/wide.h"

#include <string.h>
#include <winioctl.h>

#define TAG_LX_SYMLINK 0xA000001Du

/* The version of WSL's links that is text in UTF-8. */
#define LX_SYMLINK_UTF8 2

/* In the array of an app's link: where the program is. */
#define APP_TARGET 2

/* Names inside the kernel begin with this where ours have "\\?\". */
#define NT_PREFIX L"\\??\\"
#define NT_PREFIX_LEN 4

/* A reparse point as the system returns it. */
union reparse {
  struct uv__reparse_data data;
  char bytes[MAXIMUM_REPARSE_DATA_BUFFER_SIZE];
};

/* A link's target inside of a union reparse; `text` or `bytes`. */
struct target {
  WCHAR* text;
  const char* bytes;
  size_t len; /* units or bytes */
};

static int starts_with(const WCHAR* text, size_t len, const WCHAR* with) {
  size_t with_len = wcslen(with);
  return len >= with_len && wcsncmp(text, with, with_len) == 0;
}

/* A name at a place inside `space`, the `size` bytes that follow the fixed
 * part; NULL if it is not inside. */
static WCHAR* name_at(WCHAR* space, size_t size, size_t offset, size_t length) {
  if (offset > size || length > size - offset)
    return NULL;
  if (offset % sizeof(WCHAR) != 0 || length % sizeof(WCHAR) != 0)
    return NULL;
  return space + offset / sizeof(WCHAR);
}

/* Bytes of the data from `start` on. */
static size_t bytes_from(const union reparse* point, const void* start) {
  size_t before = (size_t) ((const char*) start - (const char*) &point->data.u);
  size_t all = point->data.data_length;
  return all < before ? 0 : all - before;
}

/* Relative targets are stored as they are, absolute ones in the kernel's form:
 * "\??\C:\dir", "\??\UNC\server\share". */
static DWORD read_symlink(union reparse* point, struct target* out) {
  WCHAR* space = point->data.u.symlink.path;
  size_t len = point->data.u.symlink.substitute_length;
  WCHAR* name = name_at(space, bytes_from(point, space),
                        point->data.u.symlink.substitute_offset, len);
  if (name == NULL)
    return ERROR_INVALID_REPARSE_DATA;
  len /= sizeof(WCHAR);

  if (starts_with(name, len, NT_PREFIX L"UNC\\")) {
    name += NT_PREFIX_LEN + 2;
    len -= NT_PREFIX_LEN + 2;
    name[0] = L'\\'; /* was the C */
  } else if (starts_with(name, len, NT_PREFIX) &&
             uv__fs_has_drive_root(name + NT_PREFIX_LEN, len - NT_PREFIX_LEN)) {
    name += NT_PREFIX_LEN;
    len -= NT_PREFIX_LEN;
  } else if (starts_with(name, len, NT_PREFIX)) {
    name[1] = L'\\'; /* "\\?\Volume{...}\": a name that can be opened */
  }

  out->text = name;
  out->len = len;
  return 0;
}

/* Junctions. Volumes mounted on a directory look alike, but for their target,
 * and are directories. */
static DWORD read_mount_point(union reparse* point, struct target* out) {
  WCHAR* space = point->data.u.mount_point.path;
  size_t len = point->data.u.mount_point.substitute_length;
  WCHAR* name = name_at(space, bytes_from(point, space),
                        point->data.u.mount_point.substitute_offset, len);
  if (name == NULL)
    return ERROR_INVALID_REPARSE_DATA;
  len /= sizeof(WCHAR);

  if (!starts_with(name, len, NT_PREFIX) ||
      !uv__fs_has_drive_root(name + NT_PREFIX_LEN, len - NT_PREFIX_LEN))
    return ERROR_SYMLINK_NOT_SUPPORTED;

  out->text = name + NT_PREFIX_LEN;
  out->len = len - NT_PREFIX_LEN;
  return 0;
}

static DWORD read_lx_symlink(union reparse* point, struct target* out) {
  const char* start = (const char*) point->data.u.bytes;
  size_t size = point->data.data_length;
  uint32_t version;

  if (size < sizeof(version))
    return ERROR_INVALID_REPARSE_DATA;
  memcpy(&version, start, sizeof(version));
  if (version != LX_SYMLINK_UTF8)
    return ERROR_SYMLINK_NOT_SUPPORTED;

  out->bytes = start + sizeof(version);
  out->len = size - sizeof(version);
  return 0;
}

static DWORD read_app_link(union reparse* point, struct target* out) {
  WCHAR* at = point->data.u.app_exec_link.strings;
  size_t left = bytes_from(point, at) / sizeof(WCHAR);

  if (point->data.u.app_exec_link.string_count <= APP_TARGET)
    return ERROR_SYMLINK_NOT_SUPPORTED;

  for (int i = 0;; i++) {
    size_t len = wcsnlen(at, left);
    if (len == left)
      return ERROR_INVALID_REPARSE_DATA;
    if (i == APP_TARGET) {
      out->text = at;
      out->len = len;
      return uv__fs_has_drive_root(at, len) ? 0 : ERROR_SYMLINK_NOT_SUPPORTED;
    }
    at += len + 1;
    left -= len + 1;
  }
}

static DWORD find_target(union reparse* point, struct target* out) {
  switch (point->data.tag) {
  case IO_REPARSE_TAG_SYMLINK:
    return read_symlink(point, out);
  case IO_REPARSE_TAG_MOUNT_POINT:
    return read_mount_point(point, out);
  case TAG_LX_SYMLINK:
    return read_lx_symlink(point, out);
  case UV__REPARSE_TAG_APPEXECLINK:
    return read_app_link(point, out);
  }
  return ERROR_SYMLINK_NOT_SUPPORTED;
}

static DWORD keep_target(const struct target* target,
                         struct uv__fs_link* link) {
  if (target->bytes != NULL) {
    link->target = uv__strndup(target->bytes, target->len);
    if (link->target == NULL)
      return ERROR_NOT_ENOUGH_MEMORY;
  } else if (uv__wide_to_utf8(target->text, (ssize_t) target->len,
                              &link->target) != 0) {
    return ERROR_NOT_ENOUGH_MEMORY;
  }

  link->len = strlen(link->target);
  return 0;
}

DWORD uv__fs_read_link(HANDLE file, struct uv__fs_link* link) {
  union reparse point = { .bytes = { 0 } };
  struct target target = { 0 };
  DWORD size;

  if (!DeviceIoControl(file, FSCTL_GET_REPARSE_POINT, NULL, 0, &point,
                       sizeof(point), &size, NULL))
    return GetLastError();
  if (size < offsetof(struct uv__reparse_data, u) ||
      point.data.data_length > size - offsetof(struct uv__reparse_data, u))
    return ERROR_INVALID_REPARSE_DATA;

  link->tag = point.data.tag;
  DWORD sys_error = find_target(&point, &target);
  return sys_error != 0 ? sys_error : keep_target(&target, link);
}
