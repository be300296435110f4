/* SPDX-License-Identifier: MIT */
/* Appends the parts one after the other. Room is counted in units throughout: a
 * path of 32,767 units has twice as many bytes.
 */
#include "win/dump-path.h"
#include "util/base.h"

#include <stdio.h>

/* ".", up to ten digits, ".dmp" and the NUL. */
#define TAIL_MAX 16

struct writer {
  uint16_t* at;
  size_t left; /* units */
  int is_cut;  /* something did not fit */
};

static void put_unit(struct writer* writer, uint16_t unit) {
  if (writer->left == 0) {
    writer->is_cut = 1;
    return;
  }
  *writer->at++ = unit;
  writer->left--;
}

static void put_wide(struct writer* writer, const uint16_t* text) {
  for (; *text != 0; text++)
    put_unit(writer, *text);
}

static const uint16_t* file_name(const uint16_t* path) {
  const uint16_t* name = path;

  for (; *path != 0; path++)
    if (*path == '\\' || *path == '/')
      name = path + 1;
  return name;
}

int uv__dump_path(uint16_t* path,
                  size_t room,
                  const uint16_t* folder,
                  const uint16_t* image,
                  uint32_t pid) {
  struct writer writer = { path, room, 0 };
  char tail[TAIL_MAX];

  put_wide(&writer, folder);
  put_unit(&writer, '\\');
  put_wide(&writer, file_name(image));
  snprintf(tail, sizeof(tail), ".%lu.dmp", (unsigned long) pid);
  for (const char* p = tail; *p != '\0'; p++)
    put_unit(&writer, (unsigned char) *p);
  put_unit(&writer, 0);
  if (!writer.is_cut)
    return 0;
  if (room > 0)
    path[0] = 0;
  return UV_ENAMETOOLONG;
}
