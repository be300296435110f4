/* SPDX-License-Identifier: MIT */
/* soak [--seconds N] [--connections N]
 *
 * Two processes, each with one loop on the library: a server that echoes, and
 * (its parent) thousands of clients that each send a stream of bytes that can
 * be predicted and read its echo, with random sizes, pauses, half-closes,
 * resets, stalls and reconnects. Beside the clients files are written and read
 * back, names resolved, children run and timers kept. Then everything is shut
 * down: the clients finish, the server is told, both loops must end.
 *
 * Counted: bytes that a conversation did not get back, in order and unchanged,
 * though nobody had cut it off (0); callbacks owed at the end (0); memory and
 * descriptors of both, which must not grow; how late a timer of 10 ms runs.
 *
 *   main.c     arguments, the server's process
 *   clients.c  the conversations
 *   server.c   the echo
 *   jobs.c     files, names, children, timers
 *   measure.c  memory, descriptors, lag, verdicts
 */
#ifndef SOAK_H_
#define SOAK_H_

#include "uv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(cond) ((cond) ? (void) 0 : soak_fail(__FILE__, __LINE__, #cond))

/* One connection is accepted per listener and iteration, so thousands of
 * simultaneous conversations need many listeners. */
enum { LISTENERS = 64 };

/* Of both processes. */
extern uv_loop_t loop;
extern int ending_all; /* nothing new is started */
extern long long owed; /* callbacks */

_Noreturn void soak_fail(const char* file, int line, const char* what);

/* A number below `below`; the same sequence in each run. */
uint32_t draw(uint32_t below);

/* uv_alloc_cb: memory of a random size, shared by all. */
void soak_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf);

/* measure.c */
void measure_init(void);  /* before the library is used */
void measure_start(void); /* the loop is initialised, sampling begins */
void measure_stop(void);
/* The loop is closed: prints the verdicts on `who`, whose descriptors beyond
 * the first few are at most `fds_max`. Returns the number of failures and adds
 * to *total. */
int measure_report(const char* who, long long fds_max, int* total);
/* Prints a verdict; returns 1 for a failure. */
int verdict(int ok, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

/* server.c: the whole process. */
int server_main(void);

/* clients.c */
void clients_start(int count, const unsigned short* ports);
void clients_free(void);
int clients_report(int* total);
extern int clients_open; /* conversations that have not ended */

/* jobs.c */
void jobs_start(void);
void jobs_stop(void);
int jobs_report(int* total);

#endif /* SOAK_H_ */
