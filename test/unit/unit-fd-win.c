/* SPDX-License-Identifier: MIT */
/* Reports of Microsoft's debug C runtime, which mingw does not have: those
 * about an fd that the library checks are dropped, and no others. Method: fd.c
 * is compiled again, with names of its own and a runtime that would complain.
 */
#include "unit.h"

#include "uv.h"

#include <crtdbg.h>
#include <io.h>

#define BAD_FD 1234

typedef int(__cdecl* narrow_hook)(int type, char* text, int* result);
typedef int(__cdecl* wide_hook)(int type, wchar_t* text, int* result);

static narrow_hook narrow;
static wide_hook wide;
static int calls;

/* Would the runtime go on without a dialog if it complained on this thread? */
static int is_quiet(void) {
  int result = 1;

  CHECK(narrow != NULL && wide != NULL);
  int dropped = narrow(_CRT_ASSERT, NULL, &result) != 0;
  CHECK_EQ(dropped, wide(_CRT_ASSERT, NULL, &result) != 0);
  CHECK_EQ(!dropped, result);
  return dropped;
}

static void complain_elsewhere(void* arg) {
  (void) arg;
  CHECK(!is_quiet());
}

/* What the runtime does with a bad fd. */
static intptr_t complain(void) {
  uv_thread_t other;

  CHECK(is_quiet());
  CHECK_EQ(0, uv_thread_create(&other, complain_elsewhere, NULL));
  CHECK_EQ(0, uv_thread_join(&other));
  calls++;
  return -1;
}

static int set_narrow(narrow_hook hook) {
  narrow = hook;
  return 0;
}

static int set_wide(wide_hook hook) {
  wide = hook;
  return 0;
}

#undef _CrtSetReportHook2
#undef _CrtSetReportHookW2
#define _CrtSetReportHook2(mode, hook)                                         \
 set_narrow((mode) == _CRT_RPTHOOK_INSTALL ? (hook) : NULL)
#define _CrtSetReportHookW2(mode, hook)                                        \
 set_wide((mode) == _CRT_RPTHOOK_INSTALL ? (hook) : NULL)
#define _get_osfhandle(fd) ((void) (fd), complain())
#define _open_osfhandle(handle, flags)                                         \
 ((void) (handle), (void) (flags), (int) complain())
#define _close(fd) ((void) (fd), (int) complain())
#define uv__fd_init_process tried_fd_init_process
#define uv__fd_cleanup tried_fd_cleanup
#define uv__fd_handle tried_fd_handle
#define uv__fd_open tried_fd_open
#define uv__fd_close tried_fd_close
#define uv__fd_take tried_fd_take
#define uv__fd_take_undo tried_fd_take_undo
#define uv__fd_give_back tried_fd_give_back
#define uv_guess_handle tried_guess_handle
#include "win/fd.c"

UNIT_TEST(fd_reports_are_dropped_where_an_fd_is_checked) {
  uv__fd_init_process();
  CHECK(!is_quiet());
  CHECK(uv__fd_handle(BAD_FD) == INVALID_HANDLE_VALUE);
  CHECK(!is_quiet());
  CHECK_EQ(-1, uv__fd_open(INVALID_HANDLE_VALUE, 0));
  CHECK(!is_quiet());
  CHECK_EQ(-1, uv__fd_close(BAD_FD));
  CHECK(!is_quiet());
  CHECK_EQ(3, calls);
  /* Hooks must not outlive a library that is unloaded. */
  uv__fd_cleanup();
  CHECK(narrow == NULL && wide == NULL);
}
