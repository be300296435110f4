/* SPDX-License-Identifier: MIT */
/* win/reparse.c: links from byte arrays, and junctions to byte arrays. It is
 * pure, so it is compiled in here and tested on every system. */
#include "unit.h"

#include "util/base.h"

/* Not the library's own, where it has one. */
#define uv__reparse_has_root unit_reparse_has_root
#define uv__reparse_tag unit_reparse_tag
#define uv__reparse_parse unit_reparse_parse
#define uv__reparse_junction unit_reparse_junction
#include "win/reparse.c"

#include <stdlib.h>

/* The data under test, in memory of its exact size. */
static unsigned char* data;
static size_t data_size;

static void begin(uint32_t tag) {
  free(data);
  data = malloc(HEADER_SIZE);
  CHECK(data != NULL);
  data_size = HEADER_SIZE;
  put32(data, tag);
  put16(data + 4, 0);
  put16(data + 6, 0);
}

static void add(const void* bytes, size_t size) {
  data = realloc(data, data_size + size);
  CHECK(data != NULL);
  memcpy(data + data_size, bytes, size);
  data_size += size;
  put16(data + 4, data_size - HEADER_SIZE);
}

static void add16(unsigned value) {
  unsigned char bytes[2];
  put16(bytes, value);
  add(bytes, 2);
}

static void add32(uint32_t value) {
  unsigned char bytes[4];
  put32(bytes, value);
  add(bytes, 4);
}

/* Units have this machine's byte order, here and in reparse.c. */
static void add_text(const char* text) {
  for (; *text != '\0'; text++) {
    uint16_t unit = (unsigned char) *text;
    add(&unit, sizeof(unit));
  }
}

static void make_names(uint32_t tag, const char* real, const char* shown) {
  begin(tag);
  add16(0);
  add16((unsigned) strlen(real) * 2);
  add16((unsigned) strlen(real) * 2);
  add16((unsigned) strlen(shown) * 2);
  if (tag == TAG_SYMLINK)
    add32(0);
  add_text(real);
  add_text(shown);
}

/* The target as plain text; "" if it is not a link, "?" if it is malformed. */
static const char* target(void) {
  static char text[256];
  struct uv__reparse_target t;
  size_t i = 0;

  enum uv__reparse_result result = uv__reparse_parse(data, data_size, &t);
  if (result != UV__REPARSE_LINK)
    return result == UV__REPARSE_OTHER ? "" : "?";
  CHECK(t.len < sizeof(text));
  CHECK((t.text == NULL) != (t.bytes == NULL));
  for (; i < t.len; i++)
    text[i] = t.bytes != NULL ? t.bytes[i] : (char) t.text[i];
  text[i] = '\0';
  return text;
}

