/* SPDX-License-Identifier: MIT */
/* Processes: behaviour 61-64 of docs/internals/behaviour.md, and CVE-2015-0278.
 * Method: the program starts itself as its child (helpers below). */
#include "test.h"

#include <signal.h>
#include <stdio.h>

#if TEST_POSIX
# include <fcntl.h>
# include <grp.h>
# include <pthread.h>
# include <sys/socket.h>
# include <sys/stat.h>
# include <sys/wait.h>
# include <unistd.h>
#endif

static uv_loop_t loop;
static int64_t exit_status = -1;
static int exit_signal = -1;
static int ends_seen;

static void on_exit_cb(uv_process_t* process, int64_t status, int signal) {
  exit_status = status;
  exit_signal = signal;
  uv_close((uv_handle_t*) process, NULL);
}

/* Also sets a PATH in which every directory is readable: an unreadable one
 * makes a missing program UV_EACCES. */
static void init_options(uv_process_options_t* options, char** args) {
  if (TEST_POSIX)
    ASSERT_OK(uv_os_setenv("PATH", "/usr/local/bin:/usr/bin:/bin"));
  memset(options, 0, sizeof(*options));
  options->file = args[0];
  options->args = args;
  options->exit_cb = on_exit_cb;
}

static void run_helper_process(uv_process_options_t* options) {
  uv_process_t process;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_spawn(&loop, &process, options));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(0, exit_signal);
  ASSERT_EQ(0, exit_status);
  test_close_loop(&loop);
}

HELPER_IMPL(nothing) {
  (void) argc;
  (void) argv;
  return 0;
}

HELPER_IMPL(sleep_for_ever) {
  (void) argc;
  (void) argv;
  for (;;)
    uv_sleep(1000);
}

TEST_IMPL(process_killed_by_signal) {
  uv_process_t process;
  uv_process_options_t options;
  char* args[7];

  helper_args(args, "sleep_for_ever", NULL, NULL, NULL);
  init_options(&options, args);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_spawn(&loop, &process, &options));
  ASSERT_GT(uv_process_get_pid(&process), 0);
  ASSERT_OK(uv_process_kill(&process, 0));
  ASSERT_OK(uv_process_kill(&process, SIGTERM));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(TEST_KILLED_STATUS, exit_status);
  ASSERT_EQ(SIGTERM, exit_signal);
  ASSERT_ERR(UV_ESRCH, uv_process_kill(&process, SIGTERM));
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
static void stop_loop(uv_timer_t* timer) {
  uv_stop(timer->loop);
}

/* A program that reaps its child itself has the status; a second report would
 * look like a second exit (found with Neovim's terminals). */
TEST_IMPL(process_waited_for_by_the_program) {
  uv_process_t process;
  uv_timer_t timer;
  uv_process_options_t options;
  char* args[7];
  int status = 0;

  helper_args(args, "sleep_for_ever", NULL, NULL, NULL);
  init_options(&options, args);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_spawn(&loop, &process, &options));
  ASSERT_OK(uv_process_kill(&process, SIGKILL));
  ASSERT_EQ(process.pid, waitpid(process.pid, &status, 0));
  ASSERT_EQ(SIGKILL, WTERMSIG(status));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, stop_loop, 50, 0));
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_EQ(-1, exit_signal);
  ASSERT_NE(0, uv_is_active((uv_handle_t*) &process));
  ASSERT_ERR(UV_ESRCH, uv_process_kill(&process, SIGTERM));
  uv_close((uv_handle_t*) &process, NULL);
  test_close_loop(&loop);
  return 0;
}

#endif

/* A failed spawn is returned at once, without a callback; the handle may be
 * closed. */
