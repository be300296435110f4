/* SPDX-License-Identifier: MIT */
/* Without descriptors or threads: an error to the caller or the callback, state
 * as before, and everything works again when they are available. Method:
 * resource limits. */
#include "ignore.h"
#include "test.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef CLONE_NEWNS
# include <sys/mount.h>
#endif

static uv_loop_t loop;

/* Valgrind emulates descriptors and limits. */
static void skip_on_valgrind(void) {
  if (test_on_valgrind())
    SKIP("valgrind emulates resource exhaustion itself");
}

/* Leaves room for `extra` more descriptors. */
static void limit_fds(int extra) {
  struct rlimit limit;

  ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
  limit.rlim_cur = (rlim_t) (test_lowest_fd() + extra);
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
}

static void unlimit_fds(void) {
  struct rlimit limit;

  ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
  limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
}

/* Fills the gaps below, so that the limit is exact. */
static void close_holes(void) {
  for (int fd = 3; fd < 64; fd++)
    close(fd);
}

TEST_IMPL(limit_loop_init_without_descriptors) {
  close_holes();
  int before = test_lowest_fd();
  int err = 1;
  int tries = 0;

  for (int extra = 0; err != 0; extra++) {
    ASSERT_LT(extra, 20);
    unlimit_fds();
    limit_fds(extra);
    err = uv_loop_init(&loop);
    if (err != 0) {
      ASSERT_ERR(UV_EMFILE, err);
      tries++;
      /* Nothing is left behind. */
      unlimit_fds();
      ASSERT_EQ(before, test_lowest_fd());
    }
  }
  ASSERT_GE(tries, 1);
  unlimit_fds();
  test_close_loop(&loop);
  ASSERT_EQ(before, test_lowest_fd());
  return 0;
}

static int work_done;

static void on_fs(uv_fs_t* req) {
  *(int*) req->data = (int) req->result;
  work_done++;
}

static void on_addrinfo(uv_getaddrinfo_t* req,
                        int status,
                        struct addrinfo* result) {
  (void) req;
  (void) status;
  uv_freeaddrinfo(result);
  work_done++;
}

TEST_IMPL(limit_everyday_calls_without_descriptors) {
  struct sockaddr_in addr = test_loopback();
  uv_tcp_t tcp;
  uv_udp_t udp;
  uv_pipe_t pipe_handle;
  uv_fs_event_t watch;
  uv_signal_t sig;
  uv_fs_t fs;
  uv_getaddrinfo_t info;
  int result = 0;
  uv_os_sock_t pair[2];
  uv_file files[2];

  skip_on_valgrind();
  close_holes();
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_pipe_init(&loop, &pipe_handle, 0));
  ASSERT_OK(uv_fs_event_init(&loop, &watch));
  ASSERT_OK(uv_signal_init(&loop, &sig));
  limit_fds(0);

  ASSERT_ERR(UV_EMFILE, uv_tcp_bind(&tcp, (struct sockaddr*) &addr, 0));
  ASSERT_ERR(UV_EMFILE, uv_udp_bind(&udp, (struct sockaddr*) &addr, 0));
  ASSERT_ERR(UV_EMFILE, uv_pipe_bind(&pipe_handle, "sock"));
  ASSERT_ERR(UV_EMFILE, uv_fs_event_start(&watch, ignore_fs_event, ".", 0));
  ASSERT_ERR(UV_EMFILE, uv_socketpair(SOCK_STREAM, 0, pair, 0, 0));
  ASSERT_ERR(UV_EMFILE, uv_pipe(files, 0, 0));
  ASSERT_ERR(UV_EMFILE,
             uv_fs_open(NULL, &fs, "/dev/null", UV_FS_O_RDONLY, 0, NULL));
  uv_fs_req_cleanup(&fs);
  fs.data = &result;
  ASSERT_OK(uv_fs_open(&loop, &fs, "/dev/null", UV_FS_O_RDONLY, 0, on_fs));
  ASSERT_OK(uv_getaddrinfo(&loop, &info, on_addrinfo, "localhost", NULL, NULL));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(2, work_done);
  ASSERT_ERR(UV_EMFILE, result);
  uv_fs_req_cleanup(&fs);

  /* Afterwards the same calls work again. */
  unlimit_fds();
  ASSERT_OK(uv_tcp_bind(&tcp, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_udp_bind(&udp, (struct sockaddr*) &addr, 0));
  ASSERT_OK(uv_pipe_bind(&pipe_handle, "sock"));
  ASSERT_OK(uv_fs_event_start(&watch, ignore_fs_event, ".", 0));
  test_close_loop(&loop);
  return 0;
}

static int connections;
static int refused;

static void on_connection(uv_stream_t* server, int status) {
  if (status != 0) {
    refused++;
    return;
  }
  static uv_tcp_t clients[4];
  uv_tcp_t* client = &clients[connections++];
  ASSERT_OK(uv_tcp_init(server->loop, client));
  ASSERT_OK(uv_accept(server, (uv_stream_t*) client));
}

