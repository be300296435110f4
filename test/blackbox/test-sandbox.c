/* SPDX-License-Identifier: MIT */
/* A program that forbids itself system calls after start-up: a running loop
 * opens no file, and waits with whichever system call is left. Method: a filter
 * that kills the process or refuses the call, in a child. */
#include "filter.h"
#include "ignore.h"
#include "test.h"

#ifdef HAVE_FILTER
# include <errno.h>
# include <malloc.h>
# include <sys/resource.h>
# include <sys/socket.h>
# include <sys/syscall.h>
# include <sys/un.h>
# include <sys/wait.h>
# include <unistd.h>

# define ROUNDS 200

static uv_loop_t loop;
static uv_async_t async;
static uv_sem_t next_round;
static int rounds;
static int works;

# ifdef __NR_open
#  define OPEN_CALL __NR_open
# else
#  define OPEN_CALL __NR_openat
# endif

/* glibc reads the number of processors from a file when it makes its third
 * (32 bits) or ninth arena, one per thread: let the threads share one. */
static void keep_to_one_arena(void) {
# ifdef M_ARENA_MAX
  (void) mallopt(M_ARENA_MAX, 1); /* sanitizers have their own allocator */
# endif
}

/* 0 if the system has no filters. openat2() is 437 everywhere. */
static int forbid_opening(void) {
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OPEN_CALL, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 437, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return filter_install(rules, ARRAY_SIZE(rules));
}

static void send_rounds(void* arg) {
  (void) arg;
  for (int i = 0; i < ROUNDS; i++) {
    uv_sem_wait(&next_round);
    ASSERT_OK(uv_async_send(&async));
  }
}

static void on_async(uv_async_t* handle) {
  if (++rounds == ROUNDS)
    uv_close((uv_handle_t*) handle, NULL);
  else
    uv_sem_post(&next_round);
}

static void on_timer(uv_timer_t* timer) {
  uv_close((uv_handle_t*) timer, NULL);
}

static void after_work(uv_work_t* req, int status) {
  ASSERT_OK(status);
  if (++works < ROUNDS)
    ASSERT_OK(uv_queue_work(&loop, req, ignore_work, after_work));
}

/* Exits with 77 if there are no filters. */
static void live_in_sandbox(void) {
  uv_thread_t thread;
  uv_timer_t timer;
  uv_work_t req;

  keep_to_one_arena();
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_sem_init(&next_round, 1));
  ASSERT_OK(uv_async_init(&loop, &async, on_async));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_thread_create(&thread, send_rounds, NULL));
  if (!forbid_opening())
    _exit(77);
  ASSERT_OK(uv_queue_work(&loop, &req, ignore_work, after_work));
  ASSERT_OK(uv_timer_start(&timer, on_timer, 1, 0));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_EQ(ROUNDS, rounds);
  ASSERT_EQ(ROUNDS, works);
}

/* A filter that was made for a libuv that waits with epoll_pwait(). */
static int refuse_epoll_wait(int err) {
# ifdef __NR_epoll_wait
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_epoll_wait, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned) err),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return filter_install(rules, ARRAY_SIZE(rules));
# else
  (void) err;
  return 1; /* there is only epoll_pwait() */
# endif
}

static void wait_with(int err) {
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  if (!refuse_epoll_wait(err))
    _exit(77);
  uv_update_time(&loop); /* the timer counts from it */
  uint64_t begin = uv_hrtime();
  ASSERT_OK(uv_timer_start(&timer, on_timer, 20, 0));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_GE(uv_hrtime() - begin, 20 * (uint64_t) 1000000);
  ASSERT_OK(uv_loop_close(&loop));
}

static void wait_despite_eperm(void) {
  wait_with(EPERM);
}

static void wait_despite_enosys(void) {
  wait_with(ENOSYS);
}

# define CLIENTS 3

static void on_connection(uv_stream_t* server, int status) {
  (void) server;
  ASSERT_OK(status); /* there is a reserve: nobody hears of the shortage */
  ASSERT(0 && "there was no descriptor to accept it with");
}

static int connect_to(const char* name) {
  struct sockaddr_un addr = { .sun_family = AF_UNIX };
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);

  ASSERT_GE(fd, 0);
  strcpy(addr.sun_path, name);
  ASSERT_EQ(0, connect(fd, (struct sockaddr*) &addr, sizeof(addr)));
  return fd;
}

/* Out of descriptors, the server hangs up on each client: its reserve comes
 * back every time, although no file can be opened. */
static void serve_in_sandbox(void) {
  uv_pipe_t server;
  struct rlimit limit = { 64, 64 };
  int clients[CLIENTS];
  char byte;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &server, 0));
  ASSERT_OK(uv_pipe_bind(&server, "server"));
  ASSERT_OK(uv_listen((uv_stream_t*) &server, CLIENTS, on_connection));
  for (int i = 0; i < CLIENTS; i++)
    clients[i] = connect_to("server");
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
  while (dup(clients[0]) >= 0)
    continue;
  if (!forbid_opening())
    _exit(77);
  for (int i = 0; i < CLIENTS; i++) {
    uv_run(&loop, UV_RUN_NOWAIT);
    ASSERT_EQ(0, read(clients[i], &byte, 1));
  }
}
#endif

static int run_in_child(void (*body)(void)) {
#ifdef HAVE_FILTER
  pid_t pid = test_fork();
  if (pid == 0) {
    body();
    test_exit_bare(0);
  }
  int status = test_wait_child(pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    SKIP("no system call filters here");
  ASSERT_EQ(0, status);
  return 0;
#else
  (void) body;
  SKIP("no system call filters on this system");
#endif
}

#ifdef HAVE_FILTER
/* fcntl() kills the process from here on. */
static int forbid_fcntl(void) {
# ifdef __NR_fcntl64
  const unsigned number = __NR_fcntl64;
# else
  const unsigned number = __NR_fcntl;
# endif
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return filter_install(rules, ARRAY_SIZE(rules));
}

static void disable_inheritance_by_one_call(void) {
  if (!forbid_fcntl())
    _exit(77);
  uv_disable_stdio_inheritance();
}
#endif

#ifndef HAVE_FILTER
# define disable_inheritance_by_one_call NULL
# define live_in_sandbox NULL
# define serve_in_sandbox NULL
# define wait_despite_eperm NULL
# define wait_despite_enosys NULL
#endif

TEST_IMPL(sandbox_loop_opens_no_file) {
  return run_in_child(live_in_sandbox);
}

TEST_IMPL(sandbox_server_without_descriptors) {
  return run_in_child(serve_in_sandbox);
}

static int wait_in_child(void (*body)(void)) {
  if (test_on_kqueue())
    SKIP("test/kqueue-shim itself calls epoll_wait()");
  return run_in_child(body);
}

TEST_IMPL(sandbox_without_epoll_wait_eperm) {
  return wait_in_child(wait_despite_eperm);
}

TEST_IMPL(sandbox_without_epoll_wait_enosys) {
  return wait_in_child(wait_despite_enosys);
}

/* close_range(), of Linux 5.11 with the flag for this, is 436 everywhere. */
TEST_IMPL(sandbox_disable_inheritance_by_one_call) {
#ifdef HAVE_FILTER
  if (syscall(436, ~0U, ~0U, 4) != 0)
    SKIP("this kernel has no close_range()");
#endif
  return run_in_child(disable_inheritance_by_one_call);
}
