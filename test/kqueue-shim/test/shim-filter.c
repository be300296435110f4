/* SPDX-License-Identifier: MIT */
/* The filters of kqueue(2). Quotes are from FreeBSD 14's man page unless
 * another is named. */
#include "unit/unit.h"

#include <sys/types.h>
#include <sys/event.h>
#include <sys/time.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef KQUEUE_SHIM_SYS_EVENT_H_
static const int is_shim = 1;
#else
static const int is_shim = 0;
#endif

static struct kevent event;

static int change(int kq, int ident, int filter, unsigned flags, unsigned ff) {
  struct kevent kev;
  EV_SET(&kev, ident, filter, flags, ff, 0, NULL);
  return kevent(kq, &kev, 1, NULL, 0, NULL);
}

/* Waits a second at most; the event is in `event`. */
static int fetch(int kq) {
  struct timespec second = { 1, 0 };
  return kevent(kq, NULL, 0, &event, 1, &second);
}

static int fetch_now(int kq) {
  struct timespec none = { 0, 0 };
  return kevent(kq, NULL, 0, &event, 1, &none);
}

/* A queue that watches one fd. */
static int watch(int fd, int filter) {
  int kq = kqueue();
  CHECK(kq >= 0);
  CHECK_EQ(0, change(kq, fd, filter, EV_ADD, 0));
  return kq;
}

static int listen_on(struct sockaddr_in* addr) {
  socklen_t len = sizeof(*addr);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  memset(addr, 0, sizeof(*addr));
  addr->sin_family = AF_INET;
  addr->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQ(0, bind(fd, (struct sockaddr*) addr, len));
  CHECK_EQ(0, listen(fd, 4));
  CHECK_EQ(0, getsockname(fd, (struct sockaddr*) addr, &len));
  return fd;
}

/* "data contains the number of bytes available" */
UNIT_TEST(read_counts_bytes) {
  int fds[2];
  CHECK_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  int kq = watch(fds[0], EVFILT_READ);
  CHECK_EQ(0, fetch_now(kq));
  CHECK_EQ(5, write(fds[1], "hello", 5));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(5, event.data);
  CHECK_EQ(fds[0], event.ident);
  CHECK_EQ(EVFILT_READ, event.filter);
  CHECK_EQ(0, event.flags & EV_EOF);
}

/* "Sockets which have previously been passed to listen(2) return when there is
 * an incoming connection pending." */
UNIT_TEST(read_of_a_listening_socket) {
  struct sockaddr_in addr;
  int server = listen_on(&addr);
  int kq = watch(server, EVFILT_READ);
  CHECK_EQ(0, fetch_now(kq));
  int client = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_EQ(0, connect(client, (struct sockaddr*) &addr, sizeof(addr)));
  CHECK_EQ(1, fetch(kq));
  CHECK(event.data >= 1);
}

/* "Fifos, Pipes: ... When the last writer disconnects, the filter will set
 * EV_EOF in flags." */
UNIT_TEST(read_eof_of_a_pipe) {
  int fds[2];
  CHECK_EQ(0, pipe(fds));
  int kq = watch(fds[0], EVFILT_READ);
  close(fds[1]);
  CHECK_EQ(1, fetch(kq));
  CHECK(event.flags & EV_EOF);
  CHECK_EQ(0, event.data);
}

/* "It is possible for EOF to be returned (indicating the connection is gone)
 * while there is still data pending in the socket buffer." */
UNIT_TEST(read_eof_with_data_pending) {
  int fds[2];
  CHECK_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  int kq = watch(fds[0], EVFILT_READ);
  CHECK_EQ(5, write(fds[1], "hello", 5));
  CHECK_EQ(0, shutdown(fds[1], SHUT_WR));
  CHECK_EQ(1, fetch(kq));
  CHECK(event.flags & EV_EOF);
  CHECK_EQ(5, event.data);
  CHECK_EQ(0, event.fflags); /* no error */
}

/* "EVFILT_WRITE: returns whenever it is possible to write to the descriptor."
 */
