/* SPDX-License-Identifier: MIT */
/* Calls of the C library that differ from Linux, as they were seen on FreeBSD
 * 14.1. On a system itself these tests check that system. */
#include "unit/unit.h"

#include <sys/types.h>
#include <sys/event.h>
#include <sys/time.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef KQUEUE_SHIM_SYS_EVENT_H_
static const int is_shim = 1;
#else
static const int is_shim = 0;
#endif

static void act_as(const char* system) {
  CHECK_EQ(0, setenv("KQUEUE_SHIM_SYSTEM", system, 1));
}

/* A connection over TCP: what was accepted, and the other end in *client. */
static int connect_tcp(int* client) {
  struct sockaddr_storage addr;
  socklen_t len = sizeof(addr);
  int server = socket(AF_INET, SOCK_STREAM, 0);

  *client = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(server >= 0 && *client >= 0);
  CHECK_EQ(0, listen(server, 1)); /* binds to any free port */
  CHECK_EQ(0, getsockname(server, (struct sockaddr*) &addr, &len));
  CHECK_EQ(0, connect(*client, (struct sockaddr*) &addr, len));
  int peer = accept(server, NULL, NULL);
  CHECK(peer >= 0);
  return peer;
}

/* Does select() find an exceptional condition within the time? */
static int is_exceptional(int fd, int ms) {
  struct timeval timeout = { 0, ms * 1000 };
  fd_set set;

  FD_ZERO(&set);
  FD_SET(fd, &set);
  return select(fd + 1, NULL, NULL, &set, &timeout) == 1;
}

/* Data, an urgent byte, data; the byte is taken first. */
static int take_urgent(int* client) {
  int peer = connect_tcp(client);
  char byte = 0;

  CHECK_EQ(2, send(*client, "ab", 2, 0));
  CHECK_EQ(1, send(*client, "!", 1, MSG_OOB));
  CHECK_EQ(1, send(*client, "c", 1, 0));
  CHECK(is_exceptional(peer, 900));
  CHECK_EQ(1, recv(peer, &byte, 1, MSG_OOB));
  CHECK_EQ('!', byte);
  CHECK_EQ(-1, recv(peer, &byte, 1, MSG_OOB | MSG_PEEK));
  CHECK_EQ(EINVAL, errno);
  return peer;
}

/* Until everything before the urgent byte is read and one byte more, although
 * the urgent byte itself was read. */
UNIT_TEST(system_urgent_data_stays_until_the_mark) {
  char byte;
  int client;

  act_as("freebsd");
  int peer = take_urgent(&client);
  for (int i = 0; i < 2; i++) {
    CHECK(is_exceptional(peer, 0));
    CHECK_EQ(1, recv(peer, &byte, 1, 0));
    CHECK_EQ("ab"[i], byte);
  }
  CHECK(is_exceptional(peer, 0)); /* at the mark */
  CHECK_EQ(1, recv(peer, &byte, 1, 0));
  CHECK_EQ('c', byte);
  CHECK(!is_exceptional(peer, 20));
}

UNIT_TEST(system_except_stays_until_the_mark) {
#if defined(EVFILT_EXCEPT) && defined(NOTE_OOB)
  struct timespec at_once = { 0, 0 };
  struct kevent kev;
  char byte;
  int client;

  act_as("macos");
  int peer = take_urgent(&client);
  int kq = kqueue();
  EV_SET(&kev, peer, EVFILT_EXCEPT, EV_ADD, NOTE_OOB, 0, NULL);
  CHECK_EQ(1, kevent(kq, &kev, 1, &kev, 1, &at_once));
  CHECK_EQ(NOTE_OOB, kev.fflags);
  CHECK_EQ(2, recv(peer, (char[2]) { 0 }, 2, 0));
  CHECK_EQ(1, recv(peer, &byte, 1, 0));
  CHECK_EQ('c', byte);
  EV_SET(&kev, peer, EVFILT_EXCEPT, EV_DELETE, NOTE_OOB, 0, NULL);
  CHECK_EQ(0, kevent(kq, &kev, 1, NULL, 0, NULL));
  EV_SET(&kev, peer, EVFILT_EXCEPT, EV_ADD, NOTE_OOB, 0, NULL);
  CHECK_EQ(0, kevent(kq, &kev, 1, &kev, 1, &at_once));
#else
  SKIP("this system has no EVFILT_EXCEPT");
#endif
}

