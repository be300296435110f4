/* SPDX-License-Identifier: MIT */
/* Between main.c, which knows the tests, and the processes they run in. */
#ifndef HARNESS_H_
#define HARNESS_H_

#include "unit.h"

#define UNIT_EXIT_FAILED 1
#define UNIT_EXIT_SKIPPED 77
#define UNIT_MESSAGE_SIZE 4096

enum unit_outcome { UNIT_PASSED, UNIT_FAILED, UNIT_SKIPPED };

/* The test's message, one line, filled by whichever process has one. */
extern char* unit_message;
void unit_say(const char* format, ...);

/* Called once, before everything else, also in the process of a test. */
int unit_os_init(const char* argv0);

/* Ten seconds, times UV_TEST_TIMEOUT_MULTIPLIER. */
int unit_time_limit_s(void);

/* Runs the test in its own process, with that time limit. */
enum unit_outcome unit_os_run(const char* name, void (*run)(void));

/* Ends the process of a test, with the current message. */
_Noreturn void unit_os_end(enum unit_outcome outcome);

#endif /* HARNESS_H_ */
