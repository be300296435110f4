/* SPDX-License-Identifier: MIT */
/* Files and the pool: behaviour 55-60 of docs/internals/behaviour.md, and the
 * rows of the security history that are about paths and names. */
#include "test.h"
#include "uv/ext.h"

#include <limits.h>
#include <stdio.h>
#if TEST_POSIX
# include <unistd.h> /* access() */
#endif

static uv_loop_t loop;
static int callbacks;
static ssize_t last_result;

static void on_fs(uv_fs_t* req) {
  callbacks++;
  last_result = req->result;
}

TEST_IMPL(fs_sync_needs_no_loop) {
  uv_fs_t req;
  char text[8];
  uv_buf_t buf = uv_buf_init(text, sizeof(text));

  test_write_file("file", "hello");
  uv_file fd = uv_fs_open(NULL, &req, "file", UV_FS_O_RDONLY, 0, NULL);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(fd, req.result);
  uv_fs_req_cleanup(&req);
  ASSERT_EQ(5, uv_fs_read(NULL, &req, fd, &buf, 1, 0, NULL));
  ASSERT_MEM_EQ("hello", text, 5);
  uv_fs_req_cleanup(&req);
  /* -1 means the current position; reading at 0 did not move it. */
  ASSERT_EQ(5, uv_fs_read(NULL, &req, fd, &buf, 1, -1, NULL));
  ASSERT_EQ(0, uv_fs_read(NULL, &req, fd, &buf, 1, -1, NULL));
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  uv_fs_req_cleanup(&req);
  uv_fs_req_cleanup(&req); /* twice is allowed */
  ASSERT_NULL(req.ptr);
  ASSERT_NULL(req.path);
  ASSERT_ERR(UV_EINVAL, uv_fs_stat(NULL, NULL, "file", NULL));
  return 0;
}

/* Issue 15: this was EISDIR on Windows. Only reads say that in libuv. */
TEST_IMPL(fs_write_to_a_directory_is_to_a_bad_fd) {
  uv_fs_t req;
  char text[] = "text";
  uv_buf_t buf = uv_buf_init(text, 4);
  uv_file fd = uv_fs_open(NULL, &req, ".", UV_FS_O_RDONLY, 0, NULL);

  ASSERT_GE(fd, 0);
  ASSERT_ERR(UV_EISDIR, uv_fs_read(NULL, &req, fd, &buf, 1, 0, NULL));
  ASSERT_ERR(UV_EBADF, uv_fs_write(NULL, &req, fd, &buf, 1, 0, NULL));
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  uv_fs_req_cleanup(&req);
  return 0;
}

/* The call returns the error; the request reports nothing. */
TEST_IMPL(fs_refused_request_has_no_result) {
  uv_fs_t req;
  uv_buf_t buf = uv_buf_init((char*) "", 0);

  req.result = 1;
  ASSERT_ERR(UV_EINVAL, uv_fs_read(NULL, &req, 0, &buf, 0, 0, NULL));
  ASSERT_EQ(0, req.result);
  req.result = 1;
  ASSERT_ERR(UV_EINVAL, uv_fs_copyfile(NULL, &req, "a", "b", 8, NULL));
  ASSERT_EQ(0, req.result);
  uv_fs_req_cleanup(&req);
  return 0;
}

TEST_IMPL(fs_async_copies_what_it_needs) {
  uv_fs_t req;
  char* path = strdup("file");
  char text[8] = "";
  uv_buf_t* bufs = malloc(sizeof(*bufs));

  test_write_file("file", "hello");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_open(&loop, &req, path, UV_FS_O_RDONLY, 0, on_fs));
  memset(path, '#', 4);
  free(path);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_GE(last_result, 0);
  uv_file fd = (uv_file) last_result;
  uv_fs_req_cleanup(&req);

  *bufs = uv_buf_init(text, sizeof(text));
  ASSERT_OK(uv_fs_read(&loop, &req, fd, bufs, 1, -1, on_fs));
  memset(bufs, 0xff, sizeof(*bufs));
  free(bufs);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(5, last_result);
  ASSERT_STR_EQ("hello", text);
  uv_fs_req_cleanup(&req);
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  ASSERT_EQ(2, callbacks);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(fs_scandir_lists_and_ends) {
  uv_fs_t req;
  uv_dirent_t entry;
  int files = 0;

  test_mkdir("dir");
  test_write_file("dir/one", "");
  test_write_file("dir/two", "");
  ASSERT_EQ(2, uv_fs_scandir(NULL, &req, "dir", 0, NULL));
  while (uv_fs_scandir_next(&req, &entry) != UV_EOF) {
    ASSERT_NE(0, strcmp(entry.name, "."));
    ASSERT_NE(0, strcmp(entry.name, ".."));
    ASSERT(entry.type == UV_DIRENT_FILE || entry.type == UV_DIRENT_UNKNOWN);
    files++;
  }
  ASSERT_EQ(2, files);
  ASSERT_EQ(UV_EOF, uv_fs_scandir_next(&req, &entry));
  uv_fs_req_cleanup(&req);
  /* Abandoned before the end: no leak (sanitizers check). */
  ASSERT_EQ(2, uv_fs_scandir(NULL, &req, "dir", 0, NULL));
  ASSERT_OK(uv_fs_scandir_next(&req, &entry));
  uv_fs_req_cleanup(&req);
  return 0;
}

