/* SPDX-License-Identifier: MIT */
/* Mistakes of programs, explained in one line on standard error:
 *
 *   uv_close: timer 0x55d0c8a3b2a0 is already closing (caller's error); see
 *   man uv_close
 *
 * A mistake that ends the process is always explained. One that is answered by
 * an error code, or not at all, is explained where somebody asked for it: with
 * UV_DEBUG=1 in the environment, which changes nothing else, and the first
 * eight times in debug builds. What is undefined also ends the process in debug
 * builds.
 *
 * Everything here is cold: a correct program does not get here.
 */
#ifndef UV_MISUSE_H_
#define UV_MISUSE_H_

#include "util/base.h"

/* The rules, with their texts in misuse.c. */
enum uv__rule {
  UV__RULE_CLOSE_ONCE,
  UV__RULE_CLOSE_HANDLE,
  UV__RULE_REUSED,
  UV__RULE_LOOP_OPEN,
  UV__RULE_DISPATCH_NESTED,

  /* What UV_DEBUG=1 finds: observe/debug. */
  UV__RULE_CLOSE_UNKNOWN,
  UV__RULE_HANDLE_STACK,
  UV__RULE_INIT_OPEN,
  UV__RULE_INIT_LOOP,
  UV__RULE_TIMER_UNKNOWN,
  UV__RULE_SEND_CLOSED,
  UV__RULE_LOOP_INIT_OPEN,
  UV__RULE_LOOP_REUSED,
  UV__RULE_LOOP_FORKED,
  UV__RULE_RUN_NESTED,
  UV__RULE_REQUEST_STACK,
  UV__RULE_REQUEST_REUSED,
  UV__RULE_DATA_STACK,

  /* A request that is in use. */
  UV__RULE_POOL_ONCE,
  UV__RULE_WORK_ONCE,
  UV__RULE_GETADDRINFO_ONCE,
  UV__RULE_GETNAMEINFO_ONCE,
  UV__RULE_RANDOM_ONCE,
  UV__RULE_WRITE_ONCE,
  UV__RULE_SEND_ONCE,

  /* The wrong thread. */
  UV__RULE_INIT_THREAD,
  UV__RULE_CLOSE_THREAD,
  UV__RULE_RUN_THREAD,
  UV__RULE_STOP_THREAD,
  UV__RULE_TIMER_THREAD,
  UV__RULE_TIMER_STOP_THREAD,
  UV__RULE_READ_THREAD,
  UV__RULE_WRITE_THREAD,
  UV__RULE_SEND_THREAD,
  UV__RULE_RECV_THREAD,
  UV__RULE_POLL_THREAD,
  UV__RULE_WORK_THREAD,
  UV__RULE_FS_THREAD,

  /* Arguments that are refused. */
  UV__RULE_TIMER_START,
  UV__RULE_TIMER_AGAIN,
  UV__RULE_LISTEN,
  UV__RULE_LISTEN_CALLBACK,
  UV__RULE_READ_START,
  UV__RULE_NO_STREAM,
  UV__RULE_SPAWN,
  UV__RULE_RECV_START,
  UV__RULE_IDLE_START,
  UV__RULE_PREPARE_START,
  UV__RULE_CHECK_START,
  UV__RULE_POLL_START,
  UV__RULE_SIGNAL_START,
  UV__RULE_FS_EVENT_START,
  UV__RULE_FS_POLL_START,
  UV__RULE_QUEUE_WORK,
  UV__RULE_MAX
};

/* Reads UV_DEBUG, once per process, and explains every UV_* variable whose
 * value means nothing. */
void uv__misuse_init_process(void);

/* The handle (or NULL) was refused: explains it if asked to. Returns err. */
UV__COLD int uv__misuse_refuse(enum uv__rule rule, const void* handle, int err);

/* uv_loop_close() of a loop that is in use: names up to eight handles. Returns
 * UV_EBUSY. */
UV__COLD int uv__misuse_refuse_busy(const uv_loop_t* loop);

/* What happens now is undefined: explains it if asked to, and ends the process
 * in debug builds. `object` is a handle, a loop or a request. */
UV__COLD void uv__misuse_undefined(enum uv__rule rule, const void* object);

/* Explains it if asked to: something that libuv accepts, or that only UV_DEBUG
 * finds. `function` is what the line names if the rule does not: NULL for the
 * init function of a handle. `type` is the name of a handle's type where it
 * cannot be read, or NULL. Context: any | signal. */
UV__COLD void uv__misuse_explain(enum uv__rule rule,
                                 const char* function,
                                 const char* type,
                                 const void* object);

/* Explains it and ends the process. */
#if defined(__GNUC__)
__attribute__((noreturn, cold))
#endif
void uv__misuse_end(enum uv__rule rule, const void* object);

#endif /* UV_MISUSE_H_ */