UNIT_TEST(write_of_a_full_pipe) {
  char bytes[4096] = { 0 };
  int fds[2];
  CHECK_EQ(0, pipe(fds));
  CHECK_EQ(0, fcntl(fds[1], F_SETFL, O_NONBLOCK));
  int kq = watch(fds[1], EVFILT_WRITE);
  CHECK_EQ(1, fetch(kq));
  CHECK(event.data > 0);
  while (write(fds[1], bytes, sizeof(bytes)) > 0)
    continue;
  CHECK_EQ(0, fetch_now(kq));
  for (int i = 0; i < 4; i++)
    CHECK(read(fds[0], bytes, sizeof(bytes)) > 0);
  CHECK_EQ(1, fetch(kq));
}

/* "the filter will set EV_EOF when the reader disconnects" */
UNIT_TEST(write_eof_without_reader) {
  int fds[2];
  CHECK_EQ(0, pipe(fds));
  int kq = watch(fds[1], EVFILT_WRITE);
  close(fds[0]);
  CHECK_EQ(1, fetch(kq));
  CHECK(event.flags & EV_EOF);
}

/* sys_pipe.c of FreeBSD and DragonFly: "other end of pipe has been closed",
 * EPIPE; NetBSD: EBADF. Only when it is added: see above. */
UNIT_TEST(write_of_a_pipe_without_reader) {
  int fds[2];
  int kq = kqueue();
  CHECK_EQ(0, pipe(fds));
  close(fds[0]);
  CHECK_EQ(-1, change(kq, fds[1], EVFILT_WRITE, EV_ADD, 0));
  CHECK(errno == EPIPE || errno == EBADF);
}

/* "returns the socket error (if any) in fflags" */
UNIT_TEST(refused_connect_has_eof_and_error) {
  struct sockaddr_in addr;
  close(listen_on(&addr)); /* a port that nobody listens on */
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  int kq = kqueue();
  CHECK_EQ(0, fcntl(fd, F_SETFL, O_NONBLOCK));
  CHECK_EQ(-1, connect(fd, (struct sockaddr*) &addr, sizeof(addr)));
  if (errno == ECONNREFUSED)
    SKIP("loopback refuses a connection at once here");
  CHECK_EQ(0, change(kq, fd, EVFILT_WRITE, EV_ADD, 0));
  CHECK_EQ(1, fetch(kq));
  CHECK(event.flags & EV_EOF);
  CHECK(event.fflags != 0);
  /* The error is still the socket's. */
  int err = 0;
  socklen_t len = sizeof(err);
  CHECK_EQ(0, getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len));
  CHECK_EQ(ECONNREFUSED, err);
}

/* A stream that is not connected can neither be read nor written. */
UNIT_TEST(unconnected_socket_is_silent) {
  struct timespec moment = { 0, 20 * 1000 * 1000 };
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  int kq = watch(fd, EVFILT_WRITE);
  CHECK_EQ(0, change(kq, fd, EVFILT_READ, EV_ADD, 0));
  CHECK_EQ(0, kevent(kq, NULL, 0, &event, 1, &moment));
}

#if defined(EVFILT_EXCEPT) && defined(NOTE_OOB)
/* A connection over TCP: what was accepted, and the other end in *client. */
static int connect_tcp(int* client) {
  struct sockaddr_in addr;
  int server = listen_on(&addr);
  *client = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_EQ(0, connect(*client, (struct sockaddr*) &addr, sizeof(addr)));
  return accept(server, NULL, NULL);
}
#endif

/* macOS: "EVFILT_EXCEPT: ... NOTE_OOB ... out-of-band data on a socket" */
UNIT_TEST(except_reports_urgent_data) {
#if defined(EVFILT_EXCEPT) && defined(NOTE_OOB)
  int fds[2];
  int client;
  int peer = connect_tcp(&client);
  int kq = kqueue();
  CHECK_EQ(0, change(kq, peer, EVFILT_EXCEPT, EV_ADD, NOTE_OOB));
  CHECK_EQ(0, fetch_now(kq));
  CHECK_EQ(1, send(client, "!", 1, MSG_OOB));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(EVFILT_EXCEPT, event.filter);
  CHECK_EQ(NOTE_OOB, event.fflags);
  CHECK_EQ(0, pipe(fds));
  CHECK_EQ(-1, change(kq, fds[0], EVFILT_EXCEPT, EV_ADD, NOTE_OOB));
#else
  SKIP("this system has no EVFILT_EXCEPT");
#endif
}

