/* SPDX-License-Identifier: MIT */
/* P2 (levels), P4 (refusals), P5 (forget), P8 (stale events): what a poller
 * reports about descriptors. */
#include "contract.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static const struct uv__watch_ops* watch_of(const uv_loop_t* loop) {
  return uv__loop_state(loop)->poller->watch;
}

CONTRACT(p2_level_is_reported_again) {
  uv_loop_t loop;
  int fds[2];

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_apply(&loop, fds[0], 0, POLLIN);
  CHECK_EQ(0, contract_wait(&loop, fds[0], 0).count);
  contract_write(fds[1]);
  for (int i = 0; i < 3; i++)
    CHECK_EQ(POLLIN, contract_wait(&loop, fds[0], 1000).bits);
  contract_read(fds[0]);
  CHECK_EQ(0, contract_wait(&loop, fds[0], 0).count);
  contract_close(&loop);
}

/* Also if it was ready before it was watched. */
CONTRACT(p2_level_before_apply) {
  uv_loop_t loop;
  int fds[2];

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_write(fds[1]);
  contract_apply(&loop, fds[0], 0, POLLIN);
  CHECK_EQ(POLLIN, contract_wait(&loop, fds[0], 0).bits);
  contract_close(&loop);
}

CONTRACT(p2_only_what_was_asked_for) {
  uv_loop_t loop;
  int fds[2];

  contract_open(&loop, poller);
  contract_socketpair(fds);
  contract_write(fds[1]); /* fds[0] is readable and writable */
  contract_apply(&loop, fds[0], 0, POLLOUT);
  CHECK_EQ(POLLOUT, contract_wait(&loop, fds[0], 0).bits);
  contract_apply(&loop, fds[0], POLLOUT, POLLIN | POLLOUT);
  CHECK_EQ(POLLIN | POLLOUT, contract_wait(&loop, fds[0], 0).bits);
  contract_apply(&loop, fds[0], POLLIN | POLLOUT, POLLIN);
  CHECK_EQ(POLLIN, contract_wait(&loop, fds[0], 0).bits);
  contract_apply(&loop, fds[0], POLLIN, 0);
  CHECK_EQ(0, contract_wait(&loop, fds[0], 0).count);
  contract_apply(&loop, fds[0], 0, POLLIN);
  CHECK_EQ(POLLIN, contract_wait(&loop, fds[0], 0).bits);
  contract_close(&loop);
}

/* What a poller may report for a pipe at its end: FreeBSD's poll(2) calls it
 * readable as well. */
static unsigned end_bits(const struct uv__poller* poller, int fd) {
  struct pollfd pfd = { .fd = fd, .events = POLLIN };

  CHECK_EQ(1, poll(&pfd, 1, 0));
  CHECK(pfd.revents & POLLHUP);
  return strcmp(poller->name, "poll") == 0 ? (unsigned) pfd.revents : POLLHUP;
}

/* A hangup is reported unasked; the peer's half-close is not. */
CONTRACT(p2_hangup_and_half_close) {
  uv_loop_t loop;
  int fds[2];
  int pair[2];

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_apply(&loop, fds[0], 0, POLLIN);
  contract_write(fds[1]);
  close(fds[1]);
  CHECK_EQ(POLLIN | POLLHUP, contract_wait(&loop, fds[0], 1000).bits);
  contract_read(fds[0]);
  CHECK_EQ(end_bits(poller, fds[0]), contract_wait(&loop, fds[0], 1000).bits);
  watch_of(&loop)->forget(&loop, fds[0]);

  contract_socketpair(pair);
  contract_apply(&loop, pair[0], 0, POLLIN | POLLRDHUP);
  CHECK_EQ(0, shutdown(pair[1], SHUT_WR));
  unsigned bits = contract_wait(&loop, pair[0], 1000).bits;
  CHECK_EQ(POLLIN | POLLRDHUP, bits);
  contract_close(&loop);
}

/* Interest in data is a level; interest only in the peer's half-close is not
 * woken by data. Either may follow the other. (A kqueue filter keeps the
 * EV_CLEAR it was first added with.) */
