/* SPDX-License-Identifier: MIT */
/* The threads of a process as the kernel counts them, for a process that counts
 * nothing itself. Linux. */
#ifndef UV_TRACE_THREADS_H_
#define UV_TRACE_THREADS_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct thread {
  uint64_t tid;
  uint64_t busy_ns;  /* on a processor */
  uint64_t ready_ns; /* waiting for one */
  uint64_t wakeups;  /* times that it slept */
  char state;        /* R, S, D, T, Z */
  char name[32];
  char place[48]; /* in the kernel, or "" */
};

struct threads {
  struct thread* rows;
  size_t count;
  size_t room;
};

/* 0, or an errno: ESRCH if there is no such process, ENOSYS if the system does
 * not tell. threads_close() in either case. */
int threads_read(struct threads* threads, int64_t pid);
void threads_close(struct threads* threads);

/* Rates between two looks, the busiest first, at most `top` rows. */
void threads_print(FILE* out,
                   struct threads* now,
                   const struct threads* before,
                   double seconds,
                   size_t top);

#endif /* UV_TRACE_THREADS_H_ */