TEST_IMPL(process_spawn_errors_are_returned) {
  uv_process_t process;
  uv_process_options_t options;
  char* args[] = { (char*) "no such program anywhere", NULL };

  ASSERT_OK(uv_loop_init(&loop));
  init_options(&options, args);
  ASSERT_ERR(UV_ENOENT, uv_spawn(&loop, &process, &options));
  ASSERT_EQ(0, uv_is_active((uv_handle_t*) &process));
  uv_close((uv_handle_t*) &process, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));

  int before = test_open_handles();
  args[0] = (char*) test_self();
  options.file = args[0];
  options.cwd = "/no/such/directory";
  ASSERT_ERR(UV_ENOENT, uv_spawn(&loop, &process, &options));
  uv_close((uv_handle_t*) &process, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  options.cwd = NULL;
  options.file = "/"; /* Windows looks for files only */
  ASSERT_ERR(TEST_POSIX ? UV_EACCES : UV_ENOENT,
             uv_spawn(&loop, &process, &options));
  uv_close((uv_handle_t*) &process, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(-1, exit_status);
  ASSERT_EQ(before, test_open_handles());
#if TEST_POSIX
  ASSERT_EQ(-1, waitpid(-1, NULL, WNOHANG)); /* and no zombie */
#endif
  test_close_loop(&loop);
  return 0;
}

TEST_IMPL(process_stdio_that_makes_no_sense) {
  uv_process_t process;
  uv_process_options_t options;
  char* args[] = { (char*) "true", NULL };

  ASSERT_OK(uv_loop_init(&loop));
  init_options(&options, args);
  options.stdio_count = -1;
  ASSERT_ERR(UV_EINVAL, uv_spawn(&loop, &process, &options));
  options.stdio_count = 1;
  ASSERT_ERR(UV_EINVAL, uv_spawn(&loop, &process, &options));
  uv_close((uv_handle_t*) &process, NULL);
  test_close_loop(&loop);
  return 0;
}

static void on_failed_read(uv_stream_t* stream,
                           ssize_t nread,
                           const uv_buf_t* buf) {
  (void) buf;
  ASSERT_ERR(UV_EOF, nread);
  uv_close((uv_handle_t*) stream, NULL);
  ends_seen++;
}

/* Programs read from the pipes of a child that could not be started: the pipes
 * are open and at end of file. */
TEST_IMPL(process_failed_spawn_leaves_pipes_at_eof) {
  uv_process_t process;
  uv_process_options_t options;
  uv_stdio_container_t stdio[3];
  uv_pipe_t pipes[3];
  char* args[] = { (char*) "no such program anywhere", NULL };

  ASSERT_OK(uv_loop_init(&loop));
  init_options(&options, args);
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(uv_pipe_init(&loop, &pipes[i], i == 2));
    stdio[i].data.stream = (uv_stream_t*) &pipes[i];
    stdio[i].flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE;
  }
  options.stdio = stdio;
  options.stdio_count = 3;
  ASSERT_ERR(UV_ENOENT, uv_spawn(&loop, &process, &options));
  for (int i = 0; i < 3; i++) {
    ASSERT(uv_is_readable((uv_stream_t*) &pipes[i]));
    ASSERT(uv_is_writable((uv_stream_t*) &pipes[i]));
    ASSERT_OK(
        uv_read_start((uv_stream_t*) &pipes[i], test_alloc, on_failed_read));
  }
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(3, ends_seen);
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* The child has default signals and nothing open but 0-2, all /dev/null. */
HELPER_IMPL(check_clean_child) {
  struct sigaction action;
  sigset_t mask;
  struct stat st;
  struct stat null;

  (void) argc;
  (void) argv;
  for (int signum = 1; signum < 32; signum++) {
    if (signum == SIGKILL || signum == SIGSTOP)
      continue;
    /* Sanitizers catch these before main(). */
    if (signum == SIGSEGV || signum == SIGBUS || signum == SIGFPE)
      continue;
    if (sigaction(signum, NULL, &action) != 0)
      return 10;
    if (action.sa_handler != SIG_DFL)
      return 100 + signum;
  }
  if (sigprocmask(SIG_SETMASK, NULL, &mask) != 0)
    return 11;
  for (int signum = 1; signum < 32; signum++)
    if (sigismember(&mask, signum) == 1)
      return 12;
  stat("/dev/null", &null);
  for (int fd = 0; fd < 3; fd++)
    if (fstat(fd, &st) != 0 || st.st_rdev != null.st_rdev)
      return 13;
  for (int fd = 3; fd < 100; fd++)
    if (fcntl(fd, F_GETFD) != -1)
      return 14;
  return 0;
}

TEST_IMPL(process_child_starts_clean) {
  uv_process_options_t options;
  char* args[7];
  sigset_t set;

  signal(SIGUSR1, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  sigfillset(&set);
  sigdelset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, NULL);
  uv_disable_stdio_inheritance();
  /* Opened by the library: close-on-exec. */
  uv_os_sock_t fds[2];
  uv_file pipe_fds[2];
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, fds, 0, 0));
  ASSERT_OK(uv_pipe(pipe_fds, 0, 0));
  helper_args(args, "check_clean_child", NULL, NULL, NULL);
  init_options(&options, args);
  run_helper_process(&options);
  return 0;
}

