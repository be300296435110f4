/* SPDX-License-Identifier: MIT */
/* Callers' mistakes that the library can identify return an error and change
 * nothing. Method: a table of calls with NULL, out-of-range, wrong-state and
 * wrong-type arguments, with a new loop and handles of every kind for each row.
 *
 * Preconditions are not tested (the program is wrong and may end): a NULL
 * handle or loop where the documentation requires one, a handle that was never
 * initialised, uv_close() twice. */
#include "ignore.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>

#if TEST_POSIX
# include <sys/wait.h>
# include <unistd.h>
#endif

static uv_loop_t loop;
static uv_timer_t timer;
static uv_idle_t idle;
static uv_prepare_t prepare;
static uv_check_t check;
static uv_async_t async;
static uv_tcp_t tcp;
static uv_pipe_t pipe_handle;
static uv_udp_t udp;
static uv_tcp_t new_tcp;
static uv_udp_t new_udp;
#if TEST_POSIX
static uv_poll_t new_poll;
static uv_pipe_t ipc;
static uv_buf_t no_data;
#endif
static uv_signal_t sig;
static uv_fs_event_t fs_event;
static uv_fs_poll_t fs_poll;
static uv_process_t process;
static uv_process_options_t options;
static uv_stdio_container_t stdio[1];
static char* no_args[7];

static uv_stream_t* stream(void) {
  return (uv_stream_t*) &tcp;
}

static uv_fs_t fs;
static uv_write_t write_req;
static uv_connect_t connect_req;
static uv_shutdown_t shutdown_req;
static uv_udp_send_t send_req;
static uv_work_t work_req;
static uv_getaddrinfo_t addr_req;
static uv_getnameinfo_t name_req;
static uv_random_t random_req;
static uv_buf_t buf;
static char text[64];
static size_t size;
static int number;
static uv_os_sock_t socks[2];
static uv_os_fd_t os_fd;
static uv_thread_t thread;

static struct sockaddr* address(int family) {
  static struct sockaddr_storage addr;
  memset(&addr, 0, sizeof(addr));
  ((struct sockaddr*) &addr)->sa_family = (unsigned char) family;
  return (struct sockaddr*) &addr;
}

static int spawn_with(unsigned flags) {
  options.flags = flags;
  return uv_spawn(&loop, &process, &options);
}

static int spawn_stdio(int flags, uv_stream_t* s, int fd) {
  options.stdio = stdio;
  options.stdio_count = 1;
  stdio[0].flags = (uv_stdio_flags) flags;
  if (s != NULL)
    stdio[0].data.stream = s;
  else
    stdio[0].data.fd = fd;
  return uv_spawn(&loop, &process, &options);
}

static int spawn_nothing(void) {
  options.file = NULL;
  return uv_spawn(&loop, &process, &options);
}

static int sized(int (*call)(char*, size_t*), char* out, size_t room) {
  size = room;
  return call(out, &size);
}

static uv_file file_fd(void) {
  uv_fs_t req;
  return uv_fs_open(NULL, &req, "bad-input.file", UV_FS_O_RDWR | UV_FS_O_CREAT,
                    0600, NULL);
}

static uv_file closed_fd(void) {
  uv_fs_t req;
  uv_file fd = file_fd();
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  return fd;
}

static uv_os_sock_t closed_sock(void) {
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, socks, 0, 0));
  test_close_socket(socks[0]);
  test_close_socket(socks[1]);
  return socks[0];
}

static int poll_with(int fd, int events) {
  static uv_poll_t handle;
  int err = uv_poll_init(&loop, &handle, fd);
  return err != 0 ? err : uv_poll_start(&handle, events, NULL);
}

static int tty_with(int fd) {
  static uv_tty_t tty;
  return uv_tty_init(&loop, &tty, fd, 0);
}

#if TEST_POSIX
static uv_tcp_t* tcp_of(int family) {
  ASSERT_OK(uv_tcp_init_ex(&loop, &new_tcp, (unsigned) family));
  return &new_tcp;
}

