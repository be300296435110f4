/* SPDX-License-Identifier: MIT */
/* What epoll, poll and select cost by themselves, without the library.
 *
 *   readiness INTERFACE DESCRIPTORS MILLISECONDS
 *
 * Watches that many eventfds and prints three figures, in nanoseconds: a wait
 * with one of them ready, including the search for it; a wait with all of them
 * ready, per descriptor; a change of interest (off and on again). Each is the
 * fastest of several batches that take so many milliseconds together.
 *
 * select's sets are made as large as needed: the kernel's select takes them,
 * only FD_SET() and the type fd_set end at FD_SETSIZE.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define BATCHES 20
#define WORD_BITS (CHAR_BIT * sizeof(unsigned long))

static int count;
static int* fds;

static void die(const char* what) {
  fprintf(stderr, "readiness: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void* room(size_t n, size_t size) {
  void* p = calloc(n, size);
  if (p == NULL)
    die("memory");
  return p;
}

static uint64_t now_ns(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (uint64_t) ts.tv_sec * 1000000000u + (uint64_t) ts.tv_nsec;
}

static void open_all(void) {
  struct rlimit limit;

  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    die("getrlimit");
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
    die("setrlimit");
  fds = room((size_t) count, sizeof(*fds));
  for (int i = 0; i < count; i++)
    if ((fds[i] = eventfd(0, EFD_NONBLOCK)) < 0)
      die("eventfd");
}

static void set_ready(int i, int ready) {
  uint64_t value = 1;
  ssize_t n = ready ? write(fds[i], &value, sizeof(value))
                    : read(fds[i], &value, sizeof(value));
  if (n != sizeof(value))
    die("eventfd");
}

/* epoll. */

static int epoll;
static struct epoll_event* events;

static void epoll_setup(void) {
  epoll = epoll_create1(0);
  events = room((size_t) count, sizeof(*events));
  for (int i = 0; i < count; i++) {
    struct epoll_event event = { .events = EPOLLIN, .data = { .fd = fds[i] } };
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event) != 0)
      die("epoll_ctl");
  }
}

static int epoll_look(void) {
  int sum = 0;
  int n = epoll_wait(epoll, events, count, 0);
  for (int i = 0; i < n; i++)
    sum += events[i].data.fd >= 0;
  return sum;
}

static void epoll_change(int i) {
  struct epoll_event event = { .events = 0, .data = { .fd = fds[i] } };
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, fds[i], &event) != 0)
    die("epoll_ctl");
  event.events = EPOLLIN;
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, fds[i], &event) != 0)
    die("epoll_ctl");
}

/* poll. */

static struct pollfd* entries;

static void poll_setup(void) {
  entries = room((size_t) count, sizeof(*entries));
  for (int i = 0; i < count; i++) {
    entries[i].fd = fds[i];
    entries[i].events = POLLIN;
  }
}

static int poll_look(void) {
  int left = poll(entries, (nfds_t) count, 0);
  int sum = 0;
  for (int i = 0; left > 0; i++)
    if (entries[i].revents != 0) {
      sum++;
      left--;
    }
  return sum;
}

static void poll_change(int i) {
  *(volatile short*) &entries[i].events = 0;
  *(volatile short*) &entries[i].events = POLLIN;
}

/* select. */

static unsigned long* wanted;
static unsigned long* answer;
static size_t words;

static void select_setup(void) {
  words = (size_t) fds[count - 1] / WORD_BITS + 1;
  wanted = room(words, sizeof(*wanted));
  answer = room(words, sizeof(*answer));
  for (int i = 0; i < count; i++)
    wanted[(size_t) fds[i] / WORD_BITS] |= 1ul << (size_t) fds[i] % WORD_BITS;
}

static int select_look(void) {
  struct timeval at_once = { 0, 0 };
  int sum = 0;

  memcpy(answer, wanted, words * sizeof(*answer));
  int left = select(fds[count - 1] + 1, (void*) answer, NULL, NULL, &at_once);
  for (size_t i = 0; i < words && left > sum; i++)
    for (unsigned long word = answer[i]; word != 0; word &= word - 1)
      sum++;
  return sum;
}

static void select_change(int i) {
  volatile unsigned long* word = &wanted[(size_t) fds[i] / WORD_BITS];
  unsigned long bit = 1ul << (size_t) fds[i] % WORD_BITS;
  *word &= ~bit;
  *word |= bit;
}

static const struct way {
  const char* name;
  void (*setup)(void);
  int (*look)(void); /* how many are ready */
  void (*change)(int i);
} ways[] = {
  { "epoll", epoll_setup, epoll_look, epoll_change },
  { "poll", poll_setup, poll_look, poll_change },
  { "select", select_setup, select_look, select_change },
};

/* Nanoseconds of one look, `ready` being what it must see. */
static double time_look(const struct way* it, int ready, int ms) {
  double best = 1e18;

  for (int batch = 0; batch < BATCHES; batch++) {
    uint64_t start = now_ns();
    uint64_t end = start + (uint64_t) ms * 1000000u / BATCHES;
    uint64_t now;
    long done = 0;
    do {
      if (it->look() != ready)
        die("another number of descriptors is ready");
      done++;
      now = now_ns();
    } while (now < end);
    double each = (double) (now - start) / (double) done;
    best = each < best ? each : best;
  }
  return best;
}

static double time_change(const struct way* it, int ms) {
  double best = 1e18;

  for (int batch = 0; batch < BATCHES; batch++) {
    uint64_t start = now_ns();
    uint64_t end = start + (uint64_t) ms * 1000000u / BATCHES;
    uint64_t now;
    long done = 0;
    do {
      for (int k = 0; k < 100; k++)
        it->change((int) ((done + k) * 7919 % count));
      done += 100;
      now = now_ns();
    } while (now < end);
    double each = (double) (now - start) / (double) done;
    best = each < best ? each : best;
  }
  return best;
}

int main(int argc, char** argv) {
  const struct way* it = NULL;

  for (size_t i = 0; argc == 4 && i < sizeof(ways) / sizeof(*it); i++)
    if (strcmp(ways[i].name, argv[1]) == 0)
      it = &ways[i];
  if (it == NULL) {
    fprintf(stderr, "usage: readiness epoll|poll|select DESCRIPTORS MS\n");
    return 2;
  }
  count = atoi(argv[2]);
  int ms = atoi(argv[3]);
  open_all();
  it->setup();

  set_ready(count / 2, 1);
  double one = time_look(it, 1, ms);
  set_ready(count / 2, 0);
  double change = time_change(it, ms);
  for (int i = 0; i < count; i++)
    set_ready(i, 1);
  double all = time_look(it, count, ms);
  printf("%.1f %.2f %.2f\n", one, all / count, change);
  return 0;
}
