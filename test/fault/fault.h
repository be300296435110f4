/* SPDX-License-Identifier: MIT */
/* Fault injection: the program's own definitions of C library calls take
 * precedence, so every call that libuv makes passes through calls.c, which
 * fails the selected one. Calls of the program itself are not affected: only
 * return addresses inside libuv.so count.
 *
 * All arguments are passed on as machine words, which works on the 64-bit
 * targets where this runs. */
#ifndef FAULT_H_
#define FAULT_H_

#include <stddef.h>

enum fault_mode {
  FAULT_NONE,
  FAULT_ALLOC_ONCE, /* the n-th allocation returns NULL */
  FAULT_ALLOC_FROM, /* so do all after it */
  FAULT_CALL,       /* the n-th call fails with the k-th error of its row */
  FAULT_CALLS_FROM, /* so do all after it, except with EINTR */
  FAULT_FDS_FROM,   /* from the n-th on, nothing that creates an fd works */
  FAULT_EINTR,      /* two of three interruptible calls are interrupted */
  FAULT_EAGAIN,     /* every second non-blocking transfer returns EAGAIN */
  FAULT_SHORT,      /* transfers move one byte, or one buffer */
};

struct fault_plan {
  enum fault_mode mode;
  int k;
  long n; /* counts down; below 0: it happened */
};

/* Locates libuv and replaces its allocator. Call first. Failed calls are marked
 * in `calls_seen`, which has fault_calls_known() entries. */
void fault_init(unsigned char* calls_seen);

/* Starts and ends the injection. In between, only what the plan says fails. */
void fault_arm(const struct fault_plan* plan);
void fault_disarm(void);
/* Exempts a part of the scenario; nests. */
void fault_pause(void);
void fault_resume(void);

/* Did the fault happen since it was armed? How many in all? */
int fault_happened(void);
long fault_count(void);
/* Did one happen that has no fallback, so that an error is right? */
int fault_may_be_reported(void);
/* It happened in a forked child, whose count is not ours. */
void fault_note_elsewhere(void);
/* The call that failed last, for messages. */
const char* fault_last(void);
/* What it returned where a plan chose the error: FAULT_CALL, FAULT_CALLS_FROM.
 */
int fault_last_error(void);
int fault_calls_known(void);
const char* fault_call_name(int call);

/* Blocks that libuv holds. */
long fault_blocks(void);

#endif /* FAULT_H_ */