static uv_stream_t* open_ipc(void) {
  ASSERT_OK(uv_pipe_init(&loop, &ipc, 1));
  ASSERT_OK(uv_socketpair(SOCK_STREAM, 0, socks, 0, 0));
  ASSERT_OK(uv_pipe_open(&ipc, socks[0]));
  return (uv_stream_t*) &ipc;
}
#endif

static int after_close(int (*call)(void)) {
  uv_close((uv_handle_t*) &timer, NULL);
  uv_close((uv_handle_t*) &sig, NULL);
  uv_close((uv_handle_t*) &tcp, NULL);
  uv_close((uv_handle_t*) &udp, NULL);
  uv_close((uv_handle_t*) &pipe_handle, NULL);
  uv_close((uv_handle_t*) &fs_event, NULL);
  uv_close((uv_handle_t*) &fs_poll, NULL);
  return call();
}

static int c_timer(void) {
  return uv_timer_start(&timer, ignore_timer, 1, 0);
}

static int c_signal(void) {
  return uv_signal_start(&sig, ignore_signal, 1);
}

static int c_read(void) {
  return uv_read_start(stream(), test_alloc, ignore_read);
}

static int c_listen(void) {
  return uv_listen(stream(), 1, ignore_connection);
}

static int c_write(void) {
  return uv_write(&write_req, stream(), &buf, 1, NULL);
}

static int c_try(void) {
  return uv_try_write(stream(), &buf, 1);
}

static int c_shutdown(void) {
  return uv_shutdown(&shutdown_req, stream(), 0);
}

static int c_recv(void) {
  return uv_udp_recv_start(&udp, test_alloc, ignore_recv);
}

static int c_event(void) {
  return uv_fs_event_start(&fs_event, ignore_fs_event, ".", 0);
}

static int c_poll(void) {
  return uv_fs_poll_start(&fs_poll, ignore_fs_poll, ".", 9);
}

static int c_fileno(void) {
  uv_os_fd_t fd;
  return uv_fileno((uv_handle_t*) &tcp, &fd);
}

static int c_bind(void) {
  return uv_tcp_bind(&tcp, address(AF_INET), 0);
}

static int c_connect(void) {
  return uv_tcp_connect(&connect_req, &tcp, address(AF_INET), ignore_connect);
}

static int c_pipe_bind(void) {
  return uv_pipe_bind(&pipe_handle, "p");
}

/* The expression and the expected result; ANY is any error. */
#define ANY 1
#if TEST_POSIX
# define UNIX_ROWS(X)                                                          \
  X(uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, SIGTERM), UV_EINVAL)        \
  X(uv_signal_start(&sig, ignore_signal, SIGKILL), UV_EINVAL)                  \
  X(uv_signal_start_oneshot(&sig, ignore_signal, SIGSTOP), UV_EINVAL)          \
  X(uv_poll_init_socket(&loop, &new_poll, -1), UV_EBADF)                       \
  X(uv_tcp_close_reset(&tcp, NULL), UV_EBADF)                                  \
  X(uv_tcp_bind(tcp_of(AF_INET6), address(AF_INET), 0), UV_EINVAL)             \
  X(uv_recv_buffer_size((uv_handle_t*) &tcp, &number), UV_EBADF)               \
  X(uv_write2(&write_req, open_ipc(), &no_data, 1, (uv_stream_t*) &ipc, NULL), \
    UV_EINVAL)                                                                 \
  X(uv_try_write2(open_ipc(), &no_data, 1, (uv_stream_t*) &ipc), UV_EINVAL)    \
  X(spawn_stdio(UV_CREATE_PIPE | UV_READABLE_PIPE, open_ipc(), 0), UV_EBUSY)
#else
# define UNIX_ROWS(X)
#endif