static void on_tick(uv_timer_t* timer) {
  (void) timer;
  uv_stop(&loop);
}

/* Out of descriptors in accept: no spinning, and service resumes later. */
TEST_IMPL(limit_accept_without_descriptors) {
  uv_tcp_t server;
  uv_timer_t timer;
  uv_metrics_t metrics;

  close_holes();
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  struct sockaddr_in addr = test_tcp_listen(&loop, &server, 8, on_connection);
  int client = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(client, 0);
  ASSERT_EQ(0, connect(client, (struct sockaddr*) &addr, sizeof(addr)));

  limit_fds(0);
  ASSERT_OK(uv_timer_start(&timer, on_tick, 50, 0));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_OK(uv_metrics_info(&loop, &metrics));
  ASSERT_LT(metrics.loop_count, 1000);
  ASSERT_EQ(0, connections);

  /* A client connects when there is room: the server is alive. */
  unlimit_fds();
  int second = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(second, 0);
  ASSERT_EQ(0, connect(second, (struct sockaddr*) &addr, sizeof(addr)));
  while (connections == 0)
    uv_run(&loop, UV_RUN_ONCE);
  test_close_loop(&loop);
  close(client);
  close(second);
  return 0;
}

static void on_exit_unexpected(uv_process_t* p, int64_t status, int signal) {
  (void) p;
  (void) status;
  (void) signal;
  ASSERT(0);
}

TEST_IMPL(limit_spawn_without_descriptors) {
  uv_process_t process;
  uv_pipe_t out;
  uv_process_options_t options;
  uv_stdio_container_t stdio[2];
  char* args[] = { (char*) "true", NULL };

  skip_on_valgrind();
  close_holes();
  ASSERT_OK(uv_loop_init(&loop));
  test_process_options(&options, args, on_exit_unexpected);
  options.stdio = stdio;
  options.stdio_count = 2;
  stdio[0].flags = UV_IGNORE;
  stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
  stdio[1].data.stream = (uv_stream_t*) &out;

  int before = test_lowest_fd();
  for (int extra = 0; extra < 2; extra++) {
    ASSERT_OK(uv_pipe_init(&loop, &out, 0));
    limit_fds(extra);
    int err = uv_spawn(&loop, &process, &options);
    unlimit_fds();
    ASSERT_ERR(UV_EMFILE, err);
    uv_close((uv_handle_t*) &out, NULL);
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_EQ(before, test_lowest_fd()); /* nothing leaked */
  }
  test_close_loop(&loop);
  return 0;
}

/* Makes thread creation fail from here on; 0 if that is not possible. */
static int forbid_threads(void) {
  struct rlimit none = { 0, 0 };

  /* Root is exempt from the limit. */
  if (getuid() == 0) {
    if (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)
      return 0;
  }
  return setrlimit(RLIMIT_NPROC, &none) == 0;
}

static void after_work(uv_work_t* req, int status) {
  (void) req;
  ASSERT_OK(status);
  work_done++;
}

/* In a child, because leak checkers need a thread when the test ends. */
static void run_in_child(void (*run)(void)) {
  pid_t pid = test_fork();
  if (pid == 0) {
    run();
    uv_library_shutdown(); /* leak checkers need a thread at exit */
    _exit(0);
  }
  int status = test_wait_child(pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    _exit(77); /* the child printed the reason */
  ASSERT_EQ(0, status);
}

/* Not a single worker: the caller gets the error, and no request is left. */
static void first_worker_refused(void) {
  uv_work_t work;
  uv_fs_t fs;
  uv_getaddrinfo_t info;
  uv_thread_t thread;

  ASSERT_OK(uv_loop_init(&loop));
  if (!forbid_threads())
    SKIP("cannot lower RLIMIT_NPROC here");
  if (uv_thread_create(&thread, ignore_thread, NULL) == 0) {
    uv_thread_join(&thread);
    SKIP("RLIMIT_NPROC does not stop threads here");
  }
  ASSERT_ERR(UV_EAGAIN, uv_queue_work(&loop, &work, ignore_work, after_work));
  ASSERT_ERR(UV_EAGAIN, uv_fs_access(&loop, &fs, ".", 0, on_fs));
  uv_fs_req_cleanup(&fs);
  ASSERT_ERR(UV_EAGAIN, uv_getaddrinfo(&loop, &info, on_addrinfo, "localhost",
                                       NULL, NULL));
  ASSERT_EQ(0, uv_loop_alive(&loop));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(0, work_done);
  test_close_loop(&loop);
}

TEST_IMPL(limit_first_worker_refused) {
  run_in_child(first_worker_refused);
  return 0;
}

/* io_uring has workers in the kernel; if those are refused too, the callback
 * reports it. */
static void ring_without_workers(void) {
  uv_fs_t fs;

  ASSERT_EQ(0, setenv("UV_USE_IO_URING", "2", 1));
  ASSERT_OK(uv_loop_init(&loop));
  if (!forbid_threads())
    SKIP("cannot lower RLIMIT_NPROC here");
  int result = 0;
  fs.data = &result;
  int err = uv_fs_stat(&loop, &fs, ".", on_fs);
  if (err == 0) {
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    ASSERT_EQ(1, work_done);
    err = result;
  }
  ASSERT(err == 0 || err == UV_EAGAIN);
  uv_fs_req_cleanup(&fs);
  ASSERT_EQ(0, uv_loop_alive(&loop));
  test_close_loop(&loop);
}

TEST_IMPL(limit_ring_without_workers) {
  run_in_child(ring_without_workers);
  return 0;
}

/* With one worker running, no more is needed. */
static void second_worker_refused(void) {
  uv_work_t work[20];

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_queue_work(&loop, &work[0], ignore_work, after_work));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  if (!forbid_threads())
    SKIP("cannot lower RLIMIT_NPROC here");
  for (int i = 0; i < 20; i++)
    ASSERT_OK(uv_queue_work(&loop, &work[i], ignore_work, after_work));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(21, work_done);
  test_close_loop(&loop);
}