/* macOS, of EVFILT_EXCEPT: "If the read direction of the socket has shutdown,
 * then the filter also sets EV_EOF in flags, and returns the socket error (if
 * any) in fflags." In uipc_socket.c of its kernel the filter is that of
 * EVFILT_READ, so that ordinary data makes an event, too, without NOTE_OOB. */
UNIT_TEST(except_is_a_read_filter_on_macos) {
#if defined(EVFILT_EXCEPT) && defined(NOTE_OOB)
  int client;
  if (!is_shim)
    SKIP("a kernel has one way, its own");
  CHECK_EQ(0, setenv("KQUEUE_SHIM_SYSTEM", "macos", 1));
  int peer = connect_tcp(&client);
  int kq = kqueue();
  CHECK_EQ(0, change(kq, peer, EVFILT_EXCEPT, EV_ADD, NOTE_OOB));
  CHECK_EQ(0, fetch_now(kq));
  CHECK_EQ(1, send(client, "x", 1, 0));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(0, event.fflags);
  CHECK_EQ(1, event.data);
  CHECK_EQ(0, event.flags & EV_EOF);
  close(client);
  usleep(10000);
  CHECK_EQ(1, fetch(kq));
  CHECK(event.flags & EV_EOF);
  CHECK_EQ(0, event.fflags); /* no error */
#else
  SKIP("this system has no EVFILT_EXCEPT");
#endif
}

/* "EVFILT_USER: Establishes a user event identified by ident which is not
 * associated with any kernel mechanism but is triggered by user level code. The
 * lower 24 bits of the fflags may be used for user defined flags" */
UNIT_TEST(user_flags_and_trigger) {
  int kq = kqueue();
  CHECK_EQ(0, change(kq, 5, EVFILT_USER, EV_ADD | EV_CLEAR, 0));
  CHECK_EQ(0, fetch_now(kq));
  CHECK_EQ(0, change(kq, 5, EVFILT_USER, 0, NOTE_FFOR | 6));
  CHECK_EQ(0, fetch_now(kq));
  CHECK_EQ(0, change(kq, 5, EVFILT_USER, 0, NOTE_FFAND | 3 | NOTE_TRIGGER));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(5, event.ident);
  CHECK_EQ(2, event.fflags);
  CHECK_EQ(0, fetch_now(kq));
  CHECK_EQ(-1, change(kq, 6, EVFILT_USER, 0, NOTE_TRIGGER));
  CHECK_EQ(ENOENT, errno);
}

/* OpenBSD got it late. */
UNIT_TEST(user_is_missing_on_openbsd) {
  int kq = kqueue();
  if (!is_shim)
    SKIP("a kernel has one way, its own");
  CHECK_EQ(0, setenv("KQUEUE_SHIM_SYSTEM", "openbsd", 1));
  CHECK_EQ(-1, change(kq, 1, EVFILT_USER, EV_ADD, 0));
  CHECK_EQ(EINVAL, errno);
}

UNIT_TEST(user_without_clear_stays) {
  int kq = kqueue();
  CHECK_EQ(0, change(kq, 1, EVFILT_USER, EV_ADD, 0));
  CHECK_EQ(0, change(kq, 1, EVFILT_USER, 0, NOTE_TRIGGER));
  CHECK_EQ(1, fetch_now(kq));
  CHECK_EQ(1, fetch_now(kq));
}

/* "The timer will be periodic unless EV_ONESHOT is specified. On return, data
 * contains the number of times the timeout has expired since the last call to
 * kevent()." "This filter automatically sets the EV_CLEAR flag internally." */
