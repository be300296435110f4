/* SPDX-License-Identifier: MIT */
#include "fake-resolver.h"

#include <dlfcn.h>
#include <netdb.h>

#if TEST_STATIC || !TEST_REPLACES

void fake_resolver_start(void) {
  SKIP("functions of the C library cannot be replaced");
}

void fake_resolver_start_busy(int spins) {
  (void) spins;
  fake_resolver_start();
}

void fake_resolver_set_error(int eai) {
  (void) eai;
}

void fake_resolver_wait(int count) {
  (void) count;
}

void fake_resolver_let_go(int count) {
  (void) count;
}

int fake_resolver_calls(void) {
  return 0;
}

int fake_resolver_numeric_here(void) {
  return 0;
}

int fake_resolver_numeric_elsewhere(void) {
  return 0;
}

#else

enum mode { PASS_ON, WAIT, SPIN };

static int mode;  /* atomic: enum mode */
static int spins; /* before the threads that read it */
static int error; /* atomic */
static int calls; /* atomic */
static uv_sem_t begun;
static uv_sem_t may_return;
static uv_thread_t here;
static int numeric_here;      /* atomic */
static int numeric_elsewhere; /* atomic */

typedef int addr_fn(const char*,
                    const char*,
                    const struct addrinfo*,
                    struct addrinfo**);
typedef int name_fn(const struct sockaddr*,
                    socklen_t,
                    char*,
                    socklen_t,
                    char*,
                    socklen_t,
                    int);

/* Those of a sanitizer's runtime in this program, if it has them. */
# if defined(__clang__)
addr_fn __interceptor_getaddrinfo __attribute__((weak));
name_fn __interceptor_getnameinfo __attribute__((weak));
# endif

static void* next_function(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);

  ASSERT_NOT_NULL(found);
  return found;
}

static addr_fn* real_addr(void) {
# if defined(__clang__)
  if (__interceptor_getaddrinfo != NULL)
    return __interceptor_getaddrinfo;
# endif
  return (addr_fn*) next_function("getaddrinfo");
}

static name_fn* real_name(void) {
# if defined(__clang__)
  if (__interceptor_getnameinfo != NULL)
    return __interceptor_getnameinfo;
# endif
  return (name_fn*) next_function("getnameinfo");
}

static void count_numeric(void) {
  uv_thread_t self = uv_thread_self();

  __atomic_add_fetch(uv_thread_equal(&self, &here) ? &numeric_here
                                                   : &numeric_elsewhere,
                     1, __ATOMIC_RELAXED);
}

/* One call, from its begin to its end: 0 or EAI_*. */
static int take_call(void) {
  volatile int turns = 0;

  int eai = __atomic_load_n(&error, __ATOMIC_RELAXED);
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (__atomic_load_n(&mode, __ATOMIC_ACQUIRE) == WAIT) {
    uv_sem_post(&begun);
    uv_sem_wait(&may_return);
  } else {
    while (turns < spins)
      turns = turns + 1;
  }
  return eai;
}

/* The list for every name: an IPv4 address with the name, and an IPv6 address.
 * Made by the real function, so that freeaddrinfo() frees it. */
static int make_list(struct addrinfo** list) {
  struct addrinfo hints;
  struct addrinfo* end;

  memset(&hints, 0, sizeof(hints));
  hints.ai_flags = AI_NUMERICHOST | AI_CANONNAME;
  hints.ai_socktype = SOCK_STREAM;
  ASSERT_EQ(0, real_addr()("192.0.2.7", "80", &hints, list));
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_socktype = SOCK_DGRAM;
  for (end = *list; end->ai_next != NULL; end = end->ai_next)
    continue;
  ASSERT_EQ(0, real_addr()("2001:db8::7", "53", &hints, &end->ai_next));
  return 0;
}

/* No header declares them for this file with these names: it has the only
 * definitions. */
__attribute__((visibility("default"))) int getaddrinfo(
    const char* node,
    const char* service,
    const struct addrinfo* hints,
    struct addrinfo** list) {
  if (__atomic_load_n(&mode, __ATOMIC_ACQUIRE) == PASS_ON)
    return real_addr()(node, service, hints, list);
  if (hints != NULL && (hints->ai_flags & AI_NUMERICHOST)) {
    count_numeric();
    return real_addr()(node, service, hints, list);
  }

  int eai = take_call();
  return eai != 0 ? eai : make_list(list);
}

__attribute__((visibility("default"))) int getnameinfo(
    const struct sockaddr* addr,
    socklen_t addr_len,
    char* host,
    TEST_NAME_SIZE host_len,
    char* service,
    TEST_NAME_SIZE service_len,
    int flags) {
  if (__atomic_load_n(&mode, __ATOMIC_ACQUIRE) != PASS_ON) {
    if (flags & NI_NUMERICHOST) {
      count_numeric();
    } else {
      int eai = take_call();
      if (eai != 0)
        return eai;
      flags |= NI_NUMERICHOST | NI_NUMERICSERV;
    }
  }
  return real_name()(addr, addr_len, host, host_len, service, service_len,
                     flags);
}

static void start(enum mode wanted) {
  here = uv_thread_self();
  ASSERT_OK(uv_sem_init(&begun, 0));
  ASSERT_OK(uv_sem_init(&may_return, 0));
  __atomic_store_n(&mode, wanted, __ATOMIC_RELEASE);
}

void fake_resolver_start(void) {
  start(WAIT);
}

void fake_resolver_start_busy(int turns) {
  spins = turns;
  start(SPIN);
}

void fake_resolver_set_error(int eai) {
  __atomic_store_n(&error, eai, __ATOMIC_RELAXED);
}

void fake_resolver_wait(int count) {
  for (int i = 0; i < count; i++)
    uv_sem_wait(&begun);
}

void fake_resolver_let_go(int count) {
  for (int i = 0; i < count; i++)
    uv_sem_post(&may_return);
}

int fake_resolver_calls(void) {
  return __atomic_load_n(&calls, __ATOMIC_RELAXED);
}

int fake_resolver_numeric_here(void) {
  return __atomic_load_n(&numeric_here, __ATOMIC_RELAXED);
}

int fake_resolver_numeric_elsewhere(void) {
  return __atomic_load_n(&numeric_elsewhere, __ATOMIC_RELAXED);
}
#endif
