/* SPDX-License-Identifier: MIT */
/* uvx_dump() of the handles and requests that test-dump.c leaves out: what the
 * text says of each is what the program did. */
#include "ignore.h"
#include "test.h"
#include "uv/ext.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static uv_loop_t loop;
static char text[65536];

static void dump(void) {
  FILE* file = fopen("dump", "w+");

  ASSERT_NOT_NULL(file);
  ASSERT_OK(uvx_dump(&loop, file));
  rewind(file);
  size_t n = fread(text, 1, sizeof(text) - 1, file);
  text[n] = '\0';
  fclose(file);
}

/* The line of a handle has all of these; NULL: nothing. */
static void check_line(const void* handle, const char* a, const char* b) {
  char address[32];
  char line[1024];

  snprintf(address, sizeof(address), "%p", (void*) (uintptr_t) handle);
  const char* found = strstr(text, address);
  if (found == NULL)
    fprintf(stderr, "%s", text);
  ASSERT_NOT_NULL(found);
  while (found > text && found[-1] != '\n')
    found--;
  snprintf(line, sizeof(line), "%.*s", (int) strcspn(found, "\n"), found);
  if (strstr(line, a) == NULL || (b != NULL && strstr(line, b) == NULL))
    fprintf(stderr, "%s\n", line);
  ASSERT_NOT_NULL(strstr(line, a));
  if (b != NULL)
    ASSERT_NOT_NULL(strstr(line, b));
}

static void on_exit_cb(uv_process_t* process, int64_t status, int signum) {
  (void) status;
  (void) signum;
  uv_close((uv_handle_t*) process, NULL);
}