UNIT_TEST(reparse_symlinks) {
  static const struct {
    const char* real;
    const char* target;
  } rows[] = {
    { "dir\\file", "dir\\file" },
    { "..", ".." },
    { "", "" },
    { "\\rooted", "\\rooted" },
    { "\\??\\C:\\dir", "C:\\dir" },
    { "\\??\\z:\\", "z:\\" },
    { "\\??\\UNC\\server\\share", "\\\\server\\share" },
    { "\\??\\Volume{1}\\dir", "\\\\?\\Volume{1}\\dir" },
    { "\\??\\C:", "\\\\?\\C:" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    make_names(TAG_SYMLINK, rows[i].real, "shown");
    CHECK_STR(rows[i].target, target());
  }
}

UNIT_TEST(reparse_junctions) {
  make_names(TAG_MOUNT_POINT, "\\??\\C:\\dir", "C:\\dir");
  CHECK_STR("C:\\dir", target());
  make_names(TAG_MOUNT_POINT, "\\??\\Volume{1}\\", "");
  CHECK_STR("", target()); /* a mounted volume */
  make_names(TAG_MOUNT_POINT, "C:\\dir", "C:\\dir");
  CHECK_STR("", target());
  make_names(0xA0001234, "\\??\\C:\\dir", "C:\\dir");
  CHECK_STR("", target()); /* an unknown tag */
}

UNIT_TEST(reparse_links_of_wsl) {
  begin(TAG_LX_SYMLINK);
  add32(LX_SYMLINK_UTF8);
  add("../x", 4);
  CHECK_STR("../x", target());
  begin(TAG_LX_SYMLINK);
  add32(1);
  add("../x", 4);
  CHECK_STR("", target());
  begin(TAG_LX_SYMLINK);
  add16(2);
  CHECK_STR("?", target());
}

static void make_app(uint32_t count, const char* const strings[]) {
  begin(TAG_APP);
  add32(count);
  for (; *strings != NULL; strings++) {
    add_text(*strings);
    add16(0);
  }
}

UNIT_TEST(reparse_links_of_apps) {
  static const char* const good[] = { "id", "entry", "C:\\app.exe", "0", NULL };
  static const char* const no_path[] = { "id", "entry", "app.exe", NULL };
  static const char* const few[] = { "id", "entry", NULL };

  make_app(4, good);
  CHECK_STR("C:\\app.exe", target());
  make_app(3, no_path);
  CHECK_STR("", target());
  make_app(2, few);
  CHECK_STR("", target());
  make_app(3, few); /* fewer than it says */
  CHECK_STR("?", target());
}

/* Arbitrary disk contents: nothing outside the data is read (ASan checks), and
 * no field is trusted. */
UNIT_TEST(reparse_cut_at_every_byte) {
  make_names(TAG_SYMLINK, "\\??\\UNC\\s\\share", "");
  size_t whole = data_size;

  for (size_t size = 0; size < whole; size++) {
    struct uv__reparse_target t;
    unsigned char* part = malloc(size == 0 ? 1 : size);
    CHECK(part != NULL);
    memcpy(part, data, size);
    CHECK_EQ(UV__REPARSE_BROKEN, uv__reparse_parse(part, size, &t));
    if (size >= HEADER_SIZE) /* the header is correct */
      put16(part + 4, size - HEADER_SIZE);
    CHECK_EQ(UV__REPARSE_BROKEN, uv__reparse_parse(part, size, &t));
    free(part);
  }
}

UNIT_TEST(reparse_names_outside) {
  static const struct {
    unsigned offset;
    unsigned length;
  } rows[] = { { 0xFFFF, 2 }, { 0, 0xFFFF }, { 0, 16 }, { 14, 2 },
               { 15, 0 },     { 1, 2 },      { 0, 1 },  { 0xFFFE, 0xFFFE } };

  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    make_names(TAG_MOUNT_POINT, "\\??\\C:\\", "");
    CHECK_EQ(HEADER_SIZE + 8 + 14, data_size);
    put16(data + HEADER_SIZE, rows[i].offset);
    put16(data + HEADER_SIZE + 2, rows[i].length);
    CHECK_STR("?", target());
  }
}

static size_t fill(const char* path) {
  uint16_t wide[64];
  size_t len = 0;

  free(data);
  data = malloc(UV__REPARSE_SIZE_MAX);
  CHECK(data != NULL);
  for (; path[len] != '\0'; len++)
    wide[len] = (unsigned char) path[len];
  data_size = uv__reparse_junction(data, wide, len);
  return data_size;
}

UNIT_TEST(reparse_junction_bytes) {
  static const unsigned char header[] = {
    0x03, 0, 0,  0xA0, 36, 0, 0, 0, /* tag, 8 + 2 * (9 + 5), reserved */
    0,    0, 16, 0,    18, 0, 8, 0, /* offsets and lengths of 8 and 4 units */
  };

  CHECK_EQ(sizeof(header) + 28, fill("C:/d"));
  CHECK_MEM(header, data, sizeof(header));
  CHECK_STR("C:\\d", target());
  const uint16_t* names = (const void*) (data + JUNCTION_NAMES_AT);
  CHECK_EQ(0, names[8]);
  CHECK_EQ('C', names[9]);
  CHECK_EQ(0, names[13]);
}

UNIT_TEST(reparse_junction_paths) {
  CHECK(fill("C:\\\\dir//sub\\") > 0);
  CHECK_STR("C:\\dir\\sub\\", target());
  CHECK(fill("C:\\") > 0);
  CHECK_STR("C:\\", target());
}

UNIT_TEST(reparse_junction_of_every_length) {
  static uint16_t path[UV__REPARSE_SIZE_MAX];
  size_t longest = 0;

  free(data);
  data = malloc(UV__REPARSE_SIZE_MAX);
  CHECK(data != NULL);
  path[0] = 'C';
  path[1] = ':';
  path[2] = '\\';
  for (size_t i = 3; i < ARRAY_SIZE(path); i++)
    path[i] = 'x';
  for (size_t len = 3; len < ARRAY_SIZE(path); len += 97) {
    size_t size = uv__reparse_junction(data, path, len);
    CHECK(size <= UV__REPARSE_SIZE_MAX);
    if (size == 0)
      continue;
    struct uv__reparse_target t;
    CHECK_EQ(UV__REPARSE_LINK, uv__reparse_parse(data, size, &t));
    CHECK_EQ(len, t.len);
    CHECK_MEM(path, t.text, len * sizeof(*path));
    longest = len;
  }
  CHECK(longest > 3900 && longest < 4096);
}
