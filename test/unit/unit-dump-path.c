/* SPDX-License-Identifier: MIT */
/* win/dump-path.c: where the dump of a process goes (GHSA-jjrx-vr7q-7732: a
 * size in bytes taken for a size in characters, with a long %LOCALAPPDATA%). It
 * is pure, so it is compiled in here and tested on every system. */
#include "unit.h"

#include "util/base.h"

/* Not the library's own, where it has one. */
#define uv__dump_path unit_dump_path
#include "win/dump-path.c"

#include <stdlib.h>
#include <string.h>

#define UNTOUCHED 0xabcd
#define LONGEST 32767 /* units of a path on Windows, without the 0 */

static void widen(uint16_t* wide, const char* text) {
  do
    *wide++ = (unsigned char) *text;
  while (*text++ != '\0');
}

static size_t wide_length(const uint16_t* wide) {
  size_t n = 0;

  while (wide[n] != 0)
    n++;
  return n;
}

/* Is it written to exactly `room` units of memory, and not beyond? */
static int path_in(size_t room,
                   const uint16_t* folder,
                   const uint16_t* image,
                   uint32_t pid,
                   uint16_t* copy) {
  enum { GUARD = 8 };
  uint16_t* path = malloc((room + GUARD) * sizeof(*path));

  CHECK(path != NULL);
  for (size_t i = 0; i < room + GUARD; i++)
    path[i] = UNTOUCHED;
  int err = unit_dump_path(path, room, folder, image, pid);
  for (size_t i = room; i < room + GUARD; i++)
    CHECK_EQ(UNTOUCHED, path[i]);
  if (room > 0)
    memcpy(copy, path, room * sizeof(*path));
  free(path);
  return err;
}

static void check_path(const char* want,
                       const char* folder,
                       const char* image,
                       uint32_t pid) {
  uint16_t wide_folder[64];
  uint16_t wide_image[64];
  uint16_t wide_want[128];
  uint16_t path[128];

  widen(wide_folder, folder);
  widen(wide_image, image);
  widen(wide_want, want);
  size_t units = strlen(want) + 1;
  CHECK_EQ(0, path_in(units, wide_folder, wide_image, pid, path));
  CHECK_EQ(0, memcmp(wide_want, path, units * sizeof(*path)));
}

UNIT_TEST(dump_path_is_put_together) {
  check_path("C:\\Dumps\\a.exe.42.dmp", "C:\\Dumps", "C:\\x\\y\\a.exe", 42);
  check_path("d\\a.exe.0.dmp", "d", "a.exe", 0);
  check_path("d\\a.4294967295.dmp", "d", "\\\\?\\C:/bin/a", UINT32_MAX);
  check_path("\\.1.dmp", "", "", 1);
}

UNIT_TEST(dump_path_every_buffer_size) {
  uint16_t folder[64];
  uint16_t image[64];
  uint16_t path[64];
  const size_t need = sizeof("C:\\Dumps\\a.exe.42.dmp");

  widen(folder, "C:\\Dumps");
  widen(image, "C:\\x\\y\\a.exe");
  for (size_t room = 0; room < need; room++) {
    path[0] = UNTOUCHED;
    CHECK_EQ(UV_ENAMETOOLONG, path_in(room, folder, image, 42, path));
    CHECK_EQ(room == 0 ? UNTOUCHED : 0, path[0]);
  }
  for (size_t room = need; room < need + 4; room++)
    CHECK_EQ(0, path_in(room, folder, image, 42, path));
}

/* Folders around every size that could have been taken for the limit: MAX_PATH
 * units and half of it, Windows' own maximum and half of it. */
UNIT_TEST(dump_path_counts_units_not_bytes) {
  static const size_t limits[] = { 130, 260, 520, LONGEST / 2, LONGEST };
  static uint16_t folder[LONGEST + 32];
  static uint16_t path[2 * LONGEST];
  uint16_t image[16];
  const size_t rest = sizeof("\\a.exe.42.dmp"); /* with the 0 */

  widen(image, "a.exe");
  for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
    for (size_t n = limits[i] - 20; n < limits[i] + 20; n++) {
      for (size_t k = 0; k < n; k++)
        folder[k] = 0x20ac; /* three bytes each in UTF-8 */
      folder[n] = 0;
      int err = path_in(limits[i] + 1, folder, image, 42, path);
      CHECK_EQ(n + rest <= limits[i] + 1 ? 0 : UV_ENAMETOOLONG, err);
      CHECK_EQ(err == 0 ? n + rest - 1 : 0, wide_length(path));
    }
  }
}