#define ROWS(X)                                                                \
 UNIX_ROWS(X)                                                                  \
 X(uv_loop_init(NULL), UV_EINVAL)                                              \
 X(uv_loop_configure(&loop, (uv_loop_option) 99), UV_ENOSYS)                   \
 X(uv_replace_allocator(NULL, NULL, NULL, NULL), UV_EINVAL)                    \
 X(uv_timer_start(&timer, NULL, 0, 0), UV_EINVAL)                              \
 X(uv_timer_again(&timer), UV_EINVAL)                                          \
 X(uv_idle_start(&idle, NULL), UV_EINVAL)                                      \
 X(uv_prepare_start(&prepare, NULL), UV_EINVAL)                                \
 X(uv_check_start(&check, NULL), UV_EINVAL)                                    \
 X(uv_signal_init(&loop, NULL), UV_EINVAL)                                     \
 X(uv_signal_start(&sig, NULL, SIGINT), UV_EINVAL)                             \
 X(uv_signal_start(&sig, ignore_signal, 0), UV_EINVAL)                         \
 X(uv_signal_start(&sig, ignore_signal, -1), UV_EINVAL)                        \
 X(uv_signal_start(&sig, ignore_signal, 4096), UV_EINVAL)                      \
 X(uv_fileno((uv_handle_t*) &timer, &os_fd), UV_EINVAL)                        \
 X(uv_fileno((uv_handle_t*) &tcp, &os_fd), UV_EBADF)                           \
 X(uv_send_buffer_size((uv_handle_t*) &timer, &number), UV_ENOTSUP)            \
 X(uv_send_buffer_size(NULL, &number), UV_EINVAL)                              \
 X(uv_recv_buffer_size((uv_handle_t*) &tcp, NULL), UV_EINVAL)                  \
 X(uv_tcp_init_ex(&loop, &new_tcp, 0x1234), UV_EINVAL)                         \
 X(uv_tcp_init_ex(&loop, &new_tcp, 0x100 | AF_INET), UV_EINVAL)                \
 X(uv_tcp_bind(&tcp, address(AF_UNIX), 0), UV_EINVAL)                          \
 X(uv_tcp_bind(&tcp, address(AF_INET), UV_TCP_IPV6ONLY), UV_EINVAL)            \
 X(uv_tcp_bind(&tcp, address(AF_INET), 0x8000), UV_EINVAL)                     \
 X(uv_tcp_connect(&connect_req, &tcp, address(AF_UNIX), ignore_connect),       \
   UV_EINVAL)                                                                  \
 X(uv_tcp_open(&tcp, closed_sock()), TEST_NO_SOCKET)                           \
 X(uv_tcp_getsockname(&tcp, address(0), &number), UV_EBADF)                    \
 X(uv_tcp_getpeername(&tcp, address(0), &number), UV_EBADF)                    \
 X(uv_socketpair(15, 0, socks, 0, 0), ANY)                                     \
 X(uv_listen((uv_stream_t*) &udp, 1, ignore_connection), UV_EINVAL)            \
 X(uv_listen((uv_stream_t*) &pipe_handle, 1, ignore_connection), UV_EINVAL)    \
 X(uv_accept(stream(), (uv_stream_t*) &pipe_handle), UV_EAGAIN)                \
 X(uv_read_start(NULL, test_alloc, ignore_read), UV_EINVAL)                    \
 X(uv_read_start(stream(), NULL, ignore_read), UV_EINVAL)                      \
 X(uv_read_start(stream(), test_alloc, NULL), UV_EINVAL)                       \
 X(uv_read_start(stream(), test_alloc, ignore_read), UV_ENOTCONN)              \
 X(uv_write(&write_req, stream(), &buf, 1, NULL), TEST_NO_STREAM)              \
 X(uv_write(&write_req, stream(), NULL, 0, NULL), UV_EINVAL)                   \
 X(uv_write2(&write_req, stream(), &buf, 1, stream(), NULL), ANY)              \
 X(uv_try_write(stream(), &buf, 1), TEST_NO_STREAM)                            \
 X(uv_try_write(stream(), NULL, 0), UV_EINVAL)                                 \
 X(uv_shutdown(&shutdown_req, stream(), NULL), UV_ENOTCONN)                    \
 X(uv_stream_set_blocking(stream(), 1), UV_EBADF)                              \
 X(uv_pipe_bind(&pipe_handle, NULL), UV_EINVAL)                                \
 X(uv_pipe_bind2(&pipe_handle, NULL, 3, 0), UV_EINVAL)                         \
 X(uv_pipe_bind2(&pipe_handle, "x", 1, 0x80), UV_EINVAL)                       \
 X(uv_pipe_bind2(&pipe_handle, "a\0b", 3, 0), UV_EINVAL)                       \
 X(uv_pipe_connect2(&connect_req, &pipe_handle, "x", 1, 0x80, ignore_connect), \
   UV_EINVAL)                                                                  \
 X(uv_pipe_connect2(&connect_req, &pipe_handle, NULL, 1, 0, ignore_connect),   \
   UV_EINVAL)                                                                  \
 X(uv_pipe_open(&pipe_handle, closed_fd()), UV_EBADF)                          \
 X(uv_pipe_chmod(&pipe_handle, UV_READABLE), UV_EBADF)                         \
 X(uv_pipe_chmod(NULL, UV_READABLE), ANY)                                      \
 X(uv_pipe_chmod(&pipe_handle, 0), ANY)                                        \
 X(uv_pipe_getsockname(&pipe_handle, text, &size), UV_EBADF)                   \
 X(uv_udp_init_ex(&loop, &new_udp, 0x8000), UV_EINVAL)                         \
 X(uv_udp_bind(&udp, address(AF_INET), 0x8000), UV_EINVAL)                     \
 X(uv_udp_bind(&udp, address(77), 0), UV_EINVAL)                               \
 X(uv_udp_bind(&udp, address(AF_UNIX), 0), UV_EINVAL)                          \
 X(uv_udp_bind(&udp, address(AF_INET), UV_UDP_IPV6ONLY), UV_EINVAL)            \
 X(uv_udp_open(&udp, closed_sock()), TEST_NO_SOCKET)                           \
 X(uv_udp_connect(&udp, NULL), UV_ENOTCONN)                                    \
 X(uv_udp_send(&send_req, &udp, &buf, 1, NULL, ignore_send), UV_EDESTADDRREQ)  \
 X(uv_udp_send(&send_req, &udp, &buf, 1, address(77), ignore_send), UV_EINVAL) \
 X(uv_udp_try_send(&udp, &buf, 1, NULL), UV_EDESTADDRREQ)                      \
 X(uv_udp_try_send(&udp, NULL, 0, address(AF_INET)), UV_EINVAL)                \
 X(uv_udp_try_send2(&udp, 0, NULL, NULL, NULL, 0), UV_EINVAL)                  \
 X(uv_udp_try_send2(&udp, 1, NULL, NULL, NULL, 7), UV_EINVAL)                  \
 X(uv_udp_recv_start(&udp, NULL, ignore_recv), UV_EINVAL)                      \
 X(uv_udp_recv_start(&udp, test_alloc, NULL), UV_EINVAL)                       \
 X(uv_udp_set_ttl(&udp, 0), UV_EINVAL)                                         \
 X(uv_udp_set_ttl(&udp, 256), UV_EINVAL)                                       \
 X(uv_udp_set_broadcast(&udp, 1), UV_EBADF)                                    \
 X(uv_udp_set_multicast_ttl(&udp, 2), UV_EBADF)                                \
 X(uv_udp_set_multicast_loop(&udp, 1), UV_EBADF)                               \
 X(uv_udp_set_multicast_interface(&udp, "nonsense"), UV_EINVAL)                \
 X(uv_udp_set_membership(&udp, "nonsense", NULL, UV_JOIN_GROUP), UV_EINVAL)    \
 X(uv_udp_set_source_membership(&udp, "nonsense", NULL, "1.2.3.4",             \
                                UV_JOIN_GROUP),                                \
   UV_EINVAL)                                                                  \
 X(uv_udp_recv_stop((uv_udp_t*) &tcp), UV_EINVAL)                              \
 X(uv_udp_getpeername(&udp, address(0), &number), UV_EBADF)                    \
 X(poll_with(closed_fd(), UV_READABLE), TEST_NO_SOCKET)                        \
 X(poll_with(-1, UV_READABLE), TEST_NO_SOCKET)                                 \
 X(poll_with(file_fd(), UV_READABLE), TEST_POSIX ? TEST_POLL_FILE : ANY)       \
 X(tty_with(closed_fd()), TEST_POSIX ? UV_EINVAL : UV_EBADF)                   \
 X(tty_with(-1), TEST_POSIX ? UV_EINVAL : UV_EBADF)                            \
 X(tty_with(file_fd()), TEST_POSIX ? UV_EINVAL : UV_EBADF)                     \
 X(uv_fs_event_start(&fs_event, NULL, ".", 0), UV_EINVAL)                      \
 X(uv_fs_event_start(&fs_event, ignore_fs_event, NULL, 0), UV_EINVAL)          \
 X(uv_fs_event_start(&fs_event, ignore_fs_event, "none", 0), UV_ENOENT)        \
 X(uv_fs_event_getpath(&fs_event, text, &size), UV_EINVAL)                     \
 X(uv_fs_poll_start(&fs_poll, NULL, ".", 1), UV_EINVAL)                        \
 X(uv_fs_poll_start(&fs_poll, ignore_fs_poll, NULL, 1), UV_EINVAL)             \
 X(uv_fs_poll_getpath(&fs_poll, text, &size), UV_EINVAL)                       \
 X(uv_fs_poll_getpath(&fs_poll, NULL, &size), UV_EINVAL)                       \
 X(uv_spawn(&loop, &process, NULL), UV_EINVAL)                                 \
 X(uv_spawn(&loop, NULL, &options), UV_EINVAL)                                 \
 X(spawn_nothing(), UV_EINVAL)                                                 \
 X(spawn_with(0x4000), UV_EINVAL)                                              \
 X(spawn_stdio(UV_INHERIT_FD, NULL, -1), TEST_POSIX ? UV_EINVAL : UV_EBADF)    \
 X(spawn_stdio(UV_CREATE_PIPE, stream(), 0), UV_EINVAL)                        \
 X(spawn_stdio(UV_INHERIT_STREAM, stream(), 0),                                \
   TEST_POSIX ? UV_EINVAL : UV_EBADF)                                          \
 X(spawn_stdio(UV_CREATE_PIPE | UV_INHERIT_FD, NULL, 0), UV_EINVAL)            \
 X(uv_kill(0x3fffffff, 0), UV_ESRCH)                                           \
 X(uv_kill(1, 4096), UV_EINVAL)                                                \
 X(uv_queue_work(&loop, &work_req, NULL, NULL), UV_EINVAL)                     \
 X(uv_cancel(NULL), UV_EINVAL)                                                 \
 X(uv_fs_open(&loop, NULL, ".", 0, 0, ignore_fs), UV_EINVAL)                   \
 X(uv_fs_open(&loop, &fs, NULL, 0, 0, ignore_fs), UV_EINVAL)                   \
 X(uv_fs_rename(NULL, &fs, "x", NULL, NULL), UV_EINVAL)                        \
 X(uv_fs_read(NULL, &fs, 0, NULL, 0, -1, NULL), UV_EINVAL)                     \
 X(uv_fs_write(NULL, &fs, 0, NULL, 1, -1, NULL), UV_EINVAL)                    \
 X(uv_fs_read(NULL, &fs, -1, &buf, 1, 0, NULL), UV_EBADF)                      \
 X(uv_fs_close(NULL, &fs, -1, NULL), UV_EBADF)                                 \
 X(uv_fs_copyfile(NULL, &fs, "x", "y", 0x100, NULL), UV_EINVAL)                \
 X(uv_fs_mkdtemp(NULL, &fs, NULL, NULL), UV_EINVAL)                            \
 X(uv_fs_mkdtemp(NULL, &fs, "no-pattern", NULL), UV_EINVAL)                    \
 X(uv_fs_mkstemp(NULL, &fs, "no-pattern", NULL), UV_EINVAL)                    \
 X(uv_fs_readdir(NULL, &fs, NULL, NULL), UV_EINVAL)                            \
 X(uv_fs_closedir(NULL, &fs, NULL, NULL), UV_EINVAL)                           \
 X(uv_fs_poll_stop(&fs_poll), 0)                                               \
 X(uv_getaddrinfo(&loop, &addr_req, NULL, NULL, NULL, NULL), UV_EINVAL)        \
 X(uv_getaddrinfo(&loop, NULL, NULL, "x", NULL, NULL), UV_EINVAL)              \
 X(uv_getaddrinfo(NULL, &addr_req, ignore_addrinfo, "x", NULL, NULL),          \
   UV_EINVAL)                                                                  \
 X(uv_getaddrinfo(&loop, &addr_req, NULL, "", NULL, NULL), UV_EINVAL)          \
 X(uv_getnameinfo(&loop, NULL, ignore_nameinfo, address(AF_INET), 0),          \
   UV_EINVAL)                                                                  \
 X(uv_getnameinfo(&loop, &name_req, ignore_nameinfo, NULL, 0), UV_EINVAL)      \
 X(uv_getnameinfo(&loop, &name_req, ignore_nameinfo, address(AF_UNIX), 0),     \
   UV_EINVAL)                                                                  \
 X(uv_random(&loop, &random_req, NULL, 5, 0, ignore_random), UV_EINVAL)        \
 X(uv_random(&loop, &random_req, text, 5, 1, ignore_random), UV_EINVAL)        \
 X(uv_random(NULL, NULL, text, (size_t) -1, 0, NULL), UV_E2BIG)                \
 X(uv_ip4_addr(NULL, 0, (struct sockaddr_in*) address(0)), UV_EINVAL)          \
 X(uv_ip4_addr("1.2.3.4.5", 0, (struct sockaddr_in*) address(0)), UV_EINVAL)   \
 X(uv_ip6_addr("::1::", 0, (struct sockaddr_in6*) address(0)), UV_EINVAL)      \
 X(uv_inet_pton(77, "1", text), UV_EAFNOSUPPORT)                               \
 X(uv_inet_ntop(77, text, text, 1), UV_EAFNOSUPPORT)                           \
 X(uv_inet_ntop(AF_INET, "1234", text, 0), UV_ENOSPC)                          \
 X(uv_ip_name(address(AF_UNIX), text, sizeof(text)), UV_EAFNOSUPPORT)          \
 X(uv_thread_create(&thread, NULL, NULL), ANY)                                 \
 X(uv_thread_create_ex(&thread, NULL, ignore_thread, NULL), ANY)               \
 X(uv_thread_setname(NULL), UV_EINVAL)                                         \
 X(uv_barrier_init(NULL, 1), UV_EINVAL)                                        \
 X(uv_exepath(NULL, &size), UV_EINVAL)                                         \
 X(uv_cwd(text, NULL), UV_EINVAL)                                              \
 X(sized(uv_cwd, text, 0), UV_EINVAL)                                          \
 X(sized(uv_cwd, text, 1), UV_ENOBUFS)                                         \
 X(sized(uv_os_homedir, text, 1), UV_ENOBUFS)                                  \
 X(sized(uv_os_tmpdir, text, 0), UV_EINVAL)                                    \
 X(sized(uv_os_gethostname, NULL, 9), UV_EINVAL)                               \
 X(uv_os_getenv(NULL, text, &size), UV_EINVAL)                                 \
 X(uv_os_getenv("", text, &size), ANY)                                         \
 X(uv_os_setenv(NULL, "x"), UV_EINVAL)                                         \
 X(uv_os_setenv("a=b", "x"), UV_EINVAL)                                        \
 X(uv_os_unsetenv(NULL), UV_EINVAL)                                            \
 X(uv_os_get_passwd(NULL), UV_EINVAL)                                          \
 X(uv_os_uname(NULL), UV_EINVAL)                                               \
 X(uv_os_getpriority(0, NULL), UV_EINVAL)                                      \
 X(uv_os_setpriority(0, -99), UV_EINVAL)                                       \
 X(uv_os_setpriority(0, 99), UV_EINVAL)                                        \
 X(uv_gettimeofday(NULL), UV_EINVAL)                                           \
 X(uv_clock_gettime((uv_clock_id) 77, NULL), ANY)                              \
 X(uv_set_process_title(NULL), ANY)                                            \
 X(uv_get_process_title(NULL, 9), UV_EINVAL)                                   \
 X(uv_get_process_title(text, 0), UV_EINVAL)                                   \
 X(uv_if_indextoname(1, NULL, &size), UV_EINVAL)                               \
 X(uv_utf16_to_wtf8(NULL, 0, NULL, NULL), UV_EINVAL)                           \
 X(uv_wtf8_length_as_utf16(NULL), UV_EINVAL)                                   \
 X(after_close(c_timer), UV_EINVAL)                                            \
 X(after_close(c_signal), UV_EINVAL)                                           \
 X(after_close(c_read), UV_EINVAL)                                             \
 X(after_close(c_listen), UV_EINVAL)                                           \
 X(after_close(c_write), TEST_NO_STREAM)                                       \
 X(after_close(c_try), UV_EBADF)                                               \
 X(after_close(c_shutdown), ANY)                                               \
 X(after_close(c_recv), UV_EINVAL)                                             \
 X(after_close(c_event), UV_EINVAL)                                            \
 X(after_close(c_poll), UV_EINVAL)                                             \
 X(after_close(c_fileno), UV_EBADF)                                            \
 X(after_close(c_bind), UV_EINVAL)                                             \
 X(after_close(c_connect), UV_EINVAL)                                          \
 X(after_close(c_pipe_bind), UV_EINVAL)

