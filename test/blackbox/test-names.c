/* SPDX-License-Identifier: MIT */
/* Functions about the library, errors and requests that libuv's own tests do
 * not cover. Method: call each, compare with the header. */
#include "test.h"
#include "uv/ext.h"

#include <stdio.h>

TEST_IMPL(version_number_and_text_agree) {
  char text[32];

  ASSERT_EQ(UV_VERSION_HEX, uv_version());
  snprintf(text, sizeof(text), "%d.%d.%d", UV_VERSION_MAJOR, UV_VERSION_MINOR,
           UV_VERSION_PATCH);
  ASSERT_EQ(0, strncmp(text, uv_version_string(), strlen(text)));
  ASSERT_EQ((int) (uv_version() >> 16), UV_VERSION_MAJOR);
  return 0;
}

TEST_IMPL(version_of_our_own) {
  char text[32];

  ASSERT_EQ(UVX_VERSION_HEX, uvx_version());
  snprintf(text, sizeof(text), "%d.%d.%d%s", UVX_VERSION_MAJOR,
           UVX_VERSION_MINOR, UVX_VERSION_PATCH,
           UVX_VERSION_IS_RELEASE ? "" : "-dev");
  ASSERT_STR_EQ(text, uvx_version_string());
  return 0;
}

/* Issue 30: nothing referred to the text that says whose library a file is, and
 * Microsoft's compiler left it out. */
TEST_IMPL(version_text_is_in_the_identity) {
  static const char identity[] = ", an implementation of libuv ";
  const size_t len = sizeof(identity) - 1;

  ASSERT_MEM_EQ(identity, uv_version_string() - len, len);
  return 0;
}

