/* SPDX-License-Identifier: MIT */
/* Security history, credentials and leaks: CVE-2024-22017 (operations after a
 * change of user run with the old credentials), descriptors in children, a
 * handle left behind by a failed spawn (1.52), a timer closed by another
 * (1.48). */
#include "ignore.h"
#include "test.h"

#if TEST_POSIX
# include <fcntl.h>
# include <grp.h>
# include <stdio.h>
# include <sys/resource.h>
# include <sys/socket.h>
# include <sys/stat.h>
# include <sys/wait.h>
# include <unistd.h>
#endif

static uv_loop_t loop;

#if TEST_POSIX
static int result;
static int done;

static void on_open(uv_fs_t* req) {
  result = (int) req->result;
  done++;
  uv_fs_req_cleanup(req);
}

static void open_as_nobody(void) {
  uv_fs_t req;

  /* Whatever handles files in the background exists before the change. */
  ASSERT_OK(uv_loop_init(&loop));
  (void) uv_loop_configure(&loop, UV_LOOP_USE_IO_URING_SQPOLL);
  ASSERT_OK(uv_fs_open(&loop, &req, "secret", UV_FS_O_RDONLY, 0, on_open));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_GE(result, 0);
  close(result);

  ASSERT_EQ(0, setgroups(0, NULL));
  ASSERT_EQ(0, setgid(65534));
  ASSERT_EQ(0, setuid(65534));
  for (int i = 0; i < 8; i++) {
    ASSERT_OK(uv_fs_open(&loop, &req, "secret", UV_FS_O_RDONLY, 0, on_open));
    uv_run(&loop, UV_RUN_DEFAULT);
    ASSERT_ERR(UV_EACCES, result);
  }
  ASSERT_EQ(9, done);
  test_close_loop(&loop);
}

TEST_IMPL(security_files_after_a_change_of_user) {
  if (getuid() != 0)
    SKIP("needs root to give up root's credentials");
  int fd = open("secret", O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(fd, 0);
  close(fd);
  ASSERT_EQ(0, chmod(".", 0755));

  for (int ring = 0; ring < 2; ring++) {
    pid_t pid = test_fork();
    if (pid == 0) {
      ASSERT_OK(uv_os_setenv("UV_USE_IO_URING", ring ? "1" : "0"));
      open_as_nobody();
      _exit(0);
    }
    ASSERT_EQ(0, test_wait_child(pid));
  }
  return 0;
}

/* The child checks each of its descriptors. (Valgrind has some of its own,
 * above the limit that it reports to the program.) */
HELPER_IMPL(list_descriptors) {
  struct rlimit limit;
  int extra = 0;

  (void) argc;
  (void) argv;
  ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
  for (int fd = 3; (rlim_t) fd < limit.rlim_cur && fd < 65536; fd++) {
    if (fcntl(fd, F_GETFD) == -1)
      continue;
    fprintf(stderr, "descriptor %d in the child: %s\n", fd,
            uv_handle_type_name(uv_guess_handle(fd)));
    extra++;
  }
  return extra == 0 ? 0 : 1;
}

static void on_child(uv_process_t* p, int64_t status, int signum) {
  ASSERT_EQ(0, status);
  ASSERT_EQ(0, signum);
  done++;
  uv_close((uv_handle_t*) p, NULL);
}

static uv_mutex_t mutex;
static int stop_opening;

/* Opens and closes descriptors while children start. */
static void open_and_close(void* arg) {
  int over = 0;
  (void) arg;
  while (!over) {
    uv_os_sock_t socks[2];
    uv_file files[2];
    uv_fs_t req;
    ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, socks, 0, 0));
    ASSERT_OK(uv_pipe(files, 0, 0));
    int fd = uv_fs_open(NULL, &req, "/dev/null", UV_FS_O_RDONLY, 0, NULL);
    ASSERT_GE(fd, 0);
    uv_fs_req_cleanup(&req);
    close(fd);
    close(socks[0]);
    close(socks[1]);
    close(files[0]);
    close(files[1]);
    uv_mutex_lock(&mutex);
    over = stop_opening;
    uv_mutex_unlock(&mutex);
  }
}