static void open_all(void) {
  helper_args(no_args, "nothing", NULL, NULL, NULL);
  test_process_options(&options, no_args, NULL);
  buf = uv_buf_init(text, 1);
  size = sizeof(text);
  number = 0;
  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_idle_init(&loop, &idle));
  ASSERT_OK(uv_prepare_init(&loop, &prepare));
  ASSERT_OK(uv_check_init(&loop, &check));
  ASSERT_OK(uv_async_init(&loop, &async, NULL));
  ASSERT_OK(uv_tcp_init(&loop, &tcp));
  ASSERT_OK(uv_pipe_init(&loop, &pipe_handle, 0));
  ASSERT_OK(uv_udp_init(&loop, &udp));
  ASSERT_OK(uv_signal_init(&loop, &sig));
  ASSERT_OK(uv_fs_event_init(&loop, &fs_event));
  ASSERT_OK(uv_fs_poll_init(&loop, &fs_poll));
}

static const struct row {
  const char* text;
  int want;
} rows[] = {
#define X(expr, want) { #expr, want },
  ROWS(X)
#undef X
};

static intmax_t call_row(size_t n) {
  size_t i = 0;
#define X(expr, want)                                                          \
 if (n == i++)                                                                 \
  return (intmax_t) (expr);
  ROWS(X)
#undef X
  return 0;
}