TEST_IMPL(error_name_r_and_strerror_r) {
  char name[64];
  char text[128];

  /* The buffer given is the buffer returned. */
  ASSERT_PTR_EQ(name, uv_err_name_r(UV_ENOENT, name, sizeof(name)));
  ASSERT_STR_EQ("ENOENT", name);
  ASSERT_PTR_EQ(text, uv_strerror_r(UV_EADDRINUSE, text, sizeof(text)));
  ASSERT_STR_EQ("address already in use", text);
#define XX(code, message)                                                      \
 ASSERT_STR_EQ(#code, uv_err_name_r(UV_##code, name, sizeof(name)));           \
 ASSERT_STR_EQ(#code, uv_err_name(UV_##code));                                 \
 ASSERT_STR_EQ(message, uv_strerror_r(UV_##code, text, sizeof(text)));         \
 ASSERT_STR_EQ(message, uv_strerror(UV_##code));
  UV_ERRNO_MAP(XX)
#undef XX
  return 0;
}

TEST_IMPL(error_name_r_truncates) {
  char name[4] = "###";

  uv_err_name_r(UV_ENOENT, name, sizeof(name));
  ASSERT_STR_EQ("ENO", name);
  uv_strerror_r(UV_ENOENT, name, sizeof(name));
  ASSERT_STR_EQ("no ", name);
  uv_err_name_r(-54321, name, sizeof(name));
  ASSERT_EQ('\0', name[3]);
  return 0;
}

TEST_IMPL(error_unknown_code_is_named) {
  char name[64];

  uv_err_name_r(-54321, name, sizeof(name));
  ASSERT_NOT_NULL(strstr(name, "-54321"));
  uv_strerror_r(-54321, name, sizeof(name));
  ASSERT_NOT_NULL(strstr(name, "-54321"));
  return 0;
}

static void work_cb(uv_work_t* req) {
  (void) req;
}

static void after_work_cb(uv_work_t* req, int status) {
  ASSERT_OK(status);
  *(int*) uv_req_get_data((uv_req_t*) req) += 1;
}

TEST_IMPL(req_data_and_type) {
  uv_loop_t loop;
  uv_work_t work;
  uv_fs_t fs;
  int calls = 0;

  ASSERT_OK(uv_loop_init(&loop));
  uv_req_set_data((uv_req_t*) &work, &calls);
  ASSERT_PTR_EQ(&calls, uv_req_get_data((uv_req_t*) &work));
  ASSERT_OK(uv_queue_work(&loop, &work, work_cb, after_work_cb));
  ASSERT_EQ(UV_WORK, uv_req_get_type((uv_req_t*) &work));
  ASSERT_STR_EQ("work", uv_req_type_name(uv_req_get_type((uv_req_t*) &work)));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, calls); /* the data survived the request */

  fs.data = &calls;
  ASSERT_OK(uv_fs_stat(NULL, &fs, ".", NULL));
  ASSERT_EQ(UV_FS, uv_req_get_type((uv_req_t*) &fs));
  ASSERT_PTR_EQ(&calls, uv_req_get_data((uv_req_t*) &fs));
  uv_fs_req_cleanup(&fs);
  test_close_loop(&loop);
  return 0;
}

static void nothing_cb(uv_timer_t* timer) {
  (void) timer;
}

/* The deprecated pair: allocated on the heap and freed completely. */
TEST_IMPL(loop_new_and_delete) {
  uv_timer_t timer;

  uv_loop_delete(uv_loop_new()); /* allocated once per process */
  int before = test_open_handles();

  for (int i = 0; i < 3; i++) {
    uv_loop_t* loop = uv_loop_new();
    ASSERT_NOT_NULL(loop);
    ASSERT_OK(uv_timer_init(loop, &timer));
    ASSERT_OK(uv_timer_start(&timer, nothing_cb, 1, 0));
    ASSERT_EQ(0, uv_run(loop, UV_RUN_DEFAULT));
    uv_close((uv_handle_t*) &timer, NULL);
    ASSERT_EQ(0, uv_run(loop, UV_RUN_DEFAULT));
    uv_loop_delete(loop);
  }
  ASSERT_EQ(before, test_open_handles());

  /* The default loop is not on the heap; it can be initialised again. */
  uv_loop_delete(uv_default_loop());
  ASSERT_NOT_NULL(uv_default_loop());
  ASSERT_EQ(0, uv_run(uv_default_loop(), UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(uv_default_loop()));
  return 0;
}

static size_t print(uv_loop_t* loop,
                    void (*printer)(uv_loop_t*, FILE*),
                    char* text,
                    size_t size) {
  FILE* file = fopen("printed", "w+");
  ASSERT_NOT_NULL(file);
  printer(loop, file);
  rewind(file);
  size_t n = fread(text, 1, size - 1, file);
  text[n] = '\0';
  fclose(file);
  return n;
}

/* One line per handle: flags, type, address. */
TEST_IMPL(print_handles_lists_them) {
  uv_loop_t loop;
  uv_timer_t timer;
  uv_async_t async;
  uv_idle_t idle;
  char text[1024];
  char want[64];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_async_init(&loop, &async, NULL));
  ASSERT_OK(uv_idle_init(&loop, &idle));
  uv_unref((uv_handle_t*) &async);

  print(&loop, uv_print_all_handles, text, sizeof(text));
  snprintf(want, sizeof(want), "[R--] timer    %p\n", (void*) &timer);
  ASSERT_NOT_NULL(strstr(text, want));
  snprintf(want, sizeof(want), "[-A-] async    %p\n", (void*) &async);
  ASSERT_NOT_NULL(strstr(text, want));
  ASSERT_NOT_NULL(strstr(text, "idle"));

  print(&loop, uv_print_active_handles, text, sizeof(text));
  ASSERT_NOT_NULL(strstr(text, want));
  ASSERT_NULL(strstr(text, "timer"));
  ASSERT_NULL(strstr(text, "idle"));
  test_close_loop(&loop);
  return 0;
}

/* NULL means the default loop, and stderr. */
TEST_IMPL(print_handles_defaults) {
  uv_timer_t timer;
  char text[256];

  ASSERT_OK(uv_timer_init(uv_default_loop(), &timer));
  print(NULL, uv_print_all_handles, text, sizeof(text));
  ASSERT_NOT_NULL(strstr(text, "timer"));
  uv_print_all_handles(NULL, NULL);
  test_close_loop(uv_default_loop());
  return 0;
}

TEST_IMPL(wtf8_round_trip_through_the_interface) {
  static const uint16_t utf16[] = { 'a', 0x4E2D, 0xD83D, 0xDCA9, 0xD800, 0 };
  uint16_t back[8];
  char* text = NULL;
  size_t len = 0;

  ASSERT_EQ(11, uv_utf16_length_as_wtf8(utf16, -1));
  ASSERT_OK(uv_utf16_to_wtf8(utf16, -1, &text, &len));
  ASSERT_EQ(11, len);
  ASSERT_EQ(6, uv_wtf8_length_as_utf16(text));
  uv_wtf8_to_utf16(text, back, 6);
  ASSERT_MEM_EQ(utf16, back, sizeof(utf16));
  free(text);
  return 0;
}
