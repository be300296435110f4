/* SPDX-License-Identifier: MIT */
/* What a workload sees of the program around it.
 *
 * A workload prepares, calls bench_begin(), does `run->ops` operations, calls
 * bench_end() and cleans up. It uses only libuv's public interface of 1.44, so
 * that the same binary runs on any libuv.so.1. The other side of a connection
 * is a separate process (peer.c) on bare system calls: it costs the same
 * whatever library is measured, and its time is not counted. */
#ifndef BENCH_H_
#define BENCH_H_

#include <uv.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
  uint64_t ops;  /* operations to do */
  unsigned size; /* connections, handles, requests in flight: see the table */
  int kind;      /* the table entry's; for functions that serve several */
};

struct workload {
  const char* name;
  void (*run)(struct run* run);
  void (*floor)(struct run* run); /* the same on bare system calls, or NULL */
  int kind;
  uint64_t ops;     /* for a fraction of a second */
  uint64_t ops_max; /* 0: any number */
  unsigned size;
  const char* what; /* for the reader; names the operation */
};

/* One per file, ended by an entry without a name. */
extern const struct workload async_workloads[];
extern const struct workload burst_workloads[];
extern const struct workload children_workloads[];
extern const struct workload connection_workloads[];
extern const struct workload file_chain_workloads[];
extern const struct workload file_workloads[];
extern const struct workload flood_workloads[];
extern const struct workload latency_workloads[];
extern const struct workload loop_workloads[];
extern const struct workload memory_workloads[];
extern const struct workload pace_workloads[];
extern const struct workload post_workloads[];
extern const struct workload process_workloads[];
extern const struct workload stream_workloads[];
extern const struct workload timer_workloads[];
extern const struct workload udp_workloads[];
extern const struct workload work_workloads[];

/* Around what is measured. */
void bench_begin(void);
void bench_end(void);
/* After bench_end(): goes on measuring; the time in between does not count. */
void bench_resume(void);

/* Another number of this run, for the report. */
void bench_note(const char* name, double value);

/* Ends the program: a workload that fails is not a measurement. */
void bench_fail(const char* file, int line, const char* what, int err);

/* Nor is one that skips its checks: these stay in every build. */
#define CHECK(condition)                                                       \
 do {                                                                          \
  if (!(condition))                                                            \
   bench_fail(__FILE__, __LINE__, #condition, 0);                              \
 } while (0)
#define CHECK_OK(expression)                                                   \
 do {                                                                          \
  int check_err = (int) (expression);                                          \
  if (check_err < 0)                                                           \
   bench_fail(__FILE__, __LINE__, #expression, check_err);                     \
 } while (0)

/* calloc() that does not fail. */
void* bench_alloc(size_t count, size_t size);

/* Small and repeatable, not good: the same numbers for every library. */
uint32_t bench_random(void);

/* A monotonic clock for latencies, in ns. */
uint64_t bench_clock(void);

/* A directory that is removed with the process. */
const char* bench_dir(void);

/* Runs the loop until nothing is left and closes it. */
void bench_drain(uv_loop_t* loop);

/* As many descriptors as allowed; returns the number. */
unsigned bench_raise_fd_limit(void);

/* Starts idle children and waits until all of them are up: a library that
 * starts them faster would otherwise leave more of that for the time measured.
 * They exit when the descriptor returned is closed. */
int bench_children(uv_loop_t* loop,
                   uv_process_t* all,
                   unsigned count,
                   uv_exit_cb cb);

#endif /* BENCH_H_ */
