/* SPDX-License-Identifier: MIT */
/* The other side of a connection, on bare system calls, in a process of its
 * own: what it costs is the same for every library and is not counted.
 *
 *   echo     COUNT connections, OPS messages of 64 bytes sent and awaited, one
 *            in flight per connection
 *   idle     COUNT connections; OPS times one of them, at random, is used
 *   sink     one connection, read to the end
 *   source   one connection, OPS chunks of 64 KiB
 *   connect  OPS connections, one after the other, each read to its end
 *   udp      OPS datagrams of 64 bytes, COUNT at a time, each awaited
 */
#include "peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sched.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGE 64
#define CHUNK (64 * 1024)
#define EVENTS_MAX 256
#define TRAIN_MAX 64 /* the kernel's limit for one call */

extern char** environ;

const char* peer_program;
static pid_t peer_pid;

static void keep_to(pid_t pid, int processor) {
  cpu_set_t set;

  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  CHECK(sched_setaffinity(pid, sizeof(set), &set) == 0);
}

/* The two sides of these never work at the same time. */
static int takes_turns(const char* task, const struct run* run) {
  return run->size == 1 && !(run->kind & PEER_APART) &&
         (strcmp(task, "echo") == 0 || strcmp(task, "udp") == 0 ||
          strcmp(task, "connect") == 0);
}

static void seat_both(const char* task, const struct run* run) {
  cpu_set_t allowed;
  int first = -1;
  int last = -1;

  CHECK(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &allowed)) {
      first = first < 0 ? i : first;
      last = i;
    }
  keep_to(0, last);
  keep_to(peer_pid, takes_turns(task, run) ? last : first);
}

void peer_start(const char* task, const struct run* run, struct place place) {
  char family[16];
  char port[16];
  char connections[16];
  char operations[32];
  char* argv[] = { (char*) peer_program, "--peer",   (char*) task, family, port,
                   connections,          operations, NULL };

  snprintf(family, sizeof(family), "%d", place.family);
  snprintf(port, sizeof(port), "%d", place.port);
  snprintf(connections, sizeof(connections), "%u", run->size);
  snprintf(operations, sizeof(operations), "%llu",
           (unsigned long long) run->ops);
  CHECK(posix_spawn(&peer_pid, peer_program, NULL, NULL, argv, environ) == 0);
  seat_both(task, run);
}

void peer_wait(void) {
  int status;
  CHECK(waitpid(peer_pid, &status, 0) == peer_pid);
  CHECK(status == 0);
}

static int connect_to(struct place place) {
  struct sockaddr_storage address;
  socklen_t len = place_address(place, &address);
  int one = 1;
  int fd = socket(place.family, SOCK_STREAM | SOCK_CLOEXEC, 0);

  CHECK(fd >= 0);
  while (connect(fd, (struct sockaddr*) &address, len) != 0) {
    CHECK(errno == EAGAIN || errno == EINTR); /* a unix backlog is full */
    usleep(100);
  }
  if (place.family == AF_INET)
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  return fd;
}

static void send_message(int fd) {
  static const char message[MESSAGE];
  CHECK(send(fd, message, MESSAGE, MSG_NOSIGNAL) == MESSAGE);
}

/* Small messages on loopback arrive in one piece or, rarely, two. */
static void receive_message(int fd) {
  char buffer[MESSAGE];
  size_t got = 0;

  while (got < MESSAGE) {
    ssize_t n = recv(fd, buffer, MESSAGE - got, 0);
    CHECK(n > 0);
    got += (size_t) n;
  }
}

static void close_all(int* fds, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    close(fds[i]);
  free(fds);
}

static int* connect_all(struct place place, unsigned count) {
  int* fds = bench_alloc(count, sizeof(*fds));

  bench_raise_fd_limit();
  for (unsigned i = 0; i < count; i++)
    fds[i] = connect_to(place);
  return fds;
}

static void echo_one(int fd, uint64_t ops) {
  for (uint64_t i = 0; i < ops; i++) {
    send_message(fd);
    receive_message(fd);
  }
}

static void echo_many(const int* fds, unsigned count, uint64_t ops) {
  struct epoll_event events[EVENTS_MAX];
  uint64_t sent = 0;
  uint64_t received = 0;
  int ep = epoll_create1(EPOLL_CLOEXEC);

  CHECK(ep >= 0);
  for (unsigned i = 0; i < count; i++) {
    struct epoll_event event = { .events = EPOLLIN, .data.fd = fds[i] };
    CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &event) == 0);
  }
  for (unsigned i = 0; i < count && sent < ops; i++, sent++)
    send_message(fds[i]);

  while (received < ops) {
    int n = epoll_wait(ep, events, EVENTS_MAX, -1);
    CHECK(n > 0 || errno == EINTR);
    for (int i = 0; i < n; i++) {
      receive_message(events[i].data.fd);
      received++;
      if (sent < ops) {
        send_message(events[i].data.fd);
        sent++;
      }
    }
  }
  close(ep);
}