CONTRACT(p2_half_close_after_data) {
  uv_loop_t loop;
  int pair[2];

  contract_open(&loop, poller);
  contract_socketpair(pair);
  contract_write(pair[1]);
  contract_apply(&loop, pair[0], 0, POLLIN);
  CHECK_EQ(POLLIN, contract_wait(&loop, pair[0], 1000).bits);
  contract_apply(&loop, pair[0], POLLIN, POLLRDHUP);
  uint64_t start = uv_hrtime();
  for (int i = 0; i < 4; i++)
    CHECK_EQ(0, contract_wait(&loop, pair[0], 20).count);
  CHECK(uv_hrtime() - start >= 60000000); /* a helper thread may have to see it
                                           */
  CHECK_EQ(0, shutdown(pair[1], SHUT_WR));
  for (int i = 0; i < 3; i++)
    CHECK_EQ(POLLRDHUP, contract_wait(&loop, pair[0], 1000).bits);
  contract_close(&loop);
}

CONTRACT(p2_data_after_half_close) {
  uv_loop_t loop;
  int pair[2];

  contract_open(&loop, poller);
  contract_socketpair(pair);
  contract_apply(&loop, pair[0], 0, POLLRDHUP);
  contract_write(pair[1]);
  CHECK_EQ(0, contract_wait(&loop, pair[0], 0).count);
  contract_apply(&loop, pair[0], POLLRDHUP, POLLIN);
  for (int i = 0; i < 3; i++)
    CHECK_EQ(POLLIN, contract_wait(&loop, pair[0], 1000).bits);
  contract_close(&loop);
}

/* The same with a number that was closed and reused in between: the kernel has
 * forgotten it. */
CONTRACT(p4_number_reused_with_another_interest) {
  uv_loop_t loop;
  int pair[2];

  contract_open(&loop, poller);
  contract_socketpair(pair);
  int fd = pair[0];
  contract_apply(&loop, fd, 0, POLLRDHUP);
  CHECK_EQ(0, contract_wait(&loop, fd, 0).count);
  watch_of(&loop)->forget(&loop, fd);
  close(pair[0]);
  close(pair[1]);

  contract_socketpair(pair);
  CHECK_EQ(fd, pair[0]);
  contract_write(pair[1]);
  contract_apply(&loop, fd, 0, POLLIN);
  for (int i = 0; i < 2; i++)
    CHECK_EQ(POLLIN, contract_wait(&loop, fd, 1000).bits);
  watch_of(&loop)->forget(&loop, fd);
  CHECK_EQ(0, contract_wait(&loop, fd, 0).count);
  contract_close(&loop);
}

/* A pipe whose reader is gone: an error from apply() is as good as an event.
 * (FreeBSD refuses the filter with EPIPE, and its poll(2) says POLLHUP.) */
