/* SPDX-License-Identifier: MIT */
/* win/process-path.c: finding a program. It is pure, so it is compiled in here
 * and tested on every system, with a list of files instead of a disk. */
#include "unit.h"

#include "util/base.h"

/* Not the library's own, where it has one. */
#define uv__program_find unit_program_find
#include "win/process-path.c"

static const char* const* files; /* existing files, NULL-terminated */
static char tried[1024];         /* files that were looked for, separated by ;
                                  */

static int is_there(const uint16_t* wide) {
  char path[128];
  size_t len = text_length(wide);

  CHECK(len < sizeof(path));
  for (size_t i = 0; i <= len; i++)
    path[i] = (char) wide[i];
  CHECK(strlen(tried) + len + 2 < sizeof(tried));
  if (tried[0] != '\0')
    memcpy(tried + strlen(tried), ";", 2);
  memcpy(tried + strlen(tried), path, len + 1);
  for (const char* const* file = files; *file != NULL; file++)
    if (strcmp(*file, path) == 0)
      return 1;
  return 0;
}

static const uint16_t* widen(uint16_t* to, const char* text) {
  size_t i = 0;
  do
    to[i] = (unsigned char) text[i];
  while (text[i++] != '\0');
  return to;
}

struct ask {
  const char* file;
  const char* path;
  int exact_name;
  int no_cwd;
};

/* The file found from C:\cwd, or "". */
static const char* find(struct ask ask) {
  static char found[128];
  uint16_t file[128];
  uint16_t cwd[16];
  uint16_t path[256];
  uint16_t* out = NULL;
  struct uv__program_query query = {
    .file = widen(file, ask.file),
    .cwd = widen(cwd, "C:\\cwd"),
    .path = ask.path == NULL ? NULL : widen(path, ask.path),
    .exact_name = ask.exact_name,
    .search_cwd = !ask.no_cwd,
    .is_file = is_there,
  };

  tried[0] = '\0';
  int err = uv__program_find(&query, &out);
  if (err == UV_ENOENT)
    return "";
  CHECK_EQ(0, err);
  for (size_t i = 0; i <= text_length(out); i++)
    found[i] = (char) out[i];
  uv__free(out);
  return found;
}

static const char* look(const char* file, const char* path) {
  return find((struct ask) { .file = file, .path = path });
}

UNIT_TEST(process_path_bare_names) {
  static const char* const disk[] = { "C:\\bin\\a.exe", "D:\\tools\\b.com",
                                      "D:\\tools\\b.exe", NULL };
  files = disk;
  CHECK_STR("C:\\bin\\a.exe", look("a", "C:\\bin;D:\\tools"));
  CHECK_STR("C:\\cwd\\a.com;C:\\cwd\\a.exe;C:\\bin\\a.com;C:\\bin\\a.exe",
            tried);
  CHECK_STR("C:\\bin\\a.exe", look("a.exe", "C:\\bin\\"));
  CHECK_STR("D:\\tools\\b.com", look("b", "C:\\bin;;D:\\tools;"));
  CHECK_STR("", look("c", "C:\\bin"));
  CHECK_STR("", look("c", NULL));
  CHECK_STR("", look("", "C:\\bin"));
  CHECK_STR("", look(".", "C:\\bin"));
}

/* With an extension: first as it is, then with others appended. */
UNIT_TEST(process_path_extensions) {
  static const char* const disk[] = { "C:\\bin\\a.b.exe", "C:\\bin\\x.",
                                      "C:\\bin\\y..exe", NULL };
  files = disk;
  CHECK_STR(
      "C:\\bin\\a.b.exe",
      find((struct ask) { .file = "a.b", .path = "C:\\bin", .no_cwd = 1 }));
  CHECK_STR("C:\\bin\\a.b;C:\\bin\\a.b.com;C:\\bin\\a.b.exe", tried);
  CHECK_STR("", look("x.", "C:\\bin")); /* no extension: never tried without one
                                         */
  CHECK_STR("", look("a", "C:\\bin"));
}

UNIT_TEST(process_path_current_directory) {
  static const char* const disk[] = { "C:\\cwd\\a.exe", "C:\\bin\\a.exe",
                                      NULL };
  files = disk;
  CHECK_STR("C:\\cwd\\a.exe", look("a", "C:\\bin"));
  CHECK_STR("C:\\bin\\a.exe",
            find((struct ask) { .file = "a", .path = "C:\\bin", .no_cwd = 1 }));
}

/* A name with a directory does not use %PATH%. */
UNIT_TEST(process_path_names_with_a_directory) {
  static const char* const disk[] = { "C:\\cwd\\sub\\a.exe",
                                      "D:\\abs\\b.exe",
                                      "C:\\root\\c.exe",
                                      "\\\\server\\share\\d.exe",
                                      "C:\\cwd\\here.exe",
                                      "C:\\bin\\sub\\e.exe",
                                      NULL };
  files = disk;
  CHECK_STR("C:\\cwd\\sub\\a.exe", look("sub\\a", "C:\\bin"));
  CHECK_STR("D:\\abs\\b.exe", look("D:\\abs\\b", NULL));
  CHECK_STR("C:\\root\\c.exe", look("\\root\\c", NULL));
  CHECK_STR("\\\\server\\share\\d.exe", look("\\\\server\\share\\d", NULL));
  CHECK_STR("C:\\cwd\\here.exe", look("c:here", NULL));
  CHECK_STR("", look("sub\\e", "C:\\bin"));
  CHECK_STR("", look("sub\\", NULL));
}

UNIT_TEST(process_path_exact_name) {
  static const char* const disk[] = { "C:\\abs\\program", "C:\\bin\\program",
                                      NULL };
  files = disk;
  CHECK_STR("", look("C:\\abs\\program", NULL));
  CHECK_STR("C:\\abs\\program",
            find((struct ask) { .file = "C:\\abs\\program", .exact_name = 1 }));
  CHECK_STR("", find((struct ask) {
                    .file = "program", .path = "C:\\bin", .exact_name = 1 }));
}

UNIT_TEST(process_path_entries) {
  static const char* const disk[] = { "C:\\with;semicolon\\a.exe",
                                      "C:\\cwd\\rel\\b.exe",
                                      "\"C:\\open\\c.exe", "C:\\open\\c.exe",
                                      NULL };
  files = disk;
  CHECK_STR("C:\\with;semicolon\\a.exe",
            look("a", "C:\\x;\"C:\\with;semicolon\";C:\\y"));
  CHECK_STR("C:\\with;semicolon\\a.exe", look("a", "'C:\\with;semicolon'"));
  CHECK_STR("C:\\cwd\\rel\\b.exe", look("b", "rel"));
  CHECK_STR("C:\\open\\c.exe", look("c", "\"C:\\open;D:\\x"));
  CHECK_STR("", look("a", ";;;\"\";''"));
}