/* A pipe as on FreeBSD; a kernel may have another kind. */
static void open_pipe(int fds[2]) {
  act_as("freebsd");
  CHECK_EQ(0, pipe(fds));
  if (!is_shim && (fcntl(fds[0], F_GETFL) & O_ACCMODE) != O_RDWR)
    SKIP("pipes have a direction here");
}

UNIT_TEST(system_pipes_are_open_both_ways) {
  int fds[2];

  open_pipe(fds);
  for (int i = 0; i < 2; i++)
    CHECK_EQ(O_RDWR, fcntl(fds[i], F_GETFL) & O_ACCMODE);
}

static volatile sig_atomic_t signals;

static void on_limit(int signum) {
  (void) signum;
  signals++;
}

static void* write_beyond(void* arg) {
  int fd = *(int*) arg;
  sigset_t set;

  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  CHECK_EQ(0, pthread_sigmask(SIG_BLOCK, &set, NULL));
  CHECK_EQ(1, write(fd, "x", 1));
  CHECK_EQ(-1, write(fd, "x", 1));
  CHECK_EQ(EFBIG, errno);
  return NULL;
}

/* The thread that writes blocks the signal; another one gets it. */
UNIT_TEST(system_limit_of_files_signals_the_process) {
  struct rlimit limit;
  char path[] = "/tmp/uv-shim-XXXXXX";
  pthread_t thread;

  act_as("freebsd");
  CHECK_EQ(0, getrlimit(RLIMIT_FSIZE, &limit));
  limit.rlim_cur = 1;
  CHECK_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
  CHECK(signal(SIGXFSZ, on_limit) != SIG_ERR);
  int fd = mkstemp(path);
  CHECK(fd >= 0);
  CHECK_EQ(0, pthread_create(&thread, NULL, write_beyond, &fd));
  CHECK_EQ(0, pthread_join(thread, NULL));
  CHECK_EQ(1, signals);
  CHECK_EQ(0, close(fd));
  CHECK_EQ(0, unlink(path));
}

/* 42,080 bytes: most of twenty datagrams of 8,000 bytes are lost. */
UNIT_TEST(system_receivers_have_little_room) {
  static char datagram[8000];
  struct sockaddr_storage addr;
  socklen_t len = sizeof(addr);
  socklen_t size = sizeof(int);
  int space = 0;
  int count = 0;

  act_as("freebsd");
  int receiver = socket(AF_INET, SOCK_DGRAM, 0);
  int sender = socket(AF_INET, SOCK_DGRAM, 0);
  memset(&addr, 0, sizeof(addr));
  ((struct sockaddr_in*) &addr)->sin_family = AF_INET;
  ((struct sockaddr_in*) &addr)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQ(
      0, bind(receiver, (struct sockaddr*) &addr, sizeof(struct sockaddr_in)));
  CHECK_EQ(0, getsockname(receiver, (struct sockaddr*) &addr, &len));
  CHECK_EQ(0, getsockopt(receiver, SOL_SOCKET, SO_RCVBUF, &space, &size));
  CHECK_EQ(42080, space);
  for (int i = 0; i < 20; i++)
    CHECK_EQ(sizeof(datagram), sendto(sender, datagram, sizeof(datagram), 0,
                                      (struct sockaddr*) &addr, len));
  while (recv(receiver, datagram, sizeof(datagram), MSG_DONTWAIT) > 0)
    count++;
  CHECK(count >= 4);
  CHECK(count < 20);
}

/* Whoever asks for data or for room gets both, at either end. */
UNIT_TEST(system_poll_of_a_pipe_that_is_hung_up) {
  for (int end = 0; end < 2; end++) {
    struct pollfd pfd = { .events = POLLIN | POLLOUT };
    int fds[2];

    open_pipe(fds);
    CHECK_EQ(0, close(fds[1 - end]));
    pfd.fd = fds[end];
    CHECK_EQ(1, poll(&pfd, 1, 0));
    CHECK_EQ(POLLHUP | POLLIN | POLLOUT, pfd.revents);
  }
}