TEST_IMPL(fs_opendir_outlives_its_request) {
  uv_fs_t req;
  uv_dirent_t entries[4];

  test_mkdir("dir");
  test_write_file("dir/one", "");
  ASSERT_OK(uv_fs_opendir(NULL, &req, "dir", NULL));
  uv_dir_t* dir = req.ptr;
  uv_fs_req_cleanup(&req);
  dir->dirents = entries;
  dir->nentries = 4;
  ASSERT_EQ(1, uv_fs_readdir(NULL, &req, dir, NULL));
  ASSERT_STR_EQ("one", entries[0].name);
  uv_fs_req_cleanup(&req);
  ASSERT_EQ(0, uv_fs_readdir(NULL, &req, dir, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_OK(uv_fs_closedir(NULL, &req, dir, NULL));
  uv_fs_req_cleanup(&req);
  return 0;
}

/* CVE-2020-8252: results longer than 256 and 1024 bytes, and close to the
 * maximum. */
#if TEST_POSIX
TEST_IMPL(fs_readlink_of_long_names) {
  static const size_t lengths[] = { 200,  256,  257,  300, 1000,
                                    1024, 1025, 3000, 4000 };
  uv_fs_t req;
  char target[4096];

  for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
    if (lengths[i] >= PATH_MAX) /* 1024 on the BSDs */
      break;
    memset(target, 'x', lengths[i]);
    target[lengths[i]] = '\0';
    ASSERT_OK(uv_fs_symlink(NULL, &req, target, "link", 0, NULL));
    uv_fs_req_cleanup(&req);
    ASSERT_OK(uv_fs_readlink(NULL, &req, "link", NULL));
    ASSERT_STR_EQ(target, req.ptr);
    uv_fs_req_cleanup(&req);
    ASSERT_OK(uv_fs_unlink(NULL, &req, "link", NULL));
    uv_fs_req_cleanup(&req);
  }
  return 0;
}
#endif

/* The maximum length of a path. */
#if TEST_POSIX
# define PATH_ROOM PATH_MAX
#else
# define PATH_ROOM 4096
#endif

/* A path of nested directories. */
TEST_IMPL(fs_realpath_of_long_names) {
  uv_fs_t req;
  char path[PATH_ROOM];
  char name[101];

  memset(name, 'd', 100);
  name[100] = '\0';
  ASSERT_OK(uv_fs_realpath(NULL, &req, ".", NULL));
  int len = snprintf(path, sizeof(path), "%s", (char*) req.ptr);
  uv_fs_req_cleanup(&req);
  char separator = strchr(path, '\\') != NULL ? '\\' : '/';
  int too_long = 0;
  for (int depth = 0; depth < 30 && len + 102 < PATH_ROOM; depth++) {
    len += snprintf(path + len, sizeof(path) - (size_t) len, "%c%s", separator,
                    name);
    test_mkdir(path);
    int err = uv_fs_realpath(NULL, &req, path, NULL);
    too_long |= !TEST_POSIX && err == UV_EMSGSIZE;
    if (too_long)
      continue;
    ASSERT_OK(err);
    ASSERT_STR_EQ(path, req.ptr);
    uv_fs_req_cleanup(&req);
  }
  if (too_long)
    SKIP("Wine's GetFinalPathNameByHandle() is limited to 260 characters");
  return 0;
}

/* uv_cancel: a queued request is cancelled, a running or finished one is busy.
 */
static uv_sem_t started;
static uv_sem_t go_on;
static int cancelled;
static int finished;

static void block_worker(uv_work_t* req) {
  (void) req;
  uv_sem_post(&started);
  uv_sem_wait(&go_on);
}

static void after_work(uv_work_t* req, int status) {
  (void) req;
  if (status == UV_ECANCELED)
    cancelled++;
  else
    finished++;
}

static void on_addrinfo(uv_getaddrinfo_t* req,
                        int status,
                        struct addrinfo* result) {
  (void) req;
  ASSERT_NULL(result);
  ASSERT_ERR(UV_EAI_CANCELED, status);
  cancelled++;
}

static void on_nameinfo(uv_getnameinfo_t* req,
                        int status,
                        const char* host,
                        const char* service) {
  (void) req;
  (void) host;
  (void) service;
  ASSERT_ERR(UV_EAI_CANCELED, status);
  cancelled++;
}

static void on_random(uv_random_t* req, int status, void* buf, size_t len) {
  (void) req;
  (void) buf;
  (void) len;
  ASSERT_ERR(UV_ECANCELED, status);
  cancelled++;
}

TEST_IMPL(fs_cancel_everything_queued) {
  uv_work_t blocker;
  uv_work_t work;
  uv_fs_t fs;
  uv_getaddrinfo_t info;
  uv_getnameinfo_t name;
  uv_random_t random;
  uv_timer_t timer;
  struct sockaddr_in addr = test_loopback();
  char byte;

  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "1"));
  ASSERT_OK(uv_sem_init(&started, 0));
  ASSERT_OK(uv_sem_init(&go_on, 0));
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_queue_work(&loop, &blocker, block_worker, after_work));
  uv_sem_wait(&started);
  ASSERT_OK(uv_queue_work(&loop, &work, block_worker, after_work));
  ASSERT_OK(uv_fs_stat(&loop, &fs, ".", on_fs));
  ASSERT_OK(uv_getaddrinfo(&loop, &info, on_addrinfo, "localhost", NULL, NULL));
  ASSERT_OK(
      uv_getnameinfo(&loop, &name, on_nameinfo, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_random(&loop, &random, &byte, 1, 0, on_random));

  ASSERT_ERR(UV_EBUSY, uv_cancel((uv_req_t*) &blocker));
  ASSERT_OK(uv_cancel((uv_req_t*) &work));
  ASSERT_OK(uv_cancel((uv_req_t*) &fs));
  ASSERT_OK(uv_cancel((uv_req_t*) &info));
  ASSERT_OK(uv_cancel((uv_req_t*) &name));
  ASSERT_OK(uv_cancel((uv_req_t*) &random));
  ASSERT_EQ(0, cancelled);
  while (cancelled + callbacks < 5)
    uv_run(&loop, UV_RUN_ONCE); /* while the only worker is busy */
  ASSERT_EQ(4, cancelled);
  ASSERT_ERR(UV_ECANCELED, last_result);
  uv_fs_req_cleanup(&fs);
  ASSERT_EQ(0, finished);
  uv_sem_post(&go_on);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, finished);

  /* Not everything can be cancelled. */
  uv_shutdown_t shutdown;
  shutdown.type = UV_SHUTDOWN;
  ASSERT_ERR(UV_EINVAL, uv_cancel((uv_req_t*) &shutdown));
  test_close_loop(&loop);
  return 0;
}

