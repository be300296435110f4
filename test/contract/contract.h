/* SPDX-License-Identifier: MIT */
/* The contract P1-P8 of src/poller.h, run against every poller compiled in.
 *
 *   CONTRACT(p2_level_is_reported_again) { ... poller ... }
 *
 * plus a line EACH_POLLER(p2_level_is_reported_again) in list.h makes one test
 * per poller, p2_level_is_reported_again_epoll and so on. Harness: unit/main.c.
 */
#ifndef CONTRACT_H_
#define CONTRACT_H_

#include "unit/unit.h"

#include "loop.h"
#include "unix/io.h" /* POLLRDHUP */

#define CONTRACT_ON(name, backend)                                             \
  void unit_test_##name##_##backend(void);                                     \
  void unit_test_##name##_##backend(void) {                                    \
    name(contract_poller(#backend));                                           \
  }

#define CONTRACT(name)                                                         \
  static void name(const struct uv__poller* poller);                           \
  CONTRACT_ON(name, epoll)                                                     \
  CONTRACT_ON(name, kqueue)                                                    \
  CONTRACT_ON(name, poll)                                                      \
  static void name(const struct uv__poller* poller)

/* By name; skips the test if it is not compiled in. */
const struct uv__poller* contract_poller(const char* name);

/* A loop on this poller, and its end: nothing but the poller is used. */
void contract_open(uv_loop_t* loop, const struct uv__poller* poller);
void contract_close(uv_loop_t* loop);

/* wait() with room for 16 events; the bits reported for `fd`, 0 if none, and
 * whether a wake-up was among them. */
struct contract_seen {
  int count;
  unsigned bits;
  int woken;
};
struct contract_seen contract_wait(uv_loop_t* loop, int fd, int timeout_ms);

/* A pipe or socket pair that does not block. */
void contract_pipe(int fds[2]);
void contract_socketpair(int fds[2]);
void contract_write(int fd);
void contract_read(int fd);

/* apply() that succeeds; have and want as there. */
void contract_apply(uv_loop_t* loop, int fd, unsigned have, unsigned want);

#endif /* CONTRACT_H_ */
