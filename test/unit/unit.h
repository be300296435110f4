/* SPDX-License-Identifier: MIT */
/* White-box tests: each runs in its own process, for at most ten seconds.
 *
 *   UNIT_TEST(module_behaviour) { CHECK_EQ(4, f(2)); }
 *
 * plus a line UNIT(module_behaviour) in list.h, or UNIT_UNIX or UNIT_WINDOWS
 * with the reason if it tests something only they have. A failed check ends the
 * test. */
#ifndef UNIT_H_
#define UNIT_H_

#include "platform.h"

#include <stddef.h>
#include <stdint.h>

#define UNIT_TEST(name)                                                        \
 void unit_test_##name(void);                                                  \
 void unit_test_##name(void)

/* The condition holds. */
#define CHECK(cond) unit_check(!!(cond), __FILE__, __LINE__, #cond)

/* Two integers are the same number; `want` first. */
#define CHECK_EQ(want, got)                                                    \
 unit_check_eq((intmax_t) (want), (intmax_t) (got), __FILE__, __LINE__, #want, \
               #got)

/* Two strings are the same; NULL is equal to NULL only. */
#define CHECK_STR(want, got)                                                   \
 unit_check_str((want), (got), __FILE__, __LINE__, #got)

/* The first `n` bytes are the same. */
#define CHECK_MEM(want, got, n)                                                \
 unit_check_mem((want), (got), (n), __FILE__, __LINE__, #got)

/* Ends the test: the environment cannot show the behaviour; say what it lacks.
 */
#define SKIP(reason) unit_skip(reason)

/* As CHECK, for tables: `what` says which row. */
#define CHECK_ROW(cond, what)                                                  \
 unit_check_row(!!(cond), __FILE__, __LINE__, #cond, (what))

void unit_check(int ok, const char* file, int line, const char* text);
void unit_check_row(int ok,
                    const char* file,
                    int line,
                    const char* text,
                    const char* what);
void unit_check_eq(intmax_t want,
                   intmax_t got,
                   const char* file,
                   int line,
                   const char* want_text,
                   const char* got_text);
void unit_check_str(const char* want,
                    const char* got,
                    const char* file,
                    int line,
                    const char* text);
void unit_check_mem(const void* want,
                    const void* got,
                    size_t n,
                    const char* file,
                    int line,
                    const char* text);
_Noreturn void unit_skip(const char* reason);

#endif /* UNIT_H_ */