/* CVE-2024-24806 and similar: names that do not fit are refused. */
TEST_IMPL(getaddrinfo_overlong_and_empty_names) {
  uv_getaddrinfo_t req;
  char name[400];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_ERR(UV_EINVAL, uv_getaddrinfo(&loop, &req, NULL, NULL, NULL, NULL));
  ASSERT_ERR(UV_EINVAL, uv_getaddrinfo(&loop, &req, NULL, "", NULL, NULL));
  snprintf(name, sizeof(name), "0x%0246d7f000001.example.com", 0);
  ASSERT_ERR(UV_EINVAL, uv_getaddrinfo(&loop, &req, NULL, name, NULL, NULL));
  memset(name, 'a', sizeof(name) - 1);
  name[sizeof(name) - 1] = '\0';
  ASSERT_ERR(UV_EINVAL, uv_getaddrinfo(&loop, &req, NULL, name, NULL, NULL));
  /* CVE-2021-22918: a character truncated by the end of the name. */
  ASSERT_ERR(UV_EINVAL,
             uv_getaddrinfo(&loop, &req, NULL, "a\xE2\x82", NULL, NULL));
  ASSERT_ERR(UV_EINVAL,
             uv_getaddrinfo(&loop, &req, NULL, "\xF0\x9F\x92", NULL, NULL));
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(getaddrinfo_without_a_loop) {
  uv_getaddrinfo_t req;
  struct addrinfo hints;

  memset(&hints, 0, sizeof(hints));
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_family = AF_INET;
  ASSERT_OK(uv_getaddrinfo(NULL, &req, NULL, "127.0.0.1", NULL, &hints));
  ASSERT_NOT_NULL(req.addrinfo);
  ASSERT_EQ(AF_INET, req.addrinfo->ai_family);
  uv_freeaddrinfo(req.addrinfo);
  uv_freeaddrinfo(NULL);
  return 0;
}

static int event_calls;
static int event_bits;
static char event_name[64];

static void on_fs_event(uv_fs_event_t* handle,
                        const char* name,
                        int events,
                        int status) {
  (void) handle;
  ASSERT_OK(status);
  event_calls++;
  event_bits |= events;
  snprintf(event_name, sizeof(event_name), "%s", name == NULL ? "" : name);
}

TEST_IMPL(fs_watch_path_while_stopped) {
  uv_fs_event_t event;
  uv_fs_poll_t poll;
  char path[8];
  size_t size = sizeof(path);

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_event_init(&loop, &event));
  ASSERT_OK(uv_fs_poll_init(&loop, &poll));
  ASSERT_ERR(UV_EINVAL, uv_fs_event_getpath(&event, path, &size));
  ASSERT_EQ(0, size);
  size = sizeof(path);
  ASSERT_ERR(UV_EINVAL, uv_fs_poll_getpath(&poll, path, &size));
  ASSERT_EQ(0, size);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(fs_event_create_is_rename) {
  uv_fs_event_t watch;

  test_mkdir("dir");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_event_init(&loop, &watch));
  ASSERT_OK(uv_fs_event_start(&watch, on_fs_event, "dir", 0));
  test_write_file("dir/new", "");
  while (event_calls == 0)
    uv_run(&loop, UV_RUN_ONCE);
  ASSERT_NE(0, event_bits & UV_RENAME);
  ASSERT_STR_EQ("new", event_name);
  ASSERT_ERR(UV_EINVAL, uv_fs_event_start(&watch, on_fs_event, "dir", 0));
  ASSERT_OK(uv_fs_event_stop(&watch));
  ASSERT_ERR(UV_ENOENT, uv_fs_event_start(&watch, on_fs_event, "nowhere", 0));
  test_close_loop(&loop);
  return 0;
}