UNIT_TEST(timer_counts_expirations) {
  struct kevent kev;
  int kq = kqueue();
  EV_SET(&kev, 1, EVFILT_TIMER, EV_ADD, 0, 5, NULL); /* milliseconds */
  CHECK_EQ(0, kevent(kq, &kev, 1, NULL, 0, NULL));
  CHECK_EQ(0, fetch_now(kq));
  usleep(30000);
  CHECK_EQ(1, fetch(kq));
  CHECK(event.data >= 5);
  CHECK(event.flags & EV_CLEAR);
  CHECK_EQ(1, fetch(kq));
}

UNIT_TEST(timer_oneshot) {
  struct kevent kev;
  int kq = kqueue();
  EV_SET(&kev, 1, EVFILT_TIMER, EV_ADD | EV_ONESHOT, NOTE_USECONDS, 2000, NULL);
  CHECK_EQ(0, kevent(kq, &kev, 1, NULL, 0, NULL));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(1, event.data);
  usleep(5000);
  CHECK_EQ(0, fetch_now(kq));
}

/* A child that ends with status 7 when the fd returned is closed. */
static int start_child(pid_t* pid) {
  int gate[2];
  char byte;
  CHECK_EQ(0, pipe(gate));
  *pid = fork();
  CHECK(*pid >= 0);
  if (*pid == 0) {
    close(gate[1]);
    (void) !read(gate[0], &byte, 1);
    _exit(7);
  }
  close(gate[0]);
  return gate[1];
}

/* macOS: "NOTE_EXITSTATUS: The process has exited and its exit status is in
 * filter specific data." */
#ifdef NOTE_EXITSTATUS
# define EXIT_WITH_STATUS (NOTE_EXIT | NOTE_EXITSTATUS)
#else
# define EXIT_WITH_STATUS NOTE_EXIT
#endif

/* "NOTE_EXIT: The process has exited. The exit status will be stored in data in
 * the same format as the status returned by wait(2)." */
UNIT_TEST(proc_reports_exit_status) {
  pid_t pid;
  int kq = kqueue();
  int gate = start_child(&pid);
  unsigned flags = EV_ADD | EV_ONESHOT;
  CHECK_EQ(0, change(kq, pid, EVFILT_PROC, flags, EXIT_WITH_STATUS));
  CHECK_EQ(0, fetch_now(kq));
  close(gate);
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(pid, event.ident);
  CHECK_EQ(EVFILT_PROC, event.filter);
  CHECK(event.fflags & NOTE_EXIT);
  int status = (int) event.data; /* NetBSD's macros take its address */
  CHECK(WIFEXITED(status));
  CHECK_EQ(7, WEXITSTATUS(status));
  CHECK_EQ(0, fetch_now(kq));
  CHECK_EQ(pid, waitpid(pid, NULL, 0));
}

/* On macOS, NOTE_EXITSTATUS requests it, "to be used along with NOTE_EXIT". */
UNIT_TEST(proc_without_status_on_macos) {
  pid_t pid;
  if (!is_shim)
    SKIP("a kernel has one way, its own");
  CHECK_EQ(0, setenv("KQUEUE_SHIM_SYSTEM", "macos", 1));
  int kq = kqueue();
  int gate = start_child(&pid);
  CHECK_EQ(0, change(kq, pid, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT));
  close(gate);
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_EXIT, event.fflags);
  CHECK_EQ(0, event.data);
  CHECK_EQ(pid, waitpid(pid, NULL, 0));
}

/* "ESRCH: The specified process to attach to does not exist." */
UNIT_TEST(proc_of_no_process) {
  int kq = kqueue();
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0)
    _exit(0);
  CHECK_EQ(pid, waitpid(pid, NULL, 0));
  CHECK_EQ(-1, change(kq, pid, EVFILT_PROC, EV_ADD, NOTE_EXIT));
  CHECK_EQ(ESRCH, errno);
}

