/* SPDX-License-Identifier: MIT */
/* Reports of Microsoft's debug C runtime, which mingw does not have: they are
 * off while the runtime checks an fd, and as before afterwards. Method: fd.c is
 * compiled again, with names of its own and a runtime that would complain. */
#include "unit.h"

#include <crtdbg.h>
#include <io.h>

#define BAD_FD 1234

static int report_mode = 1; /* the runtime opens a dialog */
static int calls;

static int set_report_mode(int mode) {
  int before = report_mode;

  report_mode = mode;
  return before;
}

/* What the runtime does with a bad fd. */
static intptr_t complain(void) {
  CHECK_EQ(0, report_mode);
  calls++;
  return -1;
}

#undef _CrtSetReportMode
#define _CrtSetReportMode(type, mode) set_report_mode(mode)
#define _get_osfhandle(fd) ((void) (fd), complain())
#define _open_osfhandle(handle, flags)                                         \
 ((void) (handle), (void) (flags), (int) complain())
#define _close(fd) ((void) (fd), (int) complain())
#define uv__fd_handle tried_fd_handle
#define uv__fd_open tried_fd_open
#define uv__fd_close tried_fd_close
#define uv__fd_take tried_fd_take
#define uv__fd_take_undo tried_fd_take_undo
#define uv__fd_give_back tried_fd_give_back
#define uv_guess_handle tried_guess_handle
#include "win/fd.c"

UNIT_TEST(fd_reports_are_off_while_an_fd_is_checked) {
  CHECK(uv__fd_handle(BAD_FD) == INVALID_HANDLE_VALUE);
  CHECK_EQ(1, report_mode);
  CHECK_EQ(-1, uv__fd_open(INVALID_HANDLE_VALUE, 0));
  CHECK_EQ(1, report_mode);
  CHECK_EQ(-1, uv__fd_close(BAD_FD));
  CHECK_EQ(1, report_mode);
  CHECK_EQ(3, calls);
}
