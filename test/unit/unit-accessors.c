/* SPDX-License-Identifier: MIT */
/* accessors.c, version.c, thread.c: small functions, all of them. */
#include "unit.h"

#include "os/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

UNIT_TEST(accessors_handle_types) {
#define XX(uc, lc)                                                             \
 CHECK_EQ(sizeof(uv_##lc##_t), uv_handle_size(UV_##uc));                       \
 CHECK_STR(#lc, uv_handle_type_name(UV_##uc));
  UV_HANDLE_TYPE_MAP(XX)
#undef XX

  CHECK_STR("file", uv_handle_type_name(UV_FILE));
  CHECK(uv_handle_size(UV_FILE) == (size_t) -1);

  static const int none[] = { UV_UNKNOWN_HANDLE, UV_HANDLE_TYPE_MAX,
                              UV_HANDLE_TYPE_MAX + 1, -1, 1 << 30 };
  for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
    CHECK_STR(NULL, uv_handle_type_name((uv_handle_type) none[i]));
    CHECK(uv_handle_size((uv_handle_type) none[i]) == (size_t) -1);
  }
}

UNIT_TEST(accessors_req_types) {
#define XX(uc, lc)                                                             \
 CHECK_EQ(sizeof(uv_##lc##_t), uv_req_size(UV_##uc));                          \
 CHECK_STR(#lc, uv_req_type_name(UV_##uc));
  UV_REQ_TYPE_MAP(XX)
#undef XX

  static const int none[] = { UV_UNKNOWN_REQ, UV_REQ_TYPE_MAX,
                              UV_REQ_TYPE_MAX + 1, -1, 1 << 30 };
  for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
    CHECK_STR(NULL, uv_req_type_name((uv_req_type) none[i]));
    CHECK(uv_req_size((uv_req_type) none[i]) == (size_t) -1);
  }
}

UNIT_TEST(accessors_handles) {
  uv_loop_t loop;
  uv_pipe_t pipe;
  uv_udp_t udp;
  uv_process_t process;
  int cookie;

  memset(&loop, 0, sizeof(loop));
  memset(&pipe, 0, sizeof(pipe));
  memset(&udp, 0, sizeof(udp));
  memset(&process, 0, sizeof(process));

  CHECK_EQ(sizeof(loop), uv_loop_size());
  uv_loop_set_data(&loop, &cookie);
  CHECK(loop.data == &cookie);
  CHECK(uv_loop_get_data(&loop) == &cookie);

  uv_handle_t* handle = (uv_handle_t*) &pipe;
  pipe.type = UV_NAMED_PIPE;
  pipe.loop = &loop;
  pipe.write_queue_size = 17;
  uv_handle_set_data(handle, &cookie);
  CHECK(pipe.data == &cookie);
  CHECK(uv_handle_get_data(handle) == &cookie);
  CHECK_EQ(UV_NAMED_PIPE, uv_handle_get_type(handle));
  CHECK(uv_handle_get_loop(handle) == &loop);
  CHECK_EQ(17, uv_stream_get_write_queue_size((uv_stream_t*) &pipe));

  udp.send_queue_size = 3;
  udp.send_queue_count = 4;
  CHECK_EQ(3, uv_udp_get_send_queue_size(&udp));
  CHECK_EQ(4, uv_udp_get_send_queue_count(&udp));

  process.pid = 12345;
  CHECK_EQ(12345, uv_process_get_pid(&process));
}

UNIT_TEST(accessors_requests) {
  uv_fs_t fs;
  uv_write_t write;
  int cookie;

  memset(&fs, 0, sizeof(fs));
  memset(&write, 0, sizeof(write));

  uv_req_t* req = (uv_req_t*) &fs;
  fs.type = UV_FS;
  uv_req_set_data(req, &cookie);
  CHECK(fs.data == &cookie);
  CHECK(uv_req_get_data(req) == &cookie);
  CHECK_EQ(UV_FS, uv_req_get_type(req));

  fs.fs_type = UV_FS_STAT;
  fs.result = UV_ENOENT;
  fs.ptr = &cookie;
  fs.path = "path";
  CHECK_EQ(UV_FS_STAT, uv_fs_get_type(&fs));
  CHECK_EQ(UV_ENOENT, uv_fs_get_result(&fs));
#if TEST_POSIX
  CHECK_EQ(ENOENT, uv_fs_get_system_error(&fs));
#else
  fs.sys_errno_ = ERROR_FILE_NOT_FOUND;
  CHECK_EQ(ERROR_FILE_NOT_FOUND, uv_fs_get_system_error(&fs));
  fs.sys_errno_ = 0;
#endif
  CHECK(uv_fs_get_ptr(&fs) == &cookie);
  CHECK(uv_fs_get_statbuf(&fs) == &fs.statbuf);
  CHECK_STR("path", uv_fs_get_path(&fs));
  fs.result = 0;
  CHECK_EQ(0, uv_fs_get_system_error(&fs));

  write.write_extra.nwritten = 99;
  CHECK_EQ(99, uv_write_nwritten(&write));
}

UNIT_TEST(accessors_buf) {
  char byte;
  uv_buf_t buf = uv_buf_init(&byte, 1);
  CHECK(buf.base == &byte);
  CHECK_EQ(1, buf.len);
  buf = uv_buf_init(NULL, 0xFFFFFFFFu);
  CHECK(buf.base == NULL);
  CHECK_EQ(0xFFFFFFFFu, buf.len);
}

UNIT_TEST(version_agrees_with_header) {
  char want[64];
  snprintf(want, sizeof(want), "%d.%d.%d", UV_VERSION_MAJOR, UV_VERSION_MINOR,
           UV_VERSION_PATCH);
  CHECK_EQ(UV_VERSION_HEX, uv_version());
  CHECK_EQ(UV_VERSION_MAJOR << 16 | UV_VERSION_MINOR << 8 | UV_VERSION_PATCH,
           uv_version());
  CHECK_EQ(0, strncmp(want, uv_version_string(), strlen(want)));
  if (UV_VERSION_IS_RELEASE)
    CHECK_STR(want, uv_version_string());
  else
    CHECK(uv_version_string()[strlen(want)] == '-');
}

UNIT_TEST(thread_stack_size_option) {
  uv_thread_options_t options = { UV_THREAD_NO_FLAGS, 4096 };
  CHECK_EQ(0, uv__thread_stack_size(&options));
  options.flags = UV_THREAD_HAS_STACK_SIZE;
  CHECK_EQ(4096, uv__thread_stack_size(&options));
  options.stack_size = 0;
  CHECK_EQ(0, uv__thread_stack_size(&options));
}

/* Without the flag that announces the field, it may not even exist. */
UNIT_TEST(thread_short_options) {
  unsigned int* flags = malloc(sizeof(*flags));
  CHECK(flags != NULL);
  *flags = UV_THREAD_NO_FLAGS;
  CHECK_EQ(0, uv__thread_stack_size((const uv_thread_options_t*) flags));
  free(flags);
}
