/* SPDX-License-Identifier: MIT */
/* Faults on demand: the program's own definitions of the C library's calls come
 * before the library's, so every call that libuv makes passes through calls.c,
 * which fails the one it was told to. Calls of the program itself are left
 * alone: only return addresses inside libuv.so count.
 *
 * All arguments are passed on as machine words, which holds on the 64-bit
 * targets where this runs.
 */
#ifndef FAULT_H_
#define FAULT_H_

#include <stddef.h>

enum fault_mode {
  FAULT_NONE,
  FAULT_ALLOC_ONCE, /* the n-th allocation gives NULL */
  FAULT_ALLOC_FROM, /* so do all after it */
  FAULT_CALL,       /* the n-th call fails with the k-th error of its row */
  FAULT_CALLS_FROM, /* so do all after it, but for EINTR */
  FAULT_FDS_FROM,   /* from the n-th on, nothing that makes an fd works */
  FAULT_EINTR,      /* two of three interruptible calls are interrupted */
  FAULT_EAGAIN,     /* every second non-blocking transfer says: not now */
  FAULT_SHORT,      /* transfers carry one byte, or one buffer */
};

struct fault_plan {
  enum fault_mode mode;
  int k;
  long n; /* counts down; below 0: it happened */
};

/* Finds where libuv is, replaces its allocator. Call first. Calls that were
 * failed are marked in `calls_seen`, which has fault_calls_known() places. */
void fault_init(unsigned char* calls_seen);

/* From here on; and no more. Nothing fails between the two but what the plan
 * says. */
void fault_arm(const struct fault_plan* plan);
void fault_disarm(void);
/* Lets a part of the scenario pass; nests. */
void fault_pause(void);
void fault_resume(void);

/* Did the fault happen since it was armed? How many in all? */
int fault_happened(void);
long fault_count(void);
/* Did one happen that has no other way round it, so that an error is right? */
int fault_may_be_told(void);
/* It happened in a forked child, whose count is not ours. */
void fault_note_elsewhere(void);
/* The call that was failed last, for messages. */
const char* fault_last(void);
int fault_calls_known(void);
const char* fault_call_name(int call);

/* Blocks that libuv holds. */
long fault_blocks(void);

#endif /* FAULT_H_ */