/* Did it go as expected? */
static int run_row(size_t n) {
  char name[64];

  open_all();
  intmax_t got = call_row(n);
  int ok = rows[n].want == ANY ? got < 0 : got == rows[n].want;
  if (!ok)
    fprintf(stderr, "%s: %jd %s\n", rows[n].text, got,
            got < 0 ? uv_err_name_r((int) got, name, sizeof(name)) : "");
  /* Nothing was started, and everything can be closed. */
  if (got < 0 && !uv_is_closing((uv_handle_t*) &timer)) {
    uv_unref((uv_handle_t*) &async);
    ASSERT_EQ(0, uv_loop_alive(&loop));
  }
  test_close_loop(&loop);
  return ok;
}

#if TEST_POSIX
/* In a child, so that a crash affects one row only. */
static int try_row(size_t n) {
  pid_t pid = test_fork();
  if (pid == 0) {
    int ok = run_row(n);
    fflush(NULL);
    _exit(ok ? 0 : 1);
  }
  int status = test_wait_child(pid);
  if (WIFSIGNALED(status))
    fprintf(stderr, "%s: signal %d\n", rows[n].text, WTERMSIG(status));
  return status == 0;
}
#else
static int try_row(size_t n) {
  return run_row(n);
}
#endif

TEST_IMPL(bad_input_is_refused) {
  int failures = 0;

  for (size_t n = 0; n < ARRAY_SIZE(rows); n++)
    if (!try_row(n))
      failures++;
  ASSERT_EQ(0, failures);
  return 0;
}
