/* SPDX-License-Identifier: MIT */
/* Linked into programs whose lines are counted: exit() writes the counts, but
 * tests, and children that could not exec, end by _exit(), and a broken
 * invariant ends in abort(). The linker redirects those calls here
 * (--wrap=_exit, --wrap=abort). COUNTS_IN_LIBRARY is for a program that does
 * not count itself but uses a shared library that does. */

void uv__coverage_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __real_abort(void);

#ifndef COUNTS_IN_LIBRARY

void __gcov_dump(void);
void __gcov_reset(void);

/* A vfork child counts in its parent's memory: start from zero. */
void uv__coverage_dump(void) {
  __gcov_dump();
  __gcov_reset();
}

#endif

__attribute__((visibility("hidden"))) _Noreturn void __wrap__exit(int status) {
  uv__coverage_dump();
  __real__exit(status);
}

__attribute__((visibility("hidden"))) _Noreturn void __wrap_abort(void) {
  uv__coverage_dump();
  __real_abort();
}