/* After uv_disable_stdio_inheritance a plain exec inherits nothing. */
TEST_IMPL(process_disable_stdio_inheritance) {
  int fd = open("/dev/null", O_RDONLY);

  ASSERT_GE(fd, 0);
  ASSERT_EQ(0, fcntl(fd, F_GETFD));
  uv_disable_stdio_inheritance();
  ASSERT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
  ASSERT_EQ(FD_CLOEXEC, fcntl(1, F_GETFD));
  ASSERT_EQ(FD_CLOEXEC, fcntl(2, F_GETFD));
  close(fd);
  return 0;
}

#endif

HELPER_IMPL(check_environment) {
  char text[512];
  size_t size = sizeof(text);

  (void) argc;
  if (uv_os_getenv("UV_TEST_VALUE", text, &size) != 0 ||
      strcmp(text, argv[0]) != 0)
    return 1;
  size = sizeof(text);
  if (uv_cwd(text, &size) != 0 || size < 10)
    return 2;
  return strcmp(text + size - 9, "inner-dir") == 0 ? 0 : 3;
}

TEST_IMPL(process_environment_and_directory) {
  uv_process_options_t options;
  char* args[7];
  char* env[] = { (char*) "UV_TEST_VALUE=some thing", NULL };

  helper_args(args, "check_environment", "some thing", NULL, NULL);
  init_options(&options, args);
  options.env = env;
  options.cwd = "inner-dir";
  test_mkdir("inner-dir");
  run_helper_process(&options);
  return 0;
}

/* The program is looked up in the child's PATH. */
TEST_IMPL(process_looked_up_in_the_childs_path) {
  uv_process_options_t options;
  uv_process_t process;
  uv_fs_t req;
  char* args[7];
  char dir[512];
  char path[5000];
  size_t size = sizeof(dir);

  /* This program under another name, with the directory of its libraries. */
  ASSERT_OK(uv_cwd(dir, &size));
  test_mkdir("bin");
  ASSERT_OK(
      uv_fs_copyfile(NULL, &req, test_self(), "bin/only-here.exe", 0, NULL));
  uv_fs_req_cleanup(&req);
  int len = snprintf(path, sizeof(path), "PATH=%s/bin%s%s", dir, TEST_PATH_SEP,
                     test_self());
  while (strchr("/\\", path[--len]) == NULL)
    path[len] = '\0';
  char* env[] = { path, NULL };
  helper_args(args, "nothing", NULL, NULL, NULL);
  args[0] = (char*) "only-here.exe";
  init_options(&options, args);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_ERR(UV_ENOENT, uv_spawn(&loop, &process, &options));
  uv_close((uv_handle_t*) &process, NULL);
  test_close_loop(&loop);
  options.env = env;
  run_helper_process(&options);
  return 0;
}