static int want_all(uv_fs_event_t* handle, const char* path) {
  (void) handle;
  (void) path;
  return 1;
}

/* A filter for whole trees: arguments and states. */
TEST_IMPL(fs_event_filter_refuses) {
  uv_fs_event_t handle;
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_event_init(&loop, &handle));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_ERR(UV_EINVAL, uvx_fs_event_filter(NULL, NULL));
  ASSERT_ERR(UV_EINVAL, uvx_fs_event_filter((uv_fs_event_t*) &timer, NULL));
  ASSERT_EQ(0, uvx_fs_event_unscanned(NULL));
  ASSERT_EQ(0, uvx_fs_event_unscanned(&handle));
  int err = uvx_fs_event_filter(&handle, want_all);
  ASSERT(err == 0 || err == UV_ENOTSUP);
  if (err == 0)
    ASSERT_OK(uvx_fs_event_filter(&handle, NULL));
  ASSERT_OK(uv_fs_event_start(&handle, on_fs_event, ".", 0));
  ASSERT_ERR(UV_EBUSY, uvx_fs_event_filter(&handle, NULL));
  ASSERT_EQ(0, uvx_fs_event_unscanned(&handle));
  uv_close((uv_handle_t*) &handle, NULL);
  ASSERT_ERR(UV_EINVAL, uvx_fs_event_filter(&handle, NULL));
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* inotify only: other systems do not report attribute changes with a name. */
TEST_IMPL(fs_event_attributes_of_directories) {
  uv_fs_event_t watch;
  uv_fs_t req;

  if (access("/proc/sys/fs/inotify", F_OK) != 0 || test_on_kqueue())
    SKIP("no inotify here");
  test_mkdir("dir");
  test_mkdir("dir/sub");
  test_write_file("dir/file", "");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_fs_event_init(&loop, &watch));
  ASSERT_OK(uv_fs_event_start(&watch, on_fs_event, "dir", 0));
  uv_run(&loop, UV_RUN_NOWAIT);

  ASSERT_OK(uv_fs_chmod(NULL, &req, "dir/sub", 0700, NULL));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_STR_EQ("sub", event_name);
  ASSERT_EQ(UV_RENAME | UV_CHANGE, event_bits);
  event_bits = 0;
  ASSERT_OK(uv_fs_chmod(NULL, &req, "dir", 0700, NULL));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_STR_EQ("dir", event_name);
  ASSERT_EQ(UV_RENAME | UV_CHANGE, event_bits);
  event_bits = 0;
  ASSERT_OK(uv_fs_chmod(NULL, &req, "dir/file", 0700, NULL));
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_STR_EQ("file", event_name);
  ASSERT_EQ(UV_CHANGE, event_bits);
  test_close_loop(&loop);
  return 0;
}
#endif