TEST_IMPL(limit_second_worker_refused) {
  run_in_child(second_worker_refused);
  return 0;
}

static void spawn_without_processes(void) {
  uv_process_t process;
  uv_process_options_t options;
  char* args[] = { (char*) "true", NULL };

  ASSERT_OK(uv_loop_init(&loop));
  if (!forbid_threads())
    SKIP("cannot lower RLIMIT_NPROC here");
  test_process_options(&options, args, on_exit_unexpected);
  ASSERT_ERR(UV_EAGAIN, uv_spawn(&loop, &process, &options));
  uv_close((uv_handle_t*) &process, NULL);
  test_close_loop(&loop);
}

TEST_IMPL(limit_spawn_without_processes) {
  skip_on_valgrind();
  run_in_child(spawn_without_processes);
  return 0;
}

/* A 64 kB disk that only this process sees; 0 if it cannot be mounted. */
#ifdef CLONE_NEWNS
static int mount_small_disk(void) {
  if (mkdir("disk", 0700) != 0 || unshare(CLONE_NEWNS) != 0)
    return -1;
  if (mount("none", "/", "none", MS_REC | MS_PRIVATE, "") != 0)
    return -1;
  return mount("tmpfs", "disk", "tmpfs", 0, "size=64k");
}

static int make_read_only(int on) {
  return mount("tmpfs", "disk", "tmpfs", MS_REMOUNT | (on ? MS_RDONLY : 0), "");
}
#else
static int mount_small_disk(void) {
  return -1;
}

static int make_read_only(int on) {
  return on;
}
#endif

/* A full disk is reported, even if it accepted part of a write; a read-only one
 * is reported too; and both work again. */
TEST_IMPL(limit_disk_full_or_read_only) {
  static char block[40000];
  uv_buf_t buf = uv_buf_init(block, sizeof(block));
  uv_fs_t req;
  int results[3];

  if (mount_small_disk() != 0)
    SKIP("cannot mount a small disk here");
  ASSERT_OK(uv_loop_init(&loop));
  int fd = uv_fs_open(NULL, &req, "disk/file", UV_FS_O_CREAT | UV_FS_O_RDWR,
                      0600, NULL);
  ASSERT_GE(fd, 0);
  uv_fs_req_cleanup(&req);
  for (int i = 0; i < 3; i++) {
    req.data = &results[i];
    ASSERT_OK(uv_fs_write(&loop, &req, fd, &buf, 1, -1, on_fs));
    ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    uv_fs_req_cleanup(&req);
  }
  ASSERT_EQ(40000, results[0]);
  ASSERT_GT(results[1], 0); /* as much as there was room for */
  ASSERT_LT(results[1], 40000);
  ASSERT_ERR(UV_ENOSPC, results[2]);
  ASSERT_ERR(UV_ENOSPC,
             uv_fs_copyfile(NULL, &req, "disk/file", "disk/copy", 0, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_ERR(UV_ENOENT, uv_fs_stat(NULL, &req, "disk/copy", NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_OK(uv_fs_ftruncate(NULL, &req, fd, 0, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_EQ(40000, uv_fs_write(NULL, &req, fd, &buf, 1, 0, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  uv_fs_req_cleanup(&req);

  ASSERT_EQ(0, make_read_only(1));
  ASSERT_ERR(UV_EROFS, uv_fs_mkdir(NULL, &req, "disk/dir", 0700, NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_ERR(UV_EROFS, uv_fs_unlink(NULL, &req, "disk/file", NULL));
  uv_fs_req_cleanup(&req);
  req.data = &results[0];
  ASSERT_OK(uv_fs_open(&loop, &req, "disk/file", UV_FS_O_RDWR, 0, on_fs));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_ERR(UV_EROFS, results[0]);
  uv_fs_req_cleanup(&req);
  ASSERT_EQ(0, make_read_only(0));
  ASSERT_OK(uv_fs_unlink(NULL, &req, "disk/file", NULL));
  uv_fs_req_cleanup(&req);
  test_close_loop(&loop);
  return 0;
}