/* What shim.h says of KQUEUE_SHIM_CHILDREN. */
UNIT_TEST(proc_variants_of_other_kernels) {
  int gate[2];
  char byte;
  if (!is_shim)
    SKIP("a kernel has one way, its own");
  int kq = kqueue();
  CHECK_EQ(0, pipe(gate));
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    close(gate[1]);
    (void) !read(gate[0], &byte, 1);
    _exit(0);
  }
  CHECK_EQ(0, setenv("KQUEUE_SHIM_CHILDREN", "refused", 1));
  CHECK_EQ(-1, change(kq, pid, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT));
  CHECK_EQ(EACCES, errno);
  CHECK_EQ(0, setenv("KQUEUE_SHIM_CHILDREN", "early-silent", 1));
  CHECK_EQ(0, change(kq, pid, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT));
  CHECK_EQ(1, fetch_now(kq));
  CHECK_EQ(NOTE_EXIT, event.fflags);
  CHECK_EQ(0, waitpid(pid, NULL, WNOHANG));
  CHECK_EQ(0, change(kq, pid, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT));
  CHECK_EQ(0, fetch_now(kq));
  CHECK_EQ(0, change(kq, pid, EVFILT_PROC, EV_DELETE, 0));
  CHECK_EQ(0, setenv("KQUEUE_SHIM_CHILDREN", "early-gone", 1));
  CHECK_EQ(-1, change(kq, pid, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT));
  CHECK_EQ(ESRCH, errno);
  close(gate[1]);
  CHECK_EQ(0, setenv("KQUEUE_SHIM_CHILDREN", "gone", 1));
  CHECK_EQ(-1, change(kq, pid, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT));
  CHECK_EQ(ESRCH, errno);
  CHECK_EQ(pid, waitpid(pid, NULL, WNOHANG));
}

#define ALL_NOTES                                                              \
 (NOTE_DELETE | NOTE_WRITE | NOTE_EXTEND | NOTE_ATTRIB | NOTE_LINK |           \
  NOTE_RENAME)

static char dir[] = "/tmp/uv-shim-XXXXXX";
static char path[64];

/* A new file in a new directory that is the current one; its fd. */
static int make_file(void) {
  CHECK(mkdtemp(dir) != NULL);
  snprintf(path, sizeof(path), "%s/file", dir);
  int fd = open(path, O_CREAT | O_RDWR, 0600);
  CHECK(fd >= 0);
  CHECK_EQ(4, write(fd, "1234", 4));
  CHECK_EQ(0, chdir(dir));
  return fd;
}

static void remove_all(void) {
  (void) unlink("file");
  (void) unlink("other");
  CHECK_EQ(0, chdir("/"));
  CHECK_EQ(0, rmdir(dir));
}

static int watch_vnode(int fd, unsigned notes) {
  int kq = kqueue();
  CHECK_EQ(0, change(kq, fd, EVFILT_VNODE, EV_ADD | EV_CLEAR, notes));
  CHECK_EQ(0, fetch_now(kq));
  return kq;
}

/* "NOTE_WRITE: A write occurred on the file referenced by the descriptor."
 * "NOTE_EXTEND: For regular file, the file ... was extended." */
UNIT_TEST(vnode_write_and_extend) {
  int fd = make_file();
  int kq = watch_vnode(fd, ALL_NOTES);
  CHECK_EQ(1, pwrite(fd, "x", 1, 0));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_WRITE, event.fflags);
  CHECK_EQ(fd, event.ident);
  CHECK_EQ(0, fetch_now(kq)); /* EV_CLEAR */
  CHECK_EQ(1, pwrite(fd, "x", 1, 100));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_WRITE | NOTE_EXTEND, event.fflags);
  remove_all();
}

/* "NOTE_ATTRIB: The file referenced by the descriptor had its attributes
 * changed." "NOTE_LINK: The link count on the file changed." */
UNIT_TEST(vnode_attrib_and_link) {
  int fd = make_file();
  int kq = watch_vnode(fd, ALL_NOTES);
  CHECK_EQ(0, fchmod(fd, 0644));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_ATTRIB, event.fflags);
  CHECK_EQ(0, link("file", "other"));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_LINK, event.fflags);
  remove_all();
}

/* "NOTE_DELETE: The unlink() system call was called on the file referenced by
 * the descriptor." "NOTE_RENAME: The file referenced by the descriptor was
 * renamed." */
UNIT_TEST(vnode_rename_and_delete) {
  int fd = make_file();
  int kq = watch_vnode(fd, NOTE_DELETE | NOTE_RENAME);
  CHECK_EQ(0, rename("file", "other"));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_RENAME, event.fflags);
  CHECK_EQ(0, unlink("other"));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_DELETE, event.fflags);
  remove_all();
}