#if TEST_POSIX
HELPER_IMPL(check_session) {
  (void) argc;
  (void) argv;
  return getsid(0) == getpid() ? 0 : 1;
}

TEST_IMPL(process_detached_is_a_session_leader) {
  uv_process_options_t options;
  char* args[7];

  helper_args(args, "check_session", NULL, NULL, NULL);
  init_options(&options, args);
  options.flags = UV_PROCESS_DETACHED;
  run_helper_process(&options);
  return 0;
}

HELPER_IMPL(check_identity) {
  gid_t groups[64];
  int count = getgroups(64, groups);

  (void) argc;
  (void) argv;
  if (getuid() != 65534 || geteuid() != 65534)
    return 1;
  if (getgid() != 65533 || getegid() != 65533)
    return 2;
  /* CVE-2015-0278: none of root's groups is left. (On FreeBSD the group of the
   * process is always among them.) */
  for (int i = 0; i < count; i++)
    if (groups[i] != 65533)
      return 3;
  return count >= 0 ? 0 : 4;
}

/* Whether another user may run this program: all folders above it are open. */
static int others_can_run(const char* path) {
  pid_t pid = test_fork();
  if (pid == 0)
    _exit(setgid(65533) != 0 || setuid(65534) != 0 || access(path, X_OK) != 0);
  int status = test_wait_child(pid);
  return status == 0;
}

TEST_IMPL(process_setuid_drops_groups) {
  uv_process_options_t options;
  char* args[7];
  gid_t groups[] = { 0, 4, 24 };

  if (getuid() != 0)
    SKIP("needs root to change the user");
  if (test_on_valgrind())
    SKIP("valgrind cannot follow a child that changes its user");
  if (setgroups(3, groups) != 0)
    SKIP("cannot set groups here");
  helper_args(args, "check_identity", NULL, NULL, NULL);
  if (!others_can_run(args[0]))
    SKIP("other users cannot reach this program's directory");
  init_options(&options, args);
  options.flags = UV_PROCESS_SETUID | UV_PROCESS_SETGID;
  options.uid = 65534;
  options.gid = 65533;
  run_helper_process(&options);
  return 0;
}

static int sigchld_is_watched(void) {
  struct sigaction action;

  ASSERT_EQ(0, sigaction(SIGCHLD, NULL, &action));
  return action.sa_handler != SIG_DFL;
}

/* From the first child until its handle is closed. */
TEST_IMPL(process_sigchld_until_closed) {
  uv_process_options_t options;
  uv_process_t process;
  char* args[] = { (char*) "true", NULL };

  if (test_on_kqueue())
    SKIP("kqueue needs no SIGCHLD");
  ASSERT_OK(uv_loop_init(&loop));
  init_options(&options, args);
  options.exit_cb = NULL;
  ASSERT_OK(uv_spawn(&loop, &process, &options));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT(sigchld_is_watched());
  uv_close((uv_handle_t*) &process, NULL);
  ASSERT(!sigchld_is_watched());
  test_close_loop(&loop);
  return 0;
}

/* Names without a slash are searched for; an empty one matches directories. */
TEST_IMPL(process_empty_name_is_a_directory) {
  uv_process_options_t options;
  uv_process_t process;
  char* args[] = { (char*) "", NULL };

  ASSERT_OK(uv_loop_init(&loop));
  init_options(&options, args);
  ASSERT_ERR(UV_EACCES, uv_spawn(&loop, &process, &options));
  uv_close((uv_handle_t*) &process, NULL);
  test_close_loop(&loop);
  return 0;
}

static int handler_pipe[2];

static void tell_of_fork(void) {
  ASSERT_EQ(1, write(handler_pipe[1], "x", 1));
}

static int forks_told(void) {
  char told[8];
  ssize_t n = read(handler_pipe[0], told, sizeof(told));
  return n < 0 ? 0 : (int) n;
}