TEST_IMPL(security_children_inherit_no_descriptors) {
  enum { CHILDREN = 10 };
  static uv_process_t processes[CHILDREN];
  uv_process_options_t options;
  uv_stdio_container_t stdio[3];
  uv_tcp_t tcp;
  uv_tcp_t client;
  uv_tcp_t accepted;
  test_stream_t a;
  test_stream_t b;
  uv_udp_t udp;
  uv_fs_event_t watch;
  uv_loop_t second;
  uv_thread_t thread;
  struct sockaddr_in addr = test_loopback();
  char* args[7];

  /* Descriptors that whoever started us left open do not count. */
  for (int fd = 3; fd < 1024; fd++)
    (void) fcntl(fd, F_SETFD, FD_CLOEXEC);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_loop_init(&second));
  ASSERT_OK(uv_mutex_init(&mutex));
  test_tcp_pair(&loop, &client, &accepted);
  test_stream_pair(&loop, &a, &b);
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_tcp_bind(&tcp, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_listen((uv_stream_t*) &tcp, 8, ignore_connection));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_udp_bind(&udp, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_fs_event_init(&loop, &watch));
  ASSERT_OK(uv_fs_event_start(&watch, ignore_fs_event, ".", 0));
  uv_unref((uv_handle_t*) &tcp);
  uv_unref((uv_handle_t*) &watch);
  ASSERT_OK(uv_thread_create(&thread, open_and_close, NULL));

  helper_args(args, "list_descriptors", NULL, NULL, NULL);
  test_process_options(&options, args, on_child);
  options.stdio = stdio;
  options.stdio_count = 3;
  for (int i = 0; i < 3; i++) {
    stdio[i].flags = i == 2 ? UV_INHERIT_FD : UV_IGNORE;
    stdio[i].data.fd = i;
  }
  for (int i = 0; i < CHILDREN; i++) {
    int before = done;
    ASSERT_OK(uv_spawn(&loop, &processes[i], &options));
    while (done == before)
      uv_run(&loop, UV_RUN_ONCE);
  }

  uv_mutex_lock(&mutex);
  stop_opening = 1;
  uv_mutex_unlock(&mutex);
  ASSERT_OK(uv_thread_join(&thread));
  uv_mutex_destroy(&mutex);
  ASSERT_OK(uv_loop_close(&second));
  test_close_loop(&loop);
  return 0;
}

#endif

/* 1.52: the handle of a failed spawn stayed in the loop's list although its
 * memory belongs to the caller again. */
TEST_IMPL(security_failed_spawn_leaves_nothing) {
  uv_process_options_t options;
  char* args[] = { (char*) "no such program", NULL };

  ASSERT_OK(uv_loop_init(&loop));
  test_process_options(&options, args, NULL);
  for (int i = 0; i < 3; i++) {
    uv_process_t* process = malloc(sizeof(*process));
    ASSERT_NOT_NULL(process);
    ASSERT_ERR(UV_ENOENT, uv_spawn(&loop, process, &options));
    memset(process, 0xdd, sizeof(*process));
    free(process);
  }
  ASSERT_EQ(0, uv_loop_alive(&loop));
  test_close_loop(&loop);
  return 0;
}

enum { TIMERS = 64 };
static uv_timer_t* timers[TIMERS];
static int fired;

static void free_timer(uv_handle_t* handle) {
  free(handle);
}

/* Closes or stops others that are due in the same round. */
static void on_timer(uv_timer_t* timer) {
  fired++;
  for (int i = 0; i < TIMERS; i++) {
    if (timers[i] == timer) {
      uv_close((uv_handle_t*) timer, free_timer);
      timers[i] = NULL;
    } else if (timers[i] != NULL && (i * 7 + fired) % 3 == 0) {
      uv_close((uv_handle_t*) timers[i], free_timer);
      timers[i] = NULL;
    } else if (timers[i] != NULL && (i + fired) % 5 == 0) {
      ASSERT_OK(uv_timer_stop(timers[i]));
      ASSERT_OK(uv_timer_start(timers[i], on_timer, 0, 0));
    }
  }
}

/* 1.48: the queue of due timers was corrupted. */
TEST_IMPL(security_timers_closed_by_another) {
  for (int round = 0; round < 10; round++) {
    fired = 0;
    ASSERT_OK(uv_loop_init(&loop));
    for (int i = 0; i < TIMERS; i++) {
      timers[i] = malloc(sizeof(*timers[i]));
      ASSERT_NOT_NULL(timers[i]);
      ASSERT_OK(uv_timer_init(&loop, timers[i]));
      ASSERT_OK(uv_timer_start(timers[i], on_timer, (i * round) % 3, 0));
    }
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_GE(fired, 1);
    for (int i = 0; i < TIMERS; i++)
      ASSERT_NULL(timers[i]);
    ASSERT_OK(uv_loop_close(&loop));
  }
  return 0;
}