/* Writing nothing still makes the system call. */
TEST_IMPL(fs_write_without_data_detects_a_bad_fd) {
  uv_fs_t req;
  uv_buf_t bufs[2];

  test_write_file("file", "text");
  bufs[0] = bufs[1] = uv_buf_init((char*) "", 0);
  uv_file fd = uv_fs_open(NULL, &req, "file", UV_FS_O_RDONLY, 0, NULL);
  ASSERT_GE(fd, 0);
  ASSERT_ERR(UV_EBADF, uv_fs_write(NULL, &req, fd, bufs, 2, 0, NULL));
  ASSERT_ERR(UV_EBADF, uv_fs_write(NULL, &req, fd, bufs, 1, -1, NULL));
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  return 0;
}

/* More than one Linux call can move is refused, not done partially. Nothing
 * reads the memory. */
TEST_IMPL(fs_write_of_more_than_two_gigabytes_is_refused) {
  static char byte = 'x';
  uv_buf_t one = { .base = &byte, .len = 0x7ffff001 };
  uv_buf_t two[] = { { .base = &byte, .len = 1 },
                     { .base = &byte, .len = 0x7ffff000 } };
  uv_fs_t req;

  uv_file fd = uv_fs_open(NULL, &req, TEST_NULL_DEVICE, UV_FS_O_RDWR, 0, NULL);
  ASSERT_GE(fd, 0);
  ASSERT_ERR(UV_EINVAL, uv_fs_write(NULL, &req, fd, &one, 1, -1, NULL));
  ASSERT_ERR(UV_EINVAL, uv_fs_write(NULL, &req, fd, two, 2, -1, NULL));
  ASSERT_ERR(UV_EINVAL, uv_fs_write(NULL, &req, -1, two, 2, -1, NULL));
  ASSERT_ERR(UV_EINVAL,
             uv_fs_sendfile(NULL, &req, fd, fd, 0, 0x7ffff001, NULL));
  /* A read may be short anyway. Windows checks the memory first, and so does an
   * emulator (test/qemu/run). */
  if (TEST_POSIX && getenv("UV_TEST_EMULATED") == NULL)
    ASSERT_OK(uv_fs_read(NULL, &req, fd, &one, 1, -1, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  return 0;
}

/* The size of the pool as a program sees it: how many items run at once. */
static uv_mutex_t lock;
static int running;
static int most_running;

static void count_running(uv_work_t* req) {
  (void) req;
  uv_mutex_lock(&lock);
  if (++running > most_running)
    most_running = running;
  uv_mutex_unlock(&lock);
  uv_sleep(20);
  uv_mutex_lock(&lock);
  running--;
  uv_mutex_unlock(&lock);
}

/* What follows the digits is ignored, as in libuv. */
TEST_IMPL(threadpool_size_with_text_behind_it) {
  uv_work_t work[24];

  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", " 3 threads\r"));
  ASSERT_OK(uv_mutex_init(&lock));
  ASSERT_OK(uv_loop_init(&loop));
  for (size_t i = 0; i < ARRAY_SIZE(work); i++)
    ASSERT_OK(uv_queue_work(&loop, &work[i], count_running, after_work));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(24, finished);
  ASSERT_LE(most_running, 3);
  ASSERT_GE(most_running, 2);
  test_close_loop(&loop);
  return 0;
}

/* More names than the first block of memory holds. */
TEST_IMPL(fs_scandir_of_many_long_names) {
  uv_fs_t req;
  uv_dirent_t entry;
  char name[256];
  char before[256] = "";
  int n = 0;

  test_mkdir("many");
  for (int i = 0; i < 40; i++) {
    snprintf(name, sizeof(name), "many/%03d-%0100d", i * 7 % 40, i * 7 % 40);
    test_write_file(name, "");
  }
  ASSERT_EQ(40, uv_fs_scandir(NULL, &req, "many", 0, NULL));
  while (uv_fs_scandir_next(&req, &entry) != UV_EOF) {
    ASSERT_EQ(104, strlen(entry.name));
    ASSERT_LT(strcmp(before, entry.name), 0); /* sorted, each once */
    snprintf(before, sizeof(before), "%s", entry.name);
    n++;
  }
  ASSERT_EQ(40, n);
  uv_fs_req_cleanup(&req);
  return 0;
}