/* For a directory NOTE_WRITE says that an entry was added or removed; its own
 * removal is NOTE_DELETE. */
UNIT_TEST(vnode_directory) {
  close(make_file());
  CHECK_EQ(0, mkdir("sub", 0700));
  int fd = open("sub", O_RDONLY | O_DIRECTORY);
  int kq = watch_vnode(fd, NOTE_WRITE | NOTE_DELETE);
  int file = open("sub/x", O_CREAT | O_RDWR, 0600);
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_WRITE, event.fflags);
  CHECK_EQ(1, write(file, "x", 1)); /* not the directory's business */
  CHECK_EQ(0, unlink("sub/x"));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_WRITE, event.fflags);
  CHECK_EQ(0, rmdir("sub"));
  CHECK_EQ(1, fetch(kq));
  CHECK(event.fflags & NOTE_DELETE);
  remove_all();
}

UNIT_TEST(vnode_only_registered_flags) {
  int fd = make_file();
  int kq = watch_vnode(fd, NOTE_RENAME);
  CHECK_EQ(1, pwrite(fd, "x", 1, 0));
  CHECK_EQ(0, fchmod(fd, 0644));
  CHECK_EQ(0, fetch_now(kq));
  CHECK_EQ(0, rename("file", "other"));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_RENAME, event.fflags);
  remove_all();
}

/* filt_vfsvnode() of FreeBSD: "if (kn->kn_sfflags & hint) kn->kn_fflags |=
 * hint", so the flags registered when a change happens count; kern_event.c: to
 * change that later "will not reset any filter which has already been
 * triggered". */
UNIT_TEST(vnode_flags_at_the_time_count) {
  int fd = make_file();
  int kq = watch_vnode(fd, NOTE_RENAME);
  CHECK_EQ(1, pwrite(fd, "x", 1, 0));
  CHECK_EQ(0, change(kq, fd, EVFILT_VNODE, EV_ADD | EV_CLEAR, NOTE_WRITE));
  CHECK_EQ(0, fetch_now(kq));
  CHECK_EQ(1, pwrite(fd, "y", 1, 0));
  CHECK_EQ(0, change(kq, fd, EVFILT_VNODE, EV_ADD | EV_CLEAR, NOTE_RENAME));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_WRITE, event.fflags);
  remove_all();
}

/* The same line: an event comes with all flags that describe it. */
UNIT_TEST(vnode_comes_with_all_flags) {
  int fd = make_file();
  int kq = watch_vnode(fd, NOTE_EXTEND);
  CHECK_EQ(1, pwrite(fd, "x", 1, 100));
  CHECK_EQ(1, fetch(kq));
  CHECK(event.fflags & NOTE_EXTEND);
  if (is_shim)
    CHECK_EQ(NOTE_WRITE | NOTE_EXTEND, event.fflags);
  remove_all();
}

/* "EV_DISABLE: ... The filter itself is not disabled." */
UNIT_TEST(vnode_while_disabled) {
  int fd = make_file();
  int kq = watch_vnode(fd, NOTE_WRITE);
  CHECK_EQ(0, change(kq, fd, EVFILT_VNODE, EV_DISABLE, NOTE_WRITE));
  CHECK_EQ(1, pwrite(fd, "x", 1, 0));
  CHECK_EQ(0, fetch_now(kq));
  CHECK_EQ(0, change(kq, fd, EVFILT_VNODE, EV_ENABLE, NOTE_WRITE));
  CHECK_EQ(1, fetch(kq));
  CHECK_EQ(NOTE_WRITE, event.fflags);
  remove_all();
}

/* "EINVAL: The specified time limit or filter is invalid": a socket has no
 * EVFILT_VNODE. */
UNIT_TEST(vnode_of_a_socket) {
  int fds[2];
  int kq = kqueue();
  CHECK_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  CHECK_EQ(-1, change(kq, fds[0], EVFILT_VNODE, EV_ADD, NOTE_WRITE));
  CHECK_EQ(EINVAL, errno);
}