CONTRACT(p4_pipe_without_a_reader) {
  uv_loop_t loop;
  int fds[2];

  contract_open(&loop, poller);
  contract_pipe(fds);
  close(fds[0]);
  contract_apply(&loop, fds[1], 0, POLLOUT);
  CHECK(contract_wait(&loop, fds[1], 1000).bits & (POLLERR | POLLHUP));
  contract_close(&loop);
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

static void watch_priority_data(const struct uv__poller* poller) {
  uv_loop_t loop;
  int client;

  contract_open(&loop, poller);
  int peer = connect_tcp(&client);
  contract_apply(&loop, peer, 0, POLLPRI);
  CHECK_EQ(0, contract_wait(&loop, peer, 0).bits);
  CHECK_EQ(1, send(client, "!", 1, MSG_OOB));
  for (int i = 0; i < 3; i++)
    CHECK_EQ(POLLPRI, contract_wait(&loop, peer, 1000).bits);
  /* With other interest, and without. */
  contract_apply(&loop, peer, POLLPRI, POLLPRI | POLLOUT);
  unsigned bits = 0;
  uint64_t end = uv_hrtime() + 5000000000u; /* a thread may have to see it */
  while (bits != (POLLPRI | POLLOUT) && uv_hrtime() < end)
    bits |= contract_wait(&loop, peer, 10).bits;
  CHECK_EQ(POLLPRI | POLLOUT, bits);
  contract_apply(&loop, peer, POLLPRI | POLLOUT, POLLOUT);
  CHECK_EQ(POLLOUT, contract_wait(&loop, peer, 1000).bits);
  watch_of(&loop)->forget(&loop, peer);
  CHECK_EQ(0, contract_wait(&loop, peer, 20).bits);
  contract_close(&loop);
}

CONTRACT(p2_priority_data) {
  watch_priority_data(poller);
}

/* FreeBSD and NetBSD: then poller/select-thread.c watches it. */
CONTRACT(p2_priority_data_without_a_filter) {
  CHECK_EQ(0, setenv("KQUEUE_SHIM_NO_EXCEPT", "1", 1));
  watch_priority_data(poller);
}

CONTRACT(p2_priority_data_on_macos) {
  CHECK_EQ(0, setenv("KQUEUE_SHIM_SYSTEM", "macos", 1));
  watch_priority_data(poller);
}

/* Nothing is reported, and without spinning. select() has to look now and
 * then. */
static void expect_silence(uv_loop_t* loop, int fd) {
  uint64_t end = uv_hrtime() + 100 * 1000000;
  int waits = 0;

  for (; uv_hrtime() < end; waits++)
    CHECK_EQ(0, contract_wait(loop, fd, 100).bits);
  CHECK(waits <= 10);
}

static unsigned await_bits(uv_loop_t* loop, int fd) {
  uint64_t end = uv_hrtime() + 5000000000u; /* a thread may have to see it */
  unsigned bits = 0;

  while (bits == 0 && uv_hrtime() < end)
    bits = contract_wait(loop, fd, 1000).bits;
  return bits;
}

/* The other pollers report what the system says. */
static void need_silence(const struct uv__poller* poller, int fd) {
  struct pollfd pfd = { .fd = fd, .events = POLLPRI };

  CHECK(poll(&pfd, 1, 0) >= 0);
  if (pfd.revents != 0 && strcmp(poller->name, "kqueue") != 0)
    SKIP("poll(2) reports urgent data until all before it is read, too");
}

/* The byte was read, and what came before it was not: the kernels of the BSDs
 * and macOS call that exceptional, but there is no more to be had. */
static void read_urgent_first(const struct uv__poller* poller) {
  uv_loop_t loop;
  char bytes[4];
  int client;

  contract_open(&loop, poller);
  int peer = connect_tcp(&client);
  contract_apply(&loop, peer, 0, POLLPRI);
  CHECK_EQ(2, send(client, "ab", 2, 0));
  CHECK_EQ(1, send(client, "!", 1, MSG_OOB));
  for (int i = 0; i < 3; i++)
    CHECK_EQ(POLLPRI, await_bits(&loop, peer));
  CHECK_EQ(1, recv(peer, bytes, sizeof(bytes), MSG_OOB));
  need_silence(poller, peer);
  expect_silence(&loop, peer);
  CHECK_EQ(1, send(client, "c", 1, 0));
  expect_silence(&loop, peer);
  /* The next one is reported, before the first mark is passed. */
  CHECK_EQ(1, send(client, "?", 1, MSG_OOB));
  CHECK_EQ(POLLPRI, await_bits(&loop, peer));
  contract_close(&loop);
}

CONTRACT(p2_priority_data_read_first) {
  read_urgent_first(poller);
}

CONTRACT(p2_priority_data_read_first_on_freebsd) {
  CHECK_EQ(0, setenv("KQUEUE_SHIM_SYSTEM", "freebsd", 1));
  read_urgent_first(poller);
}

CONTRACT(p2_priority_data_read_first_on_macos) {
  CHECK_EQ(0, setenv("KQUEUE_SHIM_SYSTEM", "macos", 1));
  read_urgent_first(poller);
}

/* With SO_OOBINLINE the urgent byte is among the others: there is one until it
 * was read there. */
CONTRACT(p2_priority_data_inline) {
  uv_loop_t loop;
  char bytes[4];
  int client;
  int on = 1;

  contract_open(&loop, poller);
  int peer = connect_tcp(&client);
  CHECK_EQ(0, setsockopt(peer, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on)));
  contract_apply(&loop, peer, 0, POLLPRI);
  CHECK_EQ(2, send(client, "ab", 2, 0));
  CHECK_EQ(1, send(client, "!", 1, MSG_OOB));
  for (int i = 0; i < 3; i++)
    CHECK_EQ(POLLPRI, await_bits(&loop, peer));
  CHECK_EQ(2, recv(peer, bytes, sizeof(bytes), 0));
  CHECK_EQ(1, recv(peer, bytes, sizeof(bytes), 0));
  CHECK_EQ('!', bytes[0]);
  contract_close(&loop);
}