static void task_echo(struct place place, unsigned count, uint64_t ops) {
  int* fds = connect_all(place, count);

  /* One message on each connection first, so that all are accepted before the
   * measured side starts its clock. */
  for (unsigned i = 0; i < count; i++)
    echo_one(fds[i], 1);
  if (count == 1)
    echo_one(fds[0], ops);
  else
    echo_many(fds, count, ops);
  close_all(fds, count);
}

static void task_idle(struct place place, unsigned count, uint64_t ops) {
  int* fds = connect_all(place, count);

  for (unsigned i = 0; i < count; i++)
    echo_one(fds[i], 1);
  for (uint64_t i = 0; i < ops; i++)
    echo_one(fds[bench_random() % count], 1);
  close_all(fds, count);
}

static void task_sink(struct place place, unsigned count, uint64_t ops) {
  static char buffer[4 * CHUNK];
  int fd = connect_to(place);

  (void) count;
  (void) ops;
  while (recv(fd, buffer, sizeof(buffer), 0) > 0)
    continue;
  close(fd);
}

static void task_source(struct place place, unsigned count, uint64_t ops) {
  static char buffer[CHUNK];
  int fd = connect_to(place);

  (void) count;
  for (uint64_t i = 0; i < ops; i++)
    for (size_t done = 0; done < CHUNK;) {
      ssize_t n = send(fd, buffer + done, CHUNK - done, MSG_NOSIGNAL);
      CHECK(n > 0);
      done += (size_t) n;
    }
  close(fd);
}

static void task_connect(struct place place, unsigned count, uint64_t ops) {
  char byte;

  (void) count;
  for (uint64_t i = 0; i < ops; i++) {
    int fd = connect_to(place);
    CHECK(recv(fd, &byte, 1, 0) == 0);
    close(fd);
  }
}

/* Lets the kernel cut what is sent into messages, so that a sender of many is
 * not slower than who answers them. Returns how many one call may send. */
static unsigned cut_messages(int fd, unsigned count) {
  int size = MESSAGE;

  if (count == 1 ||
      setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)) != 0)
    return 1;
  return count < TRAIN_MAX ? count : TRAIN_MAX;
}

static void send_messages(int fd, uint64_t count, unsigned at_once) {
  static char data[TRAIN_MAX * MESSAGE];

  while (count > 0) {
    uint64_t now = count < at_once ? count : at_once;
    CHECK(send(fd, data, now * MESSAGE, MSG_NOSIGNAL) ==
          (ssize_t) (now * MESSAGE));
    count -= now;
  }
}

/* Waits for one message and takes those that are there, too. */
static unsigned receive_messages(int fd, unsigned most) {
  static char data[TRAIN_MAX][MESSAGE];
  struct iovec pieces[TRAIN_MAX];
  struct mmsghdr messages[TRAIN_MAX] = { 0 };

  for (unsigned i = 0; i < most; i++) {
    pieces[i] = (struct iovec) { data[i], MESSAGE };
    messages[i].msg_hdr.msg_iov = &pieces[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  int n = recvmmsg(fd, messages, most, MSG_WAITFORONE, NULL);
  CHECK(n > 0);
  for (int i = 0; i < n; i++)
    CHECK(messages[i].msg_len == MESSAGE);
  return (unsigned) n;
}

static void task_udp(struct place place, unsigned count, uint64_t ops) {
  struct sockaddr_storage address;
  socklen_t len = place_address(place, &address);
  uint64_t sent = count < ops ? count : ops;
  int fd = socket(place.family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  CHECK(fd >= 0);
  CHECK(connect(fd, (struct sockaddr*) &address, len) == 0);
  unsigned at_once = cut_messages(fd, count);
  send_messages(fd, sent, at_once);
  for (uint64_t received = 0; received < ops;) {
    unsigned n = receive_messages(fd, at_once);
    uint64_t more = n < ops - sent ? n : ops - sent;
    received += n;
    send_messages(fd, more, at_once);
    sent += more;
  }
  close(fd);
}

static const struct {
  const char* name;
  void (*run)(struct place place, unsigned count, uint64_t ops);
} tasks[] = {
  { "echo", task_echo },     { "idle", task_idle }, { "sink", task_sink },
  { "source", task_source }, { "udp", task_udp },   { "connect", task_connect },
};

void peer_main(int argc, char** argv) {
  CHECK(argc == 5);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct place place = { atoi(argv[1]), atoi(argv[2]) };
  unsigned count = (unsigned) strtoul(argv[3], NULL, 10);
  uint64_t ops = strtoull(argv[4], NULL, 10);

  for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
    if (strcmp(tasks[i].name, argv[0]) == 0) {
      tasks[i].run(place, count, ops);
      exit(0);
    }
  CHECK(!"no such task");
  exit(1);
}
