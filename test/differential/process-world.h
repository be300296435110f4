/* SPDX-License-Identifier: MIT */
/* What area process needs from the system (process-unix.c, process-win.c). */
#ifndef DIFFERENTIAL_PROCESS_WORLD_H_
#define DIFFERENTIAL_PROCESS_WORLD_H_

#include <uv.h>

#define SIGNUMS 7
#define BAD_SIGNUMS 5

/* Signal numbers that handles are started with, some of them invalid. */
extern const int signums[SIGNUMS];
extern const int bad_signums[BAD_SIGNUMS];

/* Can a program send itself a signal that only its handles see? */
extern const int signals_can_be_sent;
void signal_send(int signum);
/* Is a signal without a handler ignored? */
int signal_is_harmless(int signum);

/* This program, as a child. */
const char* child_program(void);

/* Waits until a child has ended; the library has not been notified yet. */
void child_await(const uv_process_t* process);

/* Longer than any program runs. */
#define CHILD_SECONDS_MAX 60

/* In a child: waits to be killed, at most that long, so that no child outlives
 * the test. Does not return on Unix. */
void child_wait(void);

#endif