/* Interest in nothing else: data that nobody reads and the end of it do not
 * wake the loop again and again. macOS' filter reports them, too. */
CONTRACT(p2_priority_data_beside_other_data) {
  uv_loop_t loop;
  char bytes[4];
  int client;

  CHECK_EQ(0, setenv("KQUEUE_SHIM_SYSTEM", "macos", 1));
  contract_open(&loop, poller);
  int peer = connect_tcp(&client);
  contract_apply(&loop, peer, 0, POLLPRI);
  CHECK_EQ(0, contract_wait(&loop, peer, 0).bits);
  CHECK_EQ(1, send(client, "x", 1, 0));
  expect_silence(&loop, peer);
  CHECK_EQ(1, send(client, "!", 1, MSG_OOB));
  for (int i = 0; i < 3; i++)
    CHECK_EQ(POLLPRI, contract_wait(&loop, peer, 1000).bits);
  CHECK_EQ(1, recv(peer, bytes, sizeof(bytes), MSG_OOB));
  expect_silence(&loop, peer);
  CHECK_EQ(1, send(client, "y", 1, 0));
  expect_silence(&loop, peer);
  close(client);
  expect_silence(&loop, peer);
  contract_close(&loop);
}

/* A connection that is reset is reported to them, too, again and again. */
CONTRACT(p2_reset_beside_priority_data) {
  struct linger at_once = { 1, 0 };
  uv_loop_t loop;
  int client;

  CHECK_EQ(0, setenv("KQUEUE_SHIM_SYSTEM", "macos", 1));
  contract_open(&loop, poller);
  int peer = connect_tcp(&client);
  contract_apply(&loop, peer, 0, POLLPRI);
  CHECK_EQ(0, contract_wait(&loop, peer, 0).bits);
  CHECK_EQ(
      0, setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)));
  close(client);
  for (int i = 0; i < 3; i++) {
    unsigned bits = contract_wait(&loop, peer, 1000).bits;
    CHECK(bits & POLLHUP);
    CHECK_EQ(0, bits & ~(unsigned) (POLLHUP | POLLERR));
  }
  contract_close(&loop);
}

/* A socket's error wakes its watcher; the next call returns it. (kqueue reports
 * it in fflags, with EV_EOF.) */
CONTRACT(p2_error_of_a_socket) {
  uv_loop_t loop;
  struct sockaddr_storage addr;
  socklen_t len = sizeof(addr);
  const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
  char byte;

  contract_open(&loop, poller);
  int server = socket(AF_INET, SOCK_STREAM, 0);
  int client = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(server >= 0 && client >= 0);
  CHECK_EQ(0, listen(server, 1));
  CHECK_EQ(0, getsockname(server, (struct sockaddr*) &addr, &len));
  CHECK_EQ(0, connect(client, (struct sockaddr*) &addr, len));
  int peer = accept(server, NULL, NULL);
  CHECK(peer >= 0);
  close(server); /* and its port answers no more */

  contract_apply(&loop, client, 0, POLLIN);
  CHECK_EQ(0, contract_wait(&loop, client, 0).bits);
  CHECK_EQ(0,
           setsockopt(peer, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)));
  close(peer); /* a reset */
  CHECK(contract_wait(&loop, client, 1000).bits & (POLLIN | POLLERR));
  CHECK_EQ(-1, recv(client, &byte, 1, MSG_DONTWAIT));
  CHECK_EQ(ECONNRESET, errno);
  watch_of(&loop)->forget(&loop, client); /* at end of file, always ready */

  int refused = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(refused >= 0);
  CHECK_EQ(0, fcntl(refused, F_SETFL, O_NONBLOCK));
  int r = connect(refused, (struct sockaddr*) &addr, len);
  CHECK(r == -1 && (errno == EINPROGRESS || errno == ECONNREFUSED));
  if (errno == EINPROGRESS) {
    int err = 0;
    len = sizeof(err);
    contract_apply(&loop, refused, 0, POLLOUT);
    CHECK(contract_wait(&loop, refused, 1000).bits & (POLLOUT | POLLERR));
    CHECK_EQ(0, getsockopt(refused, SOL_SOCKET, SO_ERROR, &err, &len));
    CHECK_EQ(ECONNREFUSED, err);
  }
  contract_close(&loop);
}

