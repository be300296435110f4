/* SPDX-License-Identifier: MIT */
/* unix/title/setproctitle.c, for systems whose C library has setproctitle():
 * compiled here under other names, on one that only notes the title. */
#include "unit.h"

#include "os/system.h"
#include "unix/proc-info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char shown[32];

static void note_title(const char* format, const char* name) {
  CHECK_STR("%s", format);
  snprintf(shown, sizeof(shown), "%s", name);
}

#define setproctitle note_title
#define uv_setup_args unit_setup_args
#define uv__os_set_process_title unit_set_title
#define uv__os_get_process_title unit_get_title
#define uv__proctitle_cleanup unit_title_cleanup
#include "unix/title/setproctitle.c"

/* As libuv on FreeBSD: uv_setup_args() is not needed. */
UNIT_TEST(title_is_set_without_the_arguments) {
  char buffer[32];

  CHECK_EQ(UV_ENOBUFS, unit_get_title(buffer, sizeof(buffer)));
  CHECK_EQ(0, unit_set_title("first"));
  CHECK_STR("first", shown);
  CHECK_EQ(0, unit_get_title(buffer, sizeof(buffer)));
  CHECK_STR("first", buffer);
  CHECK_EQ(UV_ENOBUFS, unit_get_title(buffer, 5));
  unit_title_cleanup();
}

UNIT_TEST(title_is_the_program_at_first) {
  char name[] = "program";
  char* argv[] = { name, NULL };
  char buffer[32];

  CHECK(unit_setup_args(1, argv) == argv);
  CHECK_EQ(0, unit_get_title(buffer, sizeof(buffer)));
  CHECK_STR("program", buffer);
  CHECK_EQ(0, unit_set_title("second"));
  CHECK(unit_setup_args(1, argv) == argv);
  CHECK_EQ(0, unit_get_title(buffer, sizeof(buffer)));
  CHECK_STR("second", buffer);
  unit_title_cleanup();
}