TEST_IMPL(dump_shows_pipes_and_watchers) {
  uv_pipe_t named;
  uv_pipe_t ipc;
  uv_signal_t signal;
  uv_poll_t poll;
  uv_fs_event_t event;
  uv_fs_poll_t stat;
  uv_prepare_t prepare;
  uv_check_t check;
  uv_tcp_t tcp6;
  struct sockaddr_in6 addr6;
  char number[32];
  int fds[2];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &named, 0));
  ASSERT_OK(uv_pipe_bind(&named, "a\tname"));
  ASSERT_OK(uv_listen((uv_stream_t*) &named, 1, ignore_connection));
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  ASSERT_OK(uv_pipe_init(&loop, &ipc, 1));
  ASSERT_OK(uv_pipe_open(&ipc, fds[0]));
  ASSERT_OK(uv_signal_init(&loop, &signal));
  ASSERT_OK(uv_signal_start(&signal, ignore_signal, SIGUSR1));
  ASSERT_OK(uv_poll_init(&loop, &poll, fds[1]));
  ASSERT_OK(uv_poll_start(&poll, UV_READABLE, ignore_poll));
  ASSERT_OK(uv_fs_event_init(&loop, &event));
  ASSERT_OK(uv_fs_event_start(&event, ignore_fs_event, ".", 0));
  ASSERT_OK(uv_fs_poll_init(&loop, &stat));
  ASSERT_OK(uv_fs_poll_start(&stat, ignore_fs_poll, "polled", 1000));
  ASSERT_OK(uv_prepare_init(&loop, &prepare));
  ASSERT_OK(uv_prepare_start(&prepare, ignore_prepare));
  ASSERT_OK(uv_check_init(&loop, &check));
  ASSERT_OK(uv_check_start(&check, ignore_check));
  ASSERT_OK(uv_tcp_init(&loop, &tcp6));
  ASSERT_OK(uv_ip6_addr("::1", 0, &addr6));
  int has_ip6 = uv_tcp_bind(&tcp6, (struct sockaddr*) &addr6, 0) == 0 &&
                uv_listen((uv_stream_t*) &tcp6, 1, ignore_connection) == 0;
  dump();
  check_line(&named, "pipe", "a?name"); /* no control characters */
  check_line(&ipc, "pipe", "ipc");
  snprintf(number, sizeof(number), "signal %d", SIGUSR1);
  check_line(&signal, "signal", number);
  check_line(&poll, "poll", NULL);
  check_line(&event, "fs_event", ".");
  check_line(&stat, "fs_poll", "polled");
  check_line(&prepare, "prepare", NULL);
  check_line(&check, "check", NULL);
  if (has_ip6)
    check_line(&tcp6, "tcp", "[::1]:");
  close(fds[1]);
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(dump_shows_children) {
  uv_process_t process;
  uv_process_options_t options;
  char* args[7];
  char pid[32];

  ASSERT_OK(uv_loop_init(&loop));
  helper_args(args, "sleep_for_ever", NULL, NULL, NULL);
  test_process_options(&options, args, on_exit_cb);
  ASSERT_OK(uv_spawn(&loop, &process, &options));
  snprintf(pid, sizeof(pid), "pid %d", uv_process_get_pid(&process));
  dump();
  check_line(&process, "process", pid);
  ASSERT_OK(uv_process_kill(&process, SIGKILL));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

static uv_sem_t go;

static void wait_for_go(uv_work_t* req) {
  (void) req;
  uv_sem_wait(&go);
}

static void on_addresses(uv_getaddrinfo_t* req, int err, struct addrinfo* res) {
  (void) req;
  (void) err;
  uv_freeaddrinfo(res);
}

#define MANY 100

/* The pool is blocked; names, random numbers and many others wait. */
TEST_IMPL(dump_shows_all_kinds_of_requests) {
  static uv_work_t works[MANY];
  uv_work_t blockers[4];
  uv_getaddrinfo_t address;
  uv_getnameinfo_t name;
  uv_random_t random;
  char noise[8];
  struct sockaddr_in addr = test_loopback();

  ASSERT_OK(uv_os_setenv("UV_THREADPOOL_SIZE", "4"));
  ASSERT_OK(uv_sem_init(&go, 0));
  ASSERT_OK(uv_loop_init(&loop));
  for (int i = 0; i < 4; i++)
    ASSERT_OK(uv_queue_work(&loop, &blockers[i], wait_for_go, NULL));
  ASSERT_OK(
      uv_getaddrinfo(&loop, &address, on_addresses, "localhost", NULL, NULL));
  ASSERT_OK(uv_getnameinfo(&loop, &name, ignore_nameinfo,
                           (struct sockaddr*) &addr, NI_NUMERICHOST));
  ASSERT_OK(uv_random(&loop, &random, noise, sizeof(noise), 0, ignore_random));
  dump();
  ASSERT_NOT_NULL(strstr(text, "lookups: 2 in flight"));
  ASSERT_NOT_NULL(strstr(text, "getaddrinfo localhost,"));
  ASSERT_NOT_NULL(strstr(text, "getnameinfo"));
  ASSERT_NOT_NULL(strstr(text, "random"));
  for (int i = 0; i < MANY; i++)
    ASSERT_OK(uv_queue_work(&loop, &works[i], wait_for_go, NULL));
  dump();
  ASSERT_NOT_NULL(strstr(text, " more\n"));
  for (int i = 0; i < MANY + 4; i++)
    uv_sem_post(&go);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}

TEST_IMPL(dump_shows_terminals) {
  uv_tty_t tty;
  int master = posix_openpt(O_RDWR | O_NOCTTY);

  if (master == -1 || grantpt(master) != 0 || unlockpt(master) != 0)
    SKIP("no pseudo-terminals here");
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  ASSERT_GE(slave, 0);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tty_init(&loop, &tty, slave, 1));
  dump();
  check_line(&tty, "tty", "fd ");
  test_close_loop(&loop);
  close(slave);
  close(master);
  return 0;
}

TEST_IMPL(dump_to_a_full_device_fails) {
  FILE* file = fopen("/dev/full", "w");

  if (file == NULL)
    SKIP("there is no /dev/full here");
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_ERR(UV_EIO, uvx_dump(&loop, file));
  fclose(file);
  ASSERT_OK(uv_loop_close(&loop));
  return 0;
}
