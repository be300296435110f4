/* SPDX-License-Identifier: MIT */
/* Files on Windows: what the C runtime makes of fds that are not open. */
#include "test.h"

#include <crtdbg.h>
#include <stdio.h>

#define NOT_OPEN 1234

#if defined(_DEBUG)
/* Where the debug runtime's reports go instead of to a dialog. */
static HANDLE report_file(void) {
  HANDLE file = CreateFileA("reports", GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0,
                            NULL);

  ASSERT(file != INVALID_HANDLE_VALUE);
  _CrtSetReportMode(_CRT_ASSERT, _CRTDBG_MODE_FILE);
  _CrtSetReportFile(_CRT_ASSERT, file);
  return file;
}

TEST_IMPL(fs_bad_fd_is_not_reported) {
  uv_fs_t req;
  uv_loop_t loop;
  uv_pipe_t pipe;
  uv_poll_t poll;
  HANDLE reports = report_file();

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_ERR(UV_EBADF, uv_fs_close(NULL, &req, NOT_OPEN, NULL));
  ASSERT_ERR(UV_EBADF, uv_fs_fsync(NULL, &req, NOT_OPEN, NULL));
  ASSERT_OK(uv_pipe_init(&loop, &pipe, 0));
  ASSERT_ERR(UV_EBADF, uv_pipe_open(&pipe, NOT_OPEN));
  ASSERT_ERR(UV_EBADF, uv_poll_init(&loop, &poll, NOT_OPEN));
  ASSERT_EQ(0, GetFileSize(reports, NULL));
  ASSERT_EQ(_CRTDBG_MODE_FILE,
            _CrtSetReportMode(_CRT_ASSERT, _CRTDBG_REPORT_MODE));
  test_close_loop(&loop);
  return 0;
}
#else
TEST_IMPL(fs_bad_fd_is_not_reported) {
  SKIP("only Microsoft's debug C runtime makes reports");
  return 0;
}
#endif
