/* SPDX-License-Identifier: MIT */
/* Reads links; reparse.c parses their data. Context: any. */
#include "win/fs.h"
#include "util/alloc.h"
#include "win/reparse.h"
#include "win/wide.h"

#include <string.h>
#include <winioctl.h>

/* A reparse point as the system returns it. */
union reparse {
  uint32_t alignment;
  char bytes[UV__REPARSE_SIZE_MAX];
};

static_assert(UV__REPARSE_SIZE_MAX == MAXIMUM_REPARSE_DATA_BUFFER_SIZE,
              "any reparse point fits");

static DWORD keep_target(const struct uv__reparse_target* target,
                         struct uv__fs_link* link) {
  if (target->bytes != NULL) {
    link->target = uv__strndup(target->bytes, target->len);
    if (link->target == NULL)
      return ERROR_NOT_ENOUGH_MEMORY;
  } else if (uv__wide_to_utf8((const WCHAR*) target->text,
                              (ssize_t) target->len, &link->target) != 0) {
    return ERROR_NOT_ENOUGH_MEMORY;
  }

  link->len = strlen(link->target);
  return 0;
}

DWORD uv__fs_read_link(HANDLE file, struct uv__fs_link* link) {
  union reparse point = { .bytes = { 0 } };
  struct uv__reparse_target target;
  DWORD size;

  if (!DeviceIoControl(file, FSCTL_GET_REPARSE_POINT, NULL, 0, &point,
                       sizeof(point), &size, NULL))
    return GetLastError();

  link->tag = uv__reparse_tag(&point);
  switch (uv__reparse_parse(&point, size, &target)) {
  case UV__REPARSE_LINK:
    return keep_target(&target, link);
  case UV__REPARSE_OTHER:
    return ERROR_SYMLINK_NOT_SUPPORTED;
  case UV__REPARSE_BROKEN:
    break;
  }
  return ERROR_INVALID_REPARSE_DATA;
}