/* A terminal in raw mode; fds[0] is what programs read. */
static void open_terminal(int fds[2]) {
  struct termios termios;

  fds[1] = posix_openpt(O_RDWR | O_NOCTTY);
  CHECK(fds[1] >= 0);
  CHECK_EQ(0, grantpt(fds[1]));
  CHECK_EQ(0, unlockpt(fds[1]));
  fds[0] = open(ptsname(fds[1]), O_RDWR | O_NOCTTY | O_NONBLOCK);
  CHECK(fds[0] >= 0);
  CHECK_EQ(0, tcgetattr(fds[0], &termios));
  termios.c_lflag &= ~(tcflag_t) (ECHO | ICANON);
  CHECK_EQ(0, tcsetattr(fds[0], TCSANOW, &termios));
}

static void watch_terminal(const struct uv__poller* poller) {
  uv_loop_t loop;
  int fds[2];

  contract_open(&loop, poller);
  open_terminal(fds);
  CHECK_EQ(0, watch_of(&loop)->probe(&loop, fds[0]));
  contract_apply(&loop, fds[0], 0, POLLIN);
  CHECK_EQ(0, contract_wait(&loop, fds[0], 0).bits);
  contract_write(fds[1]);
  for (int i = 0; i < 3; i++)
    CHECK_EQ(POLLIN, contract_wait(&loop, fds[0], 1000).bits);
  contract_apply(&loop, fds[0], POLLIN, POLLIN | POLLOUT);
  CHECK_EQ(POLLIN | POLLOUT, contract_wait(&loop, fds[0], 1000).bits);
  contract_apply(&loop, fds[0], POLLIN | POLLOUT, POLLIN);
  contract_read(fds[0]);
  /* What a helper thread saw before the read may still be reported, once (P8).
   */
  if (contract_wait(&loop, fds[0], 20).bits != 0)
    CHECK_EQ(0, contract_wait(&loop, fds[0], 20).bits);
  contract_write(fds[1]);
  CHECK_EQ(POLLIN, contract_wait(&loop, fds[0], 1000).bits);
  watch_of(&loop)->forget(&loop, fds[0]);
  CHECK_EQ(0, contract_wait(&loop, fds[0], 20).bits);
  contract_close(&loop);
}

CONTRACT(p2_terminal) {
  watch_terminal(poller);
}

/* As macOS' kqueue may: then poller/select-thread.c watches it. */
CONTRACT(p2_terminal_refused_by_the_kernel) {
  CHECK_EQ(0, setenv("KQUEUE_SHIM_REFUSE_DEVICES", "1", 1));
  watch_terminal(poller);
}

/* A child of fork() takes a terminal out before it reopens the poller. The
 * thread that select-thread.c has in the parent, which may have held the lock,
 * does not exist in the child. */
CONTRACT(p7_child_forgets_a_terminal) {
  enum { FORKS = 100, LIMIT_SECONDS = 10 };
  uv_loop_t loop;
  int status;
  int fds[2];

  CHECK_EQ(0, setenv("KQUEUE_SHIM_REFUSE_DEVICES", "1", 1));
  contract_open(&loop, poller);
  open_terminal(fds);
  contract_apply(&loop, fds[0], 0, POLLOUT);
  for (int i = 0; i < FORKS; i++) {
    (void) contract_wait(&loop, fds[0], 0); /* has the thread look again */
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
      alarm(LIMIT_SECONDS);
      watch_of(&loop)->forget(&loop, fds[0]);
      CHECK_EQ(0, poller->reopen(&loop));
      CHECK_EQ(0, contract_wait(&loop, fds[0], 0).bits);
      contract_apply(&loop, fds[0], 0, POLLOUT);
      CHECK_EQ(POLLOUT, contract_wait(&loop, fds[0], 5000).bits);
      contract_close(&loop);
      _exit(0);
    }
    CHECK_EQ(pid, waitpid(pid, &status, 0));
    CHECK_EQ(0, status);
  }
  contract_close(&loop);
}