/* Fork handlers of the program run in children with a uid or gid, even the
 * parent's own: uvloop runs Python's preexec_fn this way. */
TEST_IMPL(process_setuid_runs_fork_handlers) {
  uv_process_options_t options;
  char* args[] = { (char*) "true", NULL };

  ASSERT_EQ(0, pipe(handler_pipe));
  ASSERT_EQ(0, fcntl(handler_pipe[0], F_SETFL, O_NONBLOCK));
  ASSERT_EQ(0, pthread_atfork(NULL, NULL, tell_of_fork));
  init_options(&options, args);
  options.uid = getuid();
  options.gid = getgid();
  options.flags = UV_PROCESS_SETUID;
  run_helper_process(&options);
  ASSERT_EQ(1, forks_told());
  options.flags = UV_PROCESS_SETGID;
  run_helper_process(&options);
  ASSERT_EQ(1, forks_told());
  return 0;
}

TEST_IMPL(process_setuid_refusal_is_returned) {
  uv_process_options_t options;
  uv_process_t process;
  char* args[] = { (char*) "true", NULL };

  if (getuid() == 0 && setuid(65534) != 0)
    SKIP("cannot give up root here");
  ASSERT_OK(uv_loop_init(&loop));
  init_options(&options, args);
  options.flags = UV_PROCESS_SETUID;
  options.uid = 0;
  ASSERT_ERR(UV_EPERM, uv_spawn(&loop, &process, &options));
  uv_close((uv_handle_t*) &process, NULL);
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  options.flags = UV_PROCESS_SETGID;
  options.gid = 12345;
  ASSERT_ERR(UV_EPERM, uv_spawn(&loop, &process, &options));
  uv_close((uv_handle_t*) &process, NULL);
  test_close_loop(&loop);
  return 0;
}

#endif

HELPER_IMPL(echo_stdin) {
  char byte;
  uv_buf_t buf = uv_buf_init(&byte, 1);
  uv_fs_t req;

  (void) argc;
  (void) argv;
#if TEST_POSIX
  /* Blocking on the child's side, whatever the parent does with its end. */
  if (fcntl(0, F_GETFL) & O_NONBLOCK)
    return 5;
#endif
  while (uv_fs_read(NULL, &req, 0, &buf, 1, -1, NULL) == 1)
    if (uv_fs_write(NULL, &req, 1, &buf, 1, -1, NULL) != 1)
      return 6;
  return 0;
}

static char echoed[64];
static size_t nechoed;

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  if (nread > 0) {
    ASSERT_LT(nechoed + (size_t) nread, sizeof(echoed));
    memcpy(echoed + nechoed, buf->base, (size_t) nread);
    nechoed += (size_t) nread;
  } else if (nread < 0) {
    ASSERT_EQ(UV_EOF, nread);
    uv_close((uv_handle_t*) stream, NULL);
  }
}

static void close_when_written(uv_write_t* req, int status) {
  ASSERT_OK(status);
  uv_close((uv_handle_t*) req->handle, NULL);
}

TEST_IMPL(process_pipes_both_ways) {
  uv_process_t process;
  uv_process_options_t options;
  uv_stdio_container_t stdio[2];
  uv_pipe_t in;
  uv_pipe_t out;
  char* args[7];
  uv_buf_t buf = uv_buf_init((char*) "over and out", 12);

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_pipe_init(&loop, &in, 0));
  ASSERT_OK(uv_pipe_init(&loop, &out, 0));
  stdio[0].flags = UV_CREATE_PIPE | UV_READABLE_PIPE;
  stdio[0].data.stream = (uv_stream_t*) &in;
  stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
  stdio[1].data.stream = (uv_stream_t*) &out;
  helper_args(args, "echo_stdin", NULL, NULL, NULL);
  init_options(&options, args);
  options.stdio = stdio;
  options.stdio_count = 2;
  ASSERT_OK(uv_spawn(&loop, &process, &options));
  uv_write_t write;
  ASSERT_OK(uv_write(&write, (uv_stream_t*) &in, &buf, 1, close_when_written));
  ASSERT_OK(uv_read_start((uv_stream_t*) &out, test_alloc, on_read));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(12, nechoed);
  ASSERT_MEM_EQ("over and out", echoed, 12);
  ASSERT_EQ(0, exit_status);
  test_close_loop(&loop);
  return 0;
}

