/* SPDX-License-Identifier: MIT */
#ifndef UV_UTIL_FATAL_H_
#define UV_UTIL_FATAL_H_

/* An invariant of the library itself is broken: says which operation found it
 * and ends the process. Never for a refusal by the environment.
 * `err` is a UV_E* code or 0. Context: any. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void uv__fatal(const char* op, int err);

/* For callers that have said why. Context: any. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void uv__end_process(void);

#endif /* UV_UTIL_FATAL_H_ */
