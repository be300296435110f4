/* SPDX-License-Identifier: MIT */
/* The contract P1-P8 of src/os/poller.h, run against every poller compiled in.
 *
 *   CONTRACT(p2_level_is_reported_again) { ... poller ... }
 *
 * plus a line EACH_POLLER(p2_level_is_reported_again) in list.h makes one test
 * per poller, p2_level_is_reported_again_epoll and so on. Harness: unit/main.c.
 *
 * A completion port has no watch operations: P2, P4, P5 and P8 are about what
 * is watched (contract-watch.c, EACH_WATCHER) and do not apply to it. It has
 * requests instead: contract-req.c, EACH_PORT. P7's fork does not exist
 * there, P1's and P3's signals neither; the rest is the same tests.
 */
#ifndef CONTRACT_H_
#define CONTRACT_H_

#include "unit/unit.h"

#include "loop/wake.h"

#if TEST_POSIX
# include "unix/io.h" /* POLLRDHUP */
#endif

#define CONTRACT_ON(name, backend)                                             \
 void unit_test_##name##_##backend(void);                                      \
 void unit_test_##name##_##backend(void) {                                     \
  name(contract_poller(#backend));                                             \
 }

#if TEST_POSIX
# define CONTRACT(name)                                                        \
  static void name(const struct uv__poller* poller);                           \
  CONTRACT_ON(name, epoll)                                                     \
  CONTRACT_ON(name, kqueue)                                                    \
  CONTRACT_ON(name, poll)                                                      \
  CONTRACT_ON(name, select)                                                    \
  static void name(const struct uv__poller* poller)
#else
# define CONTRACT(name)                                                        \
  static void name(const struct uv__poller* poller);                           \
  CONTRACT_ON(name, iocp)                                                      \
  static void name(const struct uv__poller* poller)
#endif

/* By name; skips the test if it is not compiled in. */
const struct uv__poller* contract_poller(const char* name);

/* A loop on this poller, and its cleanup: only the poller is used. */
void contract_open(uv_loop_t* loop, const struct uv__poller* poller);
void contract_close(uv_loop_t* loop);

/* wait() with room for 16 events; the bits reported for `fd`, 0 if none, and
 * how many wake-ups and requests were among them. */
struct contract_seen {
  int count;
  unsigned bits;
  int woken;
  int reqs;
};
struct contract_seen contract_wait(uv_loop_t* loop, int fd, int timeout_ms);

/* Descriptors or handles in use by this process. */
int contract_open_handles(void);

#if TEST_POSIX
/* A pipe or socket pair that does not block. */
void contract_pipe(int fds[2]);
void contract_socketpair(int fds[2]);
void contract_write(int fd);
void contract_read(int fd);

/* apply() that succeeds; have and want as there. */
void contract_apply(uv_loop_t* loop, int fd, unsigned have, unsigned want);
#endif

#endif /* CONTRACT_H_ */
