/* SPDX-License-Identifier: MIT */
/* Deadlines: absolute moments in ns, and how long is left in the milliseconds
 * that pollers take. Pure arithmetic.
 */
#ifndef UV_LOOP_DEADLINE_H_
#define UV_LOOP_DEADLINE_H_

#include <stdint.h>

#define UV__DEADLINE_NONE 0                /* do not wait */
#define UV__DEADLINE_NEVER UINT64_MAX      /* wait for ever */
#define UV__DEADLINE_LAST (UINT64_MAX - 1) /* the latest real deadline */

/* Returns `now_ns` plus `timeout_ms`, at most UV__DEADLINE_LAST. */
uint64_t uv__deadline_after_ms(uint64_t now_ns, uint64_t timeout_ms);

/* From a poller's timeout: negative is UV__DEADLINE_NEVER, 0 is
 * UV__DEADLINE_NONE. */
uint64_t uv__deadline_from_timeout(uint64_t now_ns, int timeout_ms);

/* Returns the milliseconds until the deadline, rounded up so that a wait is
 * never too short; at most INT_MAX; -1 means for ever, 0 that it has passed. */
int uv__deadline_left_ms(uint64_t deadline_ns, uint64_t now_ns);

#endif /* UV_LOOP_DEADLINE_H_ */