/* The child closes a loop that it did not reopen: without waiting for a thread
 * that it does not have, and without closing what has the number of the
 * parent's queue there. */
CONTRACT(p7_child_closes_with_a_terminal) {
  uv_loop_t loop;
  int status;
  int fds[2];

  CHECK_EQ(0, setenv("KQUEUE_SHIM_REFUSE_DEVICES", "1", 1));
  contract_open(&loop, poller);
  open_terminal(fds);
  contract_apply(&loop, fds[0], 0, POLLOUT);
  CHECK_EQ(POLLOUT, contract_wait(&loop, fds[0], 5000).bits);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    int own[2];
    alarm(10);
    CHECK_EQ(0, pipe(own));
    contract_close(&loop);
    contract_write(own[1]);
    contract_read(own[0]);
    _exit(0);
  }
  CHECK_EQ(pid, waitpid(pid, &status, 0));
  CHECK_EQ(0, status);
  CHECK_EQ(POLLOUT, contract_wait(&loop, fds[0], 5000).bits);
  contract_close(&loop);
}

/* More ready descriptors than room: all of them in turn, none starves. */
CONTRACT(p2_more_ready_than_room) {
  enum { PIPES = 20, ROOM = 3 };
  uv_loop_t loop;
  int fds[PIPES][2];
  int seen[PIPES] = { 0 };
  struct uv__event events[ROOM];

  contract_open(&loop, poller);
  for (int i = 0; i < PIPES; i++) {
    contract_pipe(fds[i]);
    contract_write(fds[i][1]);
    contract_apply(&loop, fds[i][0], 0, POLLIN);
  }
  for (int round = 0; round < 4 * PIPES; round++) {
    int n = poller->wait(&loop, events, ROOM, 0);
    CHECK_EQ(ROOM, n);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < PIPES; i++)
        seen[i] += (int) events[k].key == fds[i][0];
  }
  for (int i = 0; i < PIPES; i++)
    CHECK(seen[i] >= 2);
  contract_close(&loop);
}

/* Descriptors of any number, added and removed in any order. */
CONTRACT(p2_many_descriptors_in_any_order) {
  enum { FDS = 300 };
  uv_loop_t loop;
  int fds[FDS];
  int index[1024];
  int in[FDS] = { 0 };
  int pipe_fds[2];
  uint32_t seed = 3;

  contract_open(&loop, poller);
  contract_pipe(pipe_fds);
  contract_write(pipe_fds[1]);
  for (int i = 0; i < FDS; i++) {
    fds[i] = dup(pipe_fds[0]);
    CHECK(fds[i] >= 0 && fds[i] < 1024);
    index[fds[i]] = i;
  }

  struct uv__event events[FDS];
  for (int step = 0; step < 3000; step++) {
    seed = seed * 1664525 + 1013904223;
    int i = (int) ((seed >> 9) % FDS);
    contract_apply(&loop, fds[i], in[i] ? POLLIN : 0, in[i] ? 0 : POLLIN);
    in[i] = !in[i];
    if (step % 50 != 0)
      continue;
    int want = 0;
    for (int k = 0; k < FDS; k++)
      want += in[k];
    int n = poller->wait(&loop, events, FDS, 0);
    CHECK_EQ(want, n);
    for (int k = 0; k < n; k++)
      CHECK_EQ(1, in[index[events[k].key]]);
  }
  contract_close(&loop);
}

