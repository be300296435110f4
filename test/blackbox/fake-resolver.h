/* SPDX-License-Identifier: MIT */
/* A resolver in place of the system's, for tests of lookups: this program's
 * getaddrinfo() and getnameinfo() come before those of the C library. Until
 * fake_resolver_start() they pass every call on. Unix only. */
#ifndef FAKE_RESOLVER_H_
#define FAKE_RESOLVER_H_

#include "test.h"

/* From now on each call is counted and waits until it is let go. Skips the test
 * where the C library cannot be replaced. */
void fake_resolver_start(void);
/* The same, but calls take `spins` turns of a loop instead. */
void fake_resolver_start_busy(int spins);

/* What calls return that begin from now on: 0 or EAI_*. */
void fake_resolver_set_error(int eai);

/* Waits until `count` more calls have begun. */
void fake_resolver_wait(int count);
/* Lets `count` calls return. */
void fake_resolver_let_go(int count);

/* How many calls have begun. Numeric hosts are not counted here. */
int fake_resolver_calls(void);
/* How many calls were made for a numeric host by the calling thread, and by
 * others. */
int fake_resolver_numeric_here(void);
int fake_resolver_numeric_elsewhere(void);

#endif /* FAKE_RESOLVER_H_ */
