/* SPDX-License-Identifier: MIT */
/* Files and descriptors on Windows. */
#include "test.h"

#include <crtdbg.h>
#include <stdio.h>

#define NOT_OPEN 1234

/* Junctions are absolute. */
TEST_IMPL(fs_junction_to_a_relative_path) {
  static const char* const targets[] = { "dir", "..", "C:dir", "\\dir", "" };
  uv_fs_t req;

  for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
    ASSERT_ERR(UV_EINVAL, uv_fs_symlink(NULL, &req, targets[i], "link",
                                        UV_FS_SYMLINK_JUNCTION, NULL));
  return 0;
}

/* A handle for overlapped I/O: most transfers are pending when the system
 * returns. */
TEST_IMPL(fs_transfer_of_an_overlapped_file) {
  char bytes[4] = { 0 };
  uv_buf_t buf = uv_buf_init(bytes, 3);
  uv_fs_t req;

  test_write_file("file", "0123456789");
  HANDLE file = CreateFileA("file", GENERIC_READ | GENERIC_WRITE, 0, NULL,
                            OPEN_EXISTING, FILE_FLAG_OVERLAPPED, NULL);
  ASSERT(file != INVALID_HANDLE_VALUE);
  int fd = uv_open_osfhandle(file);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(3, uv_fs_read(NULL, &req, fd, &buf, 1, 4, NULL));
  ASSERT_STR_EQ("456", bytes);
  ASSERT_EQ(3, uv_fs_write(NULL, &req, fd, &buf, 1, 0, NULL));
  ASSERT_EQ(3, uv_fs_read(NULL, &req, fd, &buf, 1, 1, NULL));
  ASSERT_STR_EQ("563", bytes);
  ASSERT_EQ(0, uv_fs_read(NULL, &req, fd, &buf, 1, 10, NULL));
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  return 0;
}

static uv_file ends[2];
static uv_sem_t reader_runs;

static void read_a_byte(void* arg) {
  char byte;
  uv_buf_t buf = uv_buf_init(&byte, 1);
  uv_fs_t req;

  (void) arg;
  uv_sem_post(&reader_runs);
  ASSERT_EQ(1, uv_fs_read(NULL, &req, ends[0], &buf, 1, -1, NULL));
}

/* Windows completes most calls on a synchronous pipe only after a pending read,
 * which would never end here. */
TEST_IMPL(fs_guess_of_a_pipe_that_is_being_read) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_thread_t thread;
  uv_fs_t req;

  ASSERT_OK(uv_pipe(ends, 0, 0));
  ASSERT_OK(uv_sem_init(&reader_runs, 0));
  ASSERT_OK(uv_thread_create(&thread, read_a_byte, NULL));
  uv_sem_wait(&reader_runs);
  uv_sleep(50); /* it reads by then; if not, nothing is shown */
  ASSERT_EQ(UV_NAMED_PIPE, uv_guess_handle(ends[0]));
  ASSERT_EQ(1, uv_fs_write(NULL, &req, ends[1], &buf, 1, -1, NULL));
  ASSERT_OK(uv_thread_join(&thread));
  for (int i = 0; i < 2; i++)
    ASSERT_OK(uv_fs_close(NULL, &req, ends[i], NULL));
  uv_sem_destroy(&reader_runs);
  return 0;
}

/* Sockets and pipes are reported as one kind, as in libuv. */
TEST_IMPL(fs_guess_of_sockets_and_pipes) {
  uv_loop_t loop;
  uv_fs_t req;

  ASSERT_OK(uv_loop_init(&loop)); /* starts Winsock */
  uv_os_sock_t sock = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT(sock != INVALID_SOCKET);
  int fd = uv_open_osfhandle((uv_os_fd_t) sock);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(UV_NAMED_PIPE, uv_guess_handle(fd));
  ASSERT_OK(uv_pipe(ends, 0, 0));
  for (int i = 0; i < 2; i++) {
    ASSERT_EQ(UV_NAMED_PIPE, uv_guess_handle(ends[i]));
    ASSERT_OK(uv_fs_close(NULL, &req, ends[i], NULL));
  }
  test_close_loop(&loop);
  return 0;
}

/* A count that the result cannot represent; nothing is read. */
TEST_IMPL(fs_read_of_more_than_two_gigabytes_is_refused) {
  static char bytes[16];
  uv_buf_t one = { .base = bytes, .len = 0x80000000u };
  uv_buf_t two[] = { { .base = bytes, .len = 1 },
                     { .base = bytes, .len = 0x7fffffff } };
  uv_fs_t req;

  test_write_file("file", "text");
  uv_file fd = uv_fs_open(NULL, &req, "file", UV_FS_O_RDONLY, 0, NULL);
  ASSERT_GE(fd, 0);
  ASSERT_ERR(UV_EINVAL, uv_fs_read(NULL, &req, fd, &one, 1, 0, NULL));
  ASSERT_ERR(UV_EINVAL, uv_fs_read(NULL, &req, fd, two, 2, 0, NULL));
  ASSERT_EQ(0, bytes[0]);
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  return 0;
}

static int renames;
static int losses;

static void on_dir_event(uv_fs_event_t* handle,
                         const char* name,
                         int events,
                         int status) {
  (void) handle;
  if (status == 0) {
    ASSERT_EQ(0, losses); /* the last event that is reported */
    ASSERT_STR_EQ("dir", name);
    ASSERT_EQ(UV_RENAME, events);
    renames++;
    return;
  }
  ASSERT_ERR(UV_ENOENT, status);
  ASSERT_EQ(1, renames);
  losses++;
}

static void stop_loop(uv_timer_t* timer) {
  uv_stop(timer->loop);
}

/* Deleting a watched directory is reported once, followed by the end. */
TEST_IMPL(fs_event_deleted_directory) {
  uv_loop_t loop;
  uv_fs_event_t watch;
  uv_timer_t timer;
  uv_fs_t req;

  if (test_on_wine())
    SKIP("Wine does not report the deletion of a watched directory");
  test_mkdir("dir");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_event_init(&loop, &watch));
  ASSERT_OK(uv_fs_event_start(&watch, on_dir_event, "dir", 0));
  ASSERT_OK(uv_fs_rmdir(NULL, &req, "dir", NULL));
  while (losses == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, stop_loop, 100, 0));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(1, renames);
  ASSERT_EQ(1, losses);
  test_close_loop(&loop);
  return 0;
}

#if defined(_DEBUG)
/* Receives the debug runtime's reports instead of a dialog. */
static HANDLE report_file(void) {
  HANDLE file =
      CreateFileA("reports", GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);

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
  ASSERT_ERR(UV_ENOTSOCK, uv_poll_init(&loop, &poll, NOT_OPEN));
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