/* The exit is reported once, and after the output in the same batch. */
CONTRACT(p2_end_of_a_child) {
  uv_loop_t loop;
  struct uv__event events[4];
  siginfo_t info;
  int fds[2];

  contract_open(&loop, poller);
  if (watch_of(&loop)->watch_child == NULL) {
    CHECK(strcmp(poller->name, "kqueue") != 0);
    contract_close(&loop);
    return;
  }
  contract_pipe(fds);
  contract_apply(&loop, fds[0], 0, POLLIN);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    contract_write(fds[1]);
    _exit(0);
  }
  CHECK_EQ(0, watch_of(&loop)->watch_child(&loop, pid));
  CHECK_EQ(0, poller->is_empty(&loop));
  CHECK_EQ(0, waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT));
  CHECK_EQ(2, poller->wait(&loop, events, 4, 1000));
  CHECK_EQ(UV__EVENT_IO, events[0].kind);
  CHECK_EQ(UV__EVENT_CHILD, events[1].kind);
  CHECK_EQ(pid, events[1].key);
  CHECK_EQ(1, poller->wait(&loop, events, 4, 0)); /* the pipe alone */
  CHECK_EQ(UV__EVENT_IO, events[0].kind);
  CHECK_EQ(pid, waitpid(pid, NULL, 0));
  CHECK_EQ(UV_ESRCH, watch_of(&loop)->watch_child(&loop, pid));
  contract_close(&loop);
}

/* P4: a descriptor that cannot be watched is refused, without other effects. */
CONTRACT(p4_regular_file_is_refused) {
  uv_loop_t loop;
  char path[] = "/tmp/uv-contract-XXXXXX";

  contract_open(&loop, poller);
  int fd = mkstemp(path);
  CHECK(fd >= 0);
  CHECK_EQ(0, unlink(path));
  CHECK_EQ(UV_EPERM, watch_of(&loop)->probe(&loop, fd));
  CHECK_EQ(UV_EPERM, watch_of(&loop)->apply(&loop, fd, 0, POLLIN));
  CHECK_EQ(0, contract_wait(&loop, fd, 0).count);

  int dir = open("/", O_RDONLY | O_DIRECTORY);
  CHECK(dir >= 0);
  CHECK_EQ(UV_EPERM, watch_of(&loop)->probe(&loop, dir));
  CHECK_EQ(UV_EPERM, watch_of(&loop)->apply(&loop, dir, 0, POLLIN));
  contract_close(&loop);
}

CONTRACT(p4_closed_descriptor_is_refused) {
  uv_loop_t loop;

  contract_open(&loop, poller);
  int fd = dup(0);
  close(fd);
  CHECK_EQ(UV_EBADF, watch_of(&loop)->probe(&loop, fd));
  CHECK_EQ(UV_EBADF, watch_of(&loop)->apply(&loop, fd, 0, POLLIN));
  CHECK_EQ(0, contract_wait(&loop, fd, 0).count);
  /* Removing an unknown descriptor is not an error. */
  CHECK_EQ(0, watch_of(&loop)->apply(&loop, fd, POLLIN, 0));
  watch_of(&loop)->forget(&loop, fd);
  contract_close(&loop);
}

/* Probing changes nothing, whether it is watched or not. */
CONTRACT(p4_probe_changes_nothing) {
  uv_loop_t loop;
  int fds[2];

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_write(fds[1]);
  CHECK_EQ(0, watch_of(&loop)->probe(&loop, fds[0]));
  CHECK_EQ(0, contract_wait(&loop, fds[0], 0).count);
  contract_apply(&loop, fds[0], 0, POLLIN);
  CHECK_EQ(0, watch_of(&loop)->probe(&loop, fds[0]));
  CHECK_EQ(POLLIN, contract_wait(&loop, fds[0], 0).bits);
  contract_close(&loop);
}

/* Closed behind the poller's back: an error for that fd or nothing; never an
 * abort or a failing wait, and the others are still reported. */
CONTRACT(p4_descriptor_closed_while_watched) {
  uv_loop_t loop;
  int dead[2];
  int live[2];

  contract_open(&loop, poller);
  contract_pipe(dead);
  contract_pipe(live);
  contract_apply(&loop, dead[0], 0, POLLIN);
  contract_apply(&loop, live[0], 0, POLLIN);
  contract_write(live[1]);
  close(dead[0]);
  close(dead[1]);

  CHECK_EQ(POLLIN, contract_wait(&loop, live[0], 0).bits);
  unsigned bits = contract_wait(&loop, dead[0], 0).bits;
  CHECK(bits == 0 || (bits & POLLERR));
  /* It can still be changed or removed. */
  CHECK_EQ(UV_EBADF, watch_of(&loop)->probe(&loop, dead[0]));
  watch_of(&loop)->forget(&loop, dead[0]);
  CHECK_EQ(0, contract_wait(&loop, dead[0], 0).bits);
  contract_close(&loop);
}

