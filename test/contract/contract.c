/* SPDX-License-Identifier: MIT */
#include "contract.h"

#include <stdlib.h>
#include <string.h>

#if TEST_POSIX
# include <fcntl.h>
# include <sys/socket.h>
# include <unistd.h>
#endif

/* The names that CONTRACT() makes tests for. */
static const char* const covered[] = {
  "epoll", "iocp", "kqueue", "poll", "select",
};

const struct uv__poller* contract_poller(const char* name) {
  const struct uv__poller* poller = uv__poller_os_find(name);
  if (poller == NULL)
    SKIP("this poller is not compiled in on this system");
  return poller;
}

/* Detects a new backend without tests. */
UNIT_TEST(every_poller_is_covered) {
  int count = 0;
  for (; uv__poller_os_list[count] != NULL; count++) {
    const struct uv__poller* poller = uv__poller_os_list[count];
    int found = 0;
    for (size_t i = 0; i < sizeof(covered) / sizeof(covered[0]); i++)
      found |= strcmp(covered[i], poller->name) == 0;
    CHECK_ROW(found, poller->name);
    CHECK(uv__poller_os_find(poller->name) == poller);
  }
  CHECK(count > 0);
  CHECK(uv__poller_os_find("no such poller") == NULL);
}

UNIT_TEST(environment_chooses_the_poller) {
  CHECK_EQ(0, uv_os_unsetenv("UV_POLLER"));
  CHECK(uv__poller_os_choose() == uv__poller_os_list[0]);
  for (int i = 0; uv__poller_os_list[i] != NULL; i++) {
    CHECK_EQ(0, uv_os_setenv("UV_POLLER", uv__poller_os_list[i]->name));
    CHECK(uv__poller_os_choose() == uv__poller_os_list[i]);
  }
  CHECK_EQ(0, uv_os_setenv("UV_POLLER", "nonsense"));
  CHECK(uv__poller_os_choose() == uv__poller_os_list[0]);
  CHECK_EQ(0, uv_os_setenv("UV_POLLER", ""));
  CHECK(uv__poller_os_choose() == uv__poller_os_list[0]);
}

void contract_open(uv_loop_t* loop, const struct uv__poller* poller) {
  CHECK_EQ(0, uv_os_setenv("UV_POLLER", poller->name));
  CHECK_EQ(0, uv_loop_init(loop));
  CHECK(uv__loop_state(loop)->poller == poller);
}

void contract_close(uv_loop_t* loop) {
  CHECK_EQ(0, uv_loop_close(loop));
}

struct contract_seen contract_wait(uv_loop_t* loop, int fd, int timeout_ms) {
  struct uv__event events[16];
  struct contract_seen seen = { 0, 0, 0, 0 };

  seen.count = uv__loop_state(loop)->poller->wait(loop, events, 16, timeout_ms);
  for (int i = 0; i < seen.count; i++) {
    if (events[i].kind == UV__EVENT_WAKE) {
      seen.woken++;
    } else if (events[i].kind == UV__EVENT_REQ) {
      seen.reqs++;
    } else {
      CHECK_EQ(UV__EVENT_IO, events[i].kind);
      CHECK(events[i].bits != 0);
      if ((int) events[i].key == fd) {
        CHECK_EQ(0, seen.bits); /* one event for an fd */
        seen.bits = events[i].bits;
      }
    }
  }
  return seen;
}

#if TEST_POSIX
int contract_open_handles(void) {
  int fd = dup(0); /* the lowest free number */
  close(fd);
  return fd;
}

void contract_pipe(int fds[2]) {
  CHECK_EQ(0, pipe(fds));
  CHECK_EQ(0, fcntl(fds[0], F_SETFL, O_NONBLOCK));
  CHECK_EQ(0, fcntl(fds[1], F_SETFL, O_NONBLOCK));
}

void contract_socketpair(int fds[2]) {
  CHECK_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
  CHECK_EQ(0, fcntl(fds[0], F_SETFL, O_NONBLOCK));
  CHECK_EQ(0, fcntl(fds[1], F_SETFL, O_NONBLOCK));
}

void contract_write(int fd) {
  CHECK_EQ(1, write(fd, "x", 1));
}

void contract_read(int fd) {
  char byte;
  CHECK_EQ(1, read(fd, &byte, 1));
}

void contract_apply(uv_loop_t* loop, int fd, unsigned have, unsigned want) {
  const struct uv__watch_ops* watch = uv__loop_state(loop)->poller->watch;
  CHECK_EQ(0, watch->apply(loop, fd, have, want));
}
#else
int contract_open_handles(void) {
  DWORD count = 0;

  CHECK(GetProcessHandleCount(GetCurrentProcess(), &count));
  return (int) count;
}
#endif