#if TEST_POSIX
/* Children of others are left to whoever started them. */
TEST_IMPL(process_reaps_only_its_own) {
  uv_process_options_t options;
  char* args[] = { (char*) "true", NULL };

  pid_t foreign = test_fork();
  if (foreign == 0)
    _exit(42);
  init_options(&options, args);
  run_helper_process(&options);
  int status = test_wait_child(foreign);
  ASSERT_EQ(42, WEXITSTATUS(status));
  return 0;
}

#endif

/* Closing the handle of a live child leaves the child to the program. */
TEST_IMPL(process_close_while_it_runs) {
  uv_process_t process;
  uv_process_options_t options;
  char* args[7];

  helper_args(args, "sleep_for_ever", NULL, NULL, NULL);
  init_options(&options, args);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_spawn(&loop, &process, &options));
  int pid = uv_process_get_pid(&process);
  uv_close((uv_handle_t*) &process, NULL);
  test_close_loop(&loop);
  ASSERT_EQ(-1, exit_status);
  ASSERT_OK(uv_kill(pid, SIGKILL));
#if TEST_POSIX
  int status = test_wait_child(pid);
  ASSERT(WIFSIGNALED(status));
#else
  while (uv_kill(pid, 0) == 0)
    uv_sleep(1);
#endif
  return 0;
}

#if TEST_POSIX
/* Without arguments the program gets its own name; without PATH in its
 * environment it is looked up where execvp() would. */
TEST_IMPL(process_without_arguments_or_path) {
  uv_process_options_t options;
  char* env[] = { (char*) "A=b", NULL };
  char* args[] = { (char*) "true", NULL };

  init_options(&options, args);
  options.args = NULL;
  options.env = env;
  run_helper_process(&options);
  return 0;
}

HELPER_IMPL(check_stdin_is_null) {
  struct stat null;
  struct stat in;

  (void) argc;
  (void) argv;
  ASSERT_EQ(0, stat("/dev/null", &null));
  ASSERT_EQ(0, fstat(0, &in));
  return in.st_rdev == null.st_rdev ? 0 : 1;
}

/* The parent has no standard input, so /dev/null gets its number at once. */
TEST_IMPL(process_ignored_input_of_a_parent_without) {
  uv_process_options_t options;
  char* args[7];

  helper_args(args, "check_stdin_is_null", NULL, NULL, NULL);
  init_options(&options, args);
  close(0);
  run_helper_process(&options);
  return 0;
}

/* A child whose end the program consumed is not waited for again when another
 * one ends. */
TEST_IMPL(process_ends_beside_one_that_was_waited_for) {
  uv_process_options_t options;
  uv_process_t waited;
  uv_process_t second;
  char* args[7];

  helper_args(args, "nothing", NULL, NULL, NULL);
  init_options(&options, args);
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_spawn(&loop, &waited, &options));
  (void) test_wait_child(waited.pid);
  uv_run(&loop, UV_RUN_NOWAIT);
  ASSERT_EQ(-1, exit_status);
  for (int i = 0; i < 2; i++) {
    exit_status = -1;
    ASSERT_OK(uv_spawn(&loop, &second, &options));
    while (exit_status == -1)
      uv_run(&loop, UV_RUN_ONCE);
    ASSERT_EQ(0, exit_status);
  }
  ASSERT_EQ(1, uv_is_active((uv_handle_t*) &waited));
  test_close_loop(&loop);
  return 0;
}
#endif