/* The number belongs to another file by now: apply with either `have` leaves
 * the right interest. */
CONTRACT(p4_number_reused_behind_its_back) {
  for (unsigned have = 0; have <= POLLIN; have += POLLIN) {
    uv_loop_t loop;
    int fds[2];
    int next[2];

    contract_open(&loop, poller);
    contract_pipe(fds);
    contract_apply(&loop, fds[0], 0, POLLIN);
    contract_pipe(next);
    CHECK_EQ(fds[0], dup2(next[0], fds[0]));
    contract_apply(&loop, fds[0], have, POLLIN);
    CHECK_EQ(0, contract_wait(&loop, fds[0], 0).bits);
    contract_write(next[1]);
    CHECK_EQ(POLLIN, contract_wait(&loop, fds[0], 1000).bits);
    watch_of(&loop)->forget(&loop, fds[0]);
    CHECK_EQ(0, contract_wait(&loop, fds[0], 0).bits);
    contract_close(&loop);
  }
}

/* Applied again with the same mask: the poller looks at the new file. */
CONTRACT(p4_registering_again_looks_at_the_descriptor) {
  uv_loop_t loop;
  int fds[2];
  int next[2];

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_apply(&loop, fds[0], 0, POLLIN | POLLRDHUP);
  contract_socketpair(next);
  CHECK_EQ(fds[0], dup2(next[0], fds[0]));
  contract_apply(&loop, fds[0], POLLIN | POLLRDHUP, POLLIN | POLLRDHUP);
  CHECK_EQ(0, shutdown(next[1], SHUT_WR));
  CHECK_EQ(POLLIN | POLLRDHUP, contract_wait(&loop, fds[0], 1000).bits);

  int dir = open("/", O_RDONLY | O_DIRECTORY);
  CHECK_EQ(fds[0], dup2(dir, fds[0]));
  CHECK_EQ(UV_EPERM, watch_of(&loop)->apply(&loop, fds[0], POLLIN, POLLIN));
  watch_of(&loop)->forget(&loop, fds[0]);
  contract_close(&loop);
}

CONTRACT(p5_nothing_after_forget) {
  uv_loop_t loop;
  int fds[2];

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_write(fds[1]);
  contract_apply(&loop, fds[0], 0, POLLIN);
  watch_of(&loop)->forget(&loop, fds[0]);
  CHECK_EQ(0, contract_wait(&loop, fds[0], 0).count);
  watch_of(&loop)->forget(&loop, fds[0]); /* twice is harmless */
  contract_apply(&loop, fds[0], 0, POLLIN);
  CHECK_EQ(POLLIN, contract_wait(&loop, fds[0], 0).bits);
  contract_close(&loop);
}

/* A duplicate keeps the file open: still nothing is reported. */
CONTRACT(p5_forget_with_a_duplicate_open) {
  uv_loop_t loop;
  int fds[2];

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_apply(&loop, fds[0], 0, POLLIN);
  int copy = dup(fds[0]);
  CHECK(copy >= 0);
  watch_of(&loop)->forget(&loop, fds[0]);
  close(fds[0]);
  contract_write(fds[1]);
  CHECK_EQ(0, contract_wait(&loop, fds[0], 20).count);
  contract_close(&loop);
}

/* P8: forgotten, closed, and the number reused by a file that is ready: nothing
 * is reported until apply. */
CONTRACT(p8_reused_number_is_silent_until_applied) {
  uv_loop_t loop;
  int fds[2];
  int next[2];

  contract_open(&loop, poller);
  contract_pipe(fds);
  contract_pipe(next);
  contract_write(next[1]);
  contract_apply(&loop, fds[0], 0, POLLIN);
  watch_of(&loop)->forget(&loop, fds[0]);
  CHECK_EQ(fds[0], dup2(next[0], fds[0]));
  CHECK_EQ(0, contract_wait(&loop, fds[0], 0).count);
  contract_apply(&loop, fds[0], 0, POLLIN);
  CHECK_EQ(POLLIN, contract_wait(&loop, fds[0], 0).bits);
  contract_close(&loop);
}
